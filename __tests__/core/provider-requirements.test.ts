import { ProjectService } from "@cdktf/provider-google/lib/project-service";
import { GoogleProvider, type GoogleProviderConfig } from "@cdktf/provider-google/lib/provider";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { TerraformStack } from "cdktf";

import { expression } from "../../lib/core/expr/terraform-text";
import { NEWER_GOOGLE_ATTRIBUTES, NEWER_KUBERNETES_ATTRIBUTES } from "../../lib/core/newer-attribute";
import { PortableStack } from "../../lib/core/portable-stack";
import { ProjectApis } from "../../lib/core/project-apis";
import { PROVIDER_REQUIREMENTS, requireProvider, stateProvidersOf } from "../../lib/core/provider-requirements";
import { AssessmentLab } from "../../lib/lab";
import { brokenRules } from "../support/broken-rules";
import { terraformOf, testApp } from "../support/synthesis";

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

describe("A provider that acts as another account than whoever applies", () => {
  const ACCOUNT = "deployer@demo-project.iam.gserviceaccount.com";
  const stackOf = (config: GoogleProviderConfig, override = {}) => {
    const stack = new TerraformStack(testApp(), "test");
    const provider = new GoogleProvider(stack, "google", config);
    for (const [path, value] of Object.entries(override)) provider.addOverride(path, value);
    return stack;
  };
  const apisIn = (stack: TerraformStack) =>
    new ProjectApis(stack, "Apis", { projectId: "demo-project", region: "us-central1", apis: ["storage"] });
  const refusal = (account: string) =>
    [
      `test/google makes Terraform act as ${account}, and the scripts of the folder would act as whoever applies;`,
      "it must not, because what the one creates may be closed to the other; leave out impersonateServiceAccount",
      "and export GOOGLE_IMPERSONATE_SERVICE_ACCOUNT, which both read",
    ].join(" ");

  it.each<[string, string, TerraformStack]>([
    ["by its argument", ACCOUNT, stackOf({ impersonateServiceAccount: ACCOUNT })],
    ["by an override", ACCOUNT, stackOf({}, { impersonate_service_account: ACCOUNT })],
    ["by a variable", "another account", stackOf({ impersonateServiceAccount: expression("var.deployer") })],
  ])("is refused %s where scripts would not act as it", (_, account, stack) => {
    apisIn(stack);
    expect(() => terraformOf(stack)).toThrow(brokenRules("test", [refusal(account)]));
  });

  it("is refused by every argument that says who it is, without its value", () => {
    const stack = stackOf({ accessToken: "secret", credentials: "secret" });
    apisIn(stack);
    const texts = [/leave out accessToken and export GOOGLE_OAUTH_ACCESS_TOKEN/, /leave out credentials and export/];
    for (const text of texts) expect(() => terraformOf(stack)).toThrow(text);
    expect(() => terraformOf(stack)).not.toThrow("secret");
  });

  it("is one where nothing runs a script, or where each resource names another provider", () => {
    const withoutScripts = stackOf({ impersonateServiceAccount: ACCOUNT });
    stateProvidersOf(withoutScripts);
    new StorageBucket(withoutScripts, "Bucket", { name: "bucket", location: "EU" });
    const named = stackOf({ impersonateServiceAccount: ACCOUNT });
    const provider = new GoogleProvider(named, "acme", { alias: "acme" });
    for (const element of apisIn(named).node.findAll())
      if (element instanceof ProjectService) element.provider = provider;
    const none = stackOf({ impersonateServiceAccount: "" });
    apisIn(none);
    for (const stack of [withoutScripts, named, none]) expect(() => terraformOf(stack)).not.toThrow();
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
