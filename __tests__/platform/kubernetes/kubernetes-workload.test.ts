import { InputVariable } from "../../../lib/core/input-variable";
import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { KubernetesWorkload, type KubernetesWorkloadProps } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { type WorkloadAddress } from "../../../lib/platform/parts";
import { valueAt } from "../../stacks/configuration-graph";
import { asConstant, evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { fc } from "../../support/seeded-cases";
import {
  namespaceIn,
  PLACE,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInIdentityProvider,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack, type Block } from "../../support/synthesis";

const workloadOf = (
  container: (stack: BareStack) => ContainerSpec,
  props: Partial<KubernetesWorkloadProps> = {},
  stack = bareStack(),
) => {
  new KubernetesWorkload(stack, "Workload", {
    place: PLACE,
    identity: standInIdentity(),
    container: container(stack),
    namespace: namespaceIn(stack),
    ...props,
  });
  const deployment = resourceOf(terraformOf(stack), "kubernetes_deployment_v1", "workload");
  const pod = valueAt(deployment, "spec.template.spec") as Block;
  return { deployment, pod, server: valueAt(pod, "container.0") as Block };
};

const workloadIn = (
  props: Partial<KubernetesWorkloadProps> = {},
  container: Partial<ContainerSpec> = {},
  stack?: BareStack,
) => workloadOf((scope) => ({ ...standInIdentityProvider(scope), ...container }), props, stack);

describe("KubernetesWorkload", () => {
  it("allows four more minutes for every further pod, because pods are replaced one after another", () => {
    const database = { instance: standInDatabase({ maxConnections: 400 }), hostVariable: "DB_HOST" };
    const timeouts = (maxInstanceCount: number) => workloadIn({ maxInstanceCount }, { database }).deployment.timeouts;
    expect(timeouts(1)).toEqual({ create: "30m", update: "30m" });
    expect(timeouts(4)).toEqual({ create: "30m", update: "42m" });
    const stack = bareStack();
    const most = new InputVariable(stack, "most", { type: "number", default: 3, description: "An input." });
    expect(workloadIn({ maxInstanceCount: most.numberValue }, {}, stack).deployment.timeouts).toEqual({
      create: "30m",
      update: "${30 + 4 * (var.most - 1)}m",
    });
  });

  it("tells the application which proxies to trust, and where its own TLS listens, unless the container overrides it", () => {
    const told = (overrides: ContainerSpec["environment"]["overrides"], address?: WorkloadAddress) => {
      const environment = { baseline: { IDP_LOG_LEVEL: "info" }, overrides, required: {} };
      return valueAt(workloadIn({ address }, { environment }).server, "dynamic.env.for_each");
    };
    const loadBalancers =
      "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fe80::/10,::1/128,35.191.0.0/16,130.211.0.0/22";
    expect(told({})).toEqual({
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: loadBalancers,
      IDP_LISTEN__HTTPS: "0.0.0.0:9443",
      IDP_LOG_LEVEL: "info",
      DB_HOST: "127.0.0.1",
    });
    const address = { address: "192.0.2.7", url: "https://login.example.com" };
    expect(told({}, address)).toMatchObject({
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: `${loadBalancers},192.0.2.7/32`,
      IDP_WEB__BASE_URL: "https://login.example.com",
    });
    expect(told({ IDP_WEB__BASE_URL: "https://other.example.com" }, address)).toMatchObject({
      IDP_WEB__BASE_URL: "https://other.example.com",
    });
    expect(told({ IDP_LISTEN__TRUSTED_PROXY_CIDRS: "10.0.0.0/8" })).toMatchObject({
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: "10.0.0.0/8",
    });
  });

  it("runs a worker with its own command, without port, probes, database, bucket or secret", () => {
    const { deployment, pod, server } = workloadOf(() => standInContainer({ command: ["/bin/work"], args: ["--all"] }));
    expect(server).toMatchObject({
      image: "registry/idp:1",
      command: ["/bin/work"],
      args: ["--all"],
      env: [],
      port: [],
    });
    for (const probe of ["startup_probe", "liveness_probe", "readiness_probe"])
      expect(server).not.toHaveProperty(probe);
    expect(valueAt(server, "dynamic.env.for_each")).toEqual({});
    expect(pod).not.toHaveProperty("init_container");
    expect(valueAt(pod, "volume")).toMatchObject([{ name: "shared-memory" }]);
    expect(valueAt(deployment, "spec.template.metadata.annotations")).toBeUndefined();
  });
});

describeWith(["terraform"], "A plain variable of the workload", () => {
  it("arrives as it was given, although Kubernetes replaces references in it", () => {
    const values = [
      "$(DB_NAME)",
      "$$(DB_NAME)",
      "a$b$$",
      "$",
      "",
      ...fc.sample(fc.string({ unit: fc.constantFrom("$", "(", ")", "A", " ", "{", '"', "\\") }), {
        numRuns: 40,
        seed: 3,
      }),
    ];
    const content = valueAt(workloadIn().server, "dynamic.env.content.value");
    const spelled = String(content)
      .replace("env.value", "value")
      .replace(/^\$\{|\}$/g, "");
    const { locals } = { locals: { written: `\${[for value in ${asConstant(values)} : ${spelled}]}` } };
    expect((evaluated({ locals }).written as string[]).map(expandedByKubernetes)).toEqual(values);
  });
});

/** Expands a value as Kubernetes does when no variable is defined. */
function expandedByKubernetes(value: string): string {
  let result = "";
  for (let at = 0; at < value.length; at++) {
    const [character, next] = [value[at], value[at + 1]];
    if (character !== "$" || next === undefined) result += character ?? "";
    else if (next === "$") {
      result += "$";
      at++;
    } else if (next === "(" && value.indexOf(")", at) > at) throw new Error(`a reference is left in ${value}`);
    else result += "$";
  }
  return result;
}
