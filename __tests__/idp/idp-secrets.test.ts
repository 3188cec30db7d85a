import { InputVariable } from "../../lib/core/input-variable";
import { IdpSecrets, type IdpSecretsProps } from "../../lib/idp/idp-secrets";
import { brokenRules } from "../support/broken-rules";
import { PLACE } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const secretsIn = (overrides: Partial<IdpSecretsProps> = {}, stack = bareStack()) => {
  const secrets = new IdpSecrets(stack, "Secrets", { place: PLACE, ...overrides });
  const secret = (name: string) => resourceOf(terraformOf(stack), "google_secret_manager_secret", `secrets_${name}`);
  const version = (name: string) =>
    resourceOf(terraformOf(stack), "google_secret_manager_secret_version", `secrets_${name}_version`);
  return { stack, secrets, secret, version };
};

describe("IdpSecrets", () => {
  it("writes a new bootstrap password when its version is raised, and leaves the secret key alone", () => {
    const { version } = secretsIn({ bootstrapPasswordVersion: 3 });
    expect(version("bootstrap_password").secret_data_wo_version).toBe(3);
    expect(version("secret_key").secret_data_wo_version).toBe(1);
  });

  it("refuses a password in plain text, without repeating it", () => {
    expect(() => secretsIn({ bootstrapPassword: "hunter2-in-plain" })).toThrow(
      brokenRules("test/Secrets", [
        `bootstrapPassword is given as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable`,
      ]),
    );
  });

  it("creates a token for the application's API on request, which may be an input", () => {
    expect(secretsIn({ bootstrapToken: true }).secrets.settings).toHaveLength(1);
    expect(secretsIn({ bootstrapToken: false }).secrets).toMatchObject({ bootstrapToken: undefined, settings: [] });
    const stack = bareStack();
    const wanted = new InputVariable(stack, "wanted", { type: "bool", default: false, description: "Whether." });
    const { secret } = secretsIn({ bootstrapToken: wanted.booleanValue }, stack);
    expect(secret("bootstrap_token")).toMatchObject({ count: "${(var.wanted) ? 1 : 0}", deletion_protection: false });
  });
});
