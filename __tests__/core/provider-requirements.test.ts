import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { TerraformStack } from "cdktf";

import { NEWER_GOOGLE_ATTRIBUTES, NEWER_KUBERNETES_ATTRIBUTES } from "../../lib/core/newer-attribute";
import { PortableStack } from "../../lib/core/portable-stack";
import { PROVIDER_REQUIREMENTS, requireProvider, stateProvidersOf } from "../../lib/core/provider-requirements";
import { AssessmentLab } from "../../lib/lab";
import { terraformOf, testApp } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

/** What a stack's owner requires, before or after the constructs are created. */
type Given = (stack: TerraformStack) => void;

const stackIn = ({ before, after }: { before?: Given; after?: Given } = {}) => {
  const stack = new TerraformStack(testApp(), "test");
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

const GOOGLE = { source: "hashicorp/google", version: ">= 7.42.0, < 9.0.0" };

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
});

describe("A provider that only has aliases", () => {
  it("must be named by every resource", () => {
    const app = testApp();
    const stack = new PortableStack(app, "test", { providers: ["google"] });
    new GoogleProvider(stack, "google", { alias: "acme" });
    stateProvidersOf(stack);
    new StorageBucket(stack, "Bucket", { name: "bucket", location: "EU" });
    expect(() => app.synth()).toThrow(
      "each provider google has an alias, and test/Bucket names none of them; it must, because Terraform would give it an empty configuration; set its provider, or that of a whole construct by an aspect, or add one without alias",
    );
  });
});

describe("What constructs require of a stack", () => {
  it.each(["before", "after"] as const)("holds together with what the owner of the stack requires %s it", (moment) => {
    const own: Given = (stack) => {
      stack.addOverride("terraform.required_version", "< 1.13.0");
      stack.addOverride("terraform.required_providers.google.version", "~> 7.45");
    };
    const stack = stackIn({ [moment]: own });
    const both = {
      terraform: ">= 1.11.0, != 1.16.0, < 1.13.0",
      google: { ...GOOGLE, version: ">= 7.42.0, < 9.0.0, ~> 7.45" },
    };
    expect(requirementsOf(stack)).toEqual(both);
    expect(requirementsOf(stack)).toEqual(both);
  });

  it("refuses what cannot be combined, with both named", () => {
    const stack = new PortableStack(testApp(), "test", { providers: ["google"] });
    stack.addOverride("terraform.required_version", 1.12);
    stack.addOverride("terraform.required_providers.google.version", [">= 7.50.0"]);
    expect(() => terraformOf(stack)).toThrow(
      brokenRules("test", [
        'terraform.required_version is overridden by 1.12; it must be a version constraint as a string, because it is combined with ">= 1.11.0, != 1.16.0", which the constructs need; write for example ">= 1.11.0, != 1.16.0"',
        'terraform.required_providers.google.version is overridden by [">= 7.50.0"]; it must be a version constraint as a string, because it is combined with ">= 7.42.0, < 9.0.0", which the constructs need; write for example ">= 7.42.0, < 9.0.0"',
      ]),
    );
  });
});

describe("An attribute that is newer than the bindings", () => {
  it("needs no release of its provider that is not accepted, and no older one is accepted", () => {
    const newestOf = (attributes: Readonly<Record<string, string>>) =>
      Object.values(attributes)
        .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
        .at(-1);
    const oldestOf = ({ version }: { readonly version: string }) => /^>= (\S+), < \d+\.0\.0$/.exec(version)?.[1] ?? "";
    expect(oldestOf(PROVIDER_REQUIREMENTS.google)).toBe(newestOf(NEWER_GOOGLE_ATTRIBUTES));
    const kubernetes = oldestOf(PROVIDER_REQUIREMENTS.kubernetes);
    expect(newestOf({ ...NEWER_KUBERNETES_ATTRIBUTES, accepted: kubernetes })).toBe(kubernetes);
  });
});
