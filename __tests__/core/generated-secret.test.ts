import { GeneratedSecret, type GeneratedSecretProps } from "../../lib/core/generated-secret";
import { ExistingIdentity } from "../../lib/platform/identity/existing-identity";
import { standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

const props = (overrides: Partial<GeneratedSecretProps> = {}): GeneratedSecretProps => ({
  projectId: "other-project",
  secretId: "secret-demo-key",
  length: 64,
  ...overrides,
});

const secretIn = (overrides?: Partial<GeneratedSecretProps>) => {
  const stack = bareStack();
  const secret = new GeneratedSecret(stack, "Key", props(overrides));
  const resource = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
  return { stack, secret, resource, terraform: () => terraformOf(stack) };
};

describe("GeneratedSecret", () => {
  it("is granted once to each identity, under its name, and never to one that takes no grants", () => {
    const { secret, terraform } = secretIn();
    const runtime = standInIdentity("Runtime");
    expect(secret.grantAccess(runtime)[0]).toBe(secret.grantAccess(runtime)[0]);
    secret.grantAccess(standInIdentity("Runtime"));
    expect(secret.grantAccess(new ExistingIdentity("own@demo-project.iam.gserviceaccount.com"))).toEqual([]);
    expect(Object.keys(terraform().resource?.google_secret_manager_secret_iam_member ?? {})).toEqual([
      "key_runtime",
      "key_runtime2",
    ]);
  });

  it("refuses a literal value, without showing it", () => {
    expect(() => secretIn({ override: "hunter2-hunter2" })).toThrow(
      brokenRules("test/Key", [
        "override is given as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable",
      ]),
    );
  });
});
