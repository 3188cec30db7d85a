import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { Construct } from "constructs";

import * as kubernetes from "../../lib/kubernetes";
import * as lab from "../../lib/lab";
import * as main from "../../lib";
import { RulesBrokenError } from "../../lib/core/rules";
import { bareStack } from "../support/synthesis";

/** As somebody calls it who writes plain JavaScript. */
type Careless = new (scope: Construct, id: string, props?: object) => unknown;

const CONSTRUCTS = Object.entries({ ...main, ...kubernetes, ...lab }).flatMap(([name, exported]) =>
  // Takes a list in the place of props.
  typeof exported === "function" && exported.prototype instanceof Construct && exported !== main.CheckBlock
    ? [[name, exported as unknown as Careless] as const]
    : [],
);

const stackWithCluster = () => {
  const stack = bareStack();
  new KubernetesProvider(stack, "kubernetes", { host: "https://cluster" });
  return stack;
};

const refusalOf = (work: () => unknown): RulesBrokenError => {
  try {
    work();
  } catch (error) {
    if (error instanceof RulesBrokenError) return error;
    throw error;
  }
  throw new Error("nothing is refused");
};

describe("A required prop that is missing", () => {
  it.each(CONSTRUCTS)("is named by %s, with all others", (_, Made) => {
    const { failures, subject } = refusalOf(() => new Made(stackWithCluster(), "Made"));
    expect(subject).toMatch(/^(test\/)?Made$/);
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toMatch(/^\w+ is missing; it has no default; give it$/);
    expect(refusalOf(() => new Made(stackWithCluster(), "Made", {})).failures).toEqual(failures);
    const nulls = Object.fromEntries(failures.map((failure): [string, null] => [failure.split(" ")[0] ?? "", null]));
    expect(refusalOf(() => new Made(stackWithCluster(), "Made", nulls)).failures).toEqual(failures);
  });

  it.each<[string, (scope: Construct) => unknown, readonly string[]]>([
    [
      "identityProviderContainer",
      (scope) => main.identityProviderContainer(scope, {} as main.IdentityProviderContainerProps),
      ["database", "image", "initialization", "media", "secrets"],
    ],
    [
      "a job of ServerlessJobs",
      (scope) => new main.ServerlessJobs({} as main.ServerlessJobsProps).runOnce(scope, "Job", {} as never),
      ["identity", "place"],
    ],
    [
      "a job of KubernetesJobs",
      (scope) => new kubernetes.KubernetesJobs({} as kubernetes.KubernetesJobsProps).runOnce(scope, "Job", {} as never),
      ["identity", "namespace", "place"],
    ],
  ])("is named by %s, with all others", (_, work, names) => {
    expect(refusalOf(() => work(stackWithCluster())).failures).toEqual(
      names.map((name) => `${name} is missing; it has no default; give it`),
    );
  });
});
