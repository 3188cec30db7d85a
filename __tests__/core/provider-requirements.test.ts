import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { Id } from "@cdktf/provider-random/lib/id";
import { TerraformStack } from "cdktf";

import { PortableStack } from "../../lib/core/portable-stack";
import { requireProvider } from "../../lib/core/provider-requirements";
import { AssessmentLab } from "../../lib/lab";
import { terraformOf, testApp } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

/** What a stack's owner requires, before or after the constructs are created. */
type Given = (stack: TerraformStack) => void;

const stackIn = (app = testApp(), name = "test", { before, after }: { before?: Given; after?: Given } = {}) => {
  const stack = new TerraformStack(app, name);
  before?.(stack);
  new GoogleProvider(stack, "google", { project: "demo-project" });
  requireProvider(stack, "google");
  after?.(stack);
  return stack;
};

const requirementsOf = (stack: TerraformStack) => {
  const { required_providers: providers, required_version: terraform } = terraformOf(stack).terraform;
  return { terraform, google: (providers as Record<string, unknown>).google };
};

const GOOGLE = { source: "hashicorp/google", version: ">= 7.42.0, < 8.0.0" };

describe("A provider that a construct needs", () => {
  it("is missing: the library names both, in place of the framework", () => {
    const app = testApp();
    const stack = new TerraformStack(app, "test");
    new GoogleProvider(stack, "google", { project: "demo-project" });
    new AssessmentLab(stack, "Lab", { projectId: "demo-project" });
    const missing = (provider: string, construct: string, resource: string) =>
      `the provider ${provider} is missing, which test/Lab/${resource} needs; a construct adds none, because its configuration is the stack's to decide; add new ${construct}(stack, "${provider}") to the stack`;
    expect(() => app.synth()).toThrow(
      brokenRules("test", [
        missing("random", "RandomProvider", "RandomId"),
        missing("tls", "TlsProvider", "Key/Default"),
      ]),
    );
  });

  it("is the framework's to miss where only the stack's owner needs it", () => {
    const stack = stackIn();
    new Id(stack, "Own", { byteLength: 4 });
    expect(() => terraformOf(stack)).toThrow("Found resources without a matching provider construct");
  });
});

describe("What constructs require of a stack", () => {
  it("is the oldest Terraform and a range of the provider, in place of the bindings' pin", () => {
    expect(requirementsOf(stackIn())).toEqual({ terraform: ">= 1.11.0", google: GOOGLE });
  });

  it.each(["before", "after"] as const)("holds together with what the owner of the stack requires %s it", (moment) => {
    const own: Given = (stack) => {
      stack.addOverride("terraform.required_version", "< 1.13.0");
      stack.addOverride("terraform.required_providers.google.version", "~> 7.45");
    };
    const stack = stackIn(undefined, undefined, { [moment]: own });
    const both = { terraform: ">= 1.11.0, < 1.13.0", google: { ...GOOGLE, version: ">= 7.42.0, < 8.0.0, ~> 7.45" } };
    expect(requirementsOf(stack)).toEqual(both);
    expect(requirementsOf(stack)).toEqual(both);
  });

  it("is stated once where the owner requires the same", () => {
    const own: Given = (stack) => stack.addOverride("terraform.required_version", ">=1.12.0,>= 1.11.0");
    expect(requirementsOf(stackIn(undefined, undefined, { before: own })).terraform).toBe(">= 1.11.0, >=1.12.0");
  });

  it.each<[string, unknown, unknown]>([
    [
      "a provider of a mirror",
      { source: "mirror.example.com/hashicorp/google" },
      { source: expect.anything() as unknown },
    ],
    ["a provider by its release alone", "7.50.0", { version: ">= 7.42.0, < 8.0.0, 7.50.0" }],
    ["an alias of its module", { configuration_aliases: ["google.eu"] }, { configuration_aliases: ["google.eu"] }],
  ])("leaves the owner %s", (_, own, added) => {
    const stack = stackIn(undefined, undefined, {
      after: (owned) => owned.addOverride("terraform.required_providers.google", own),
    });
    const source = (own as { source?: string }).source;
    expect(requirementsOf(stack).google).toEqual({
      ...GOOGLE,
      ...(added as object),
      ...(source === undefined ? {} : { source }),
    });
  });

  it("does not apply to another stack", () => {
    const app = testApp();
    const changed = stackIn(app, "changed", {
      after: (stack) => {
        stack.addOverride("terraform.required_providers.google.version", "7.50.0");
        stack.addOverride("terraform.required_providers.google.source", "mirror.example.com/hashicorp/google");
      },
    });
    requirementsOf(changed);
    expect(requirementsOf(stackIn(app, "untouched")).google).toEqual(GOOGLE);
  });

  it("refuses what cannot be combined, with both named", () => {
    const stack = new PortableStack(testApp(), "test", { providers: ["google"] });
    stack.addOverride("terraform.required_version", 1.12);
    stack.addOverride("terraform.required_providers.google.version", [">= 7.50.0"]);
    expect(() => terraformOf(stack)).toThrow(
      brokenRules("test", [
        'terraform.required_version is overridden by 1.12; it must be a version constraint as a string, because it is combined with ">= 1.11.0", which the constructs need; write for example ">= 1.11.0"',
        'terraform.required_providers.google.version is overridden by [">= 7.50.0"]; it must be a version constraint as a string, because it is combined with ">= 7.42.0, < 8.0.0", which the constructs need; write for example ">= 7.42.0, < 8.0.0"',
      ]),
    );
  });
});
