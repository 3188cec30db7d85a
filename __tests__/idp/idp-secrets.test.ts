import { InputVariable } from "../../lib/core/input-variable";
import { IdpSecrets, type IdpSecretsProps } from "../../lib/idp/idp-secrets";
import { brokenRules } from "../support/broken-rules";
import { PLACE, standInIdentity } from "../support/stand-in-parts";
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

  it("stores a given bootstrap password instead of the generated one, and treats an empty one as none", () => {
    const stack = bareStack();
    const given = new InputVariable(stack, "given", { type: "string", description: "First.", ephemeral: true });
    const { version } = secretsIn({ bootstrapPassword: given.stringValue }, stack);
    const generated = (name: string) => `ephemeral.random_password.secrets_${name}_candidate.result`;
    expect(version("bootstrap_password").secret_data_wo).toBe(
      `\${coalesce(var.given, ${generated("bootstrap_password")})}`,
    );
    expect(version("secret_key").secret_data_wo).toBe(`\${${generated("secret_key")}}`);
  });

  it("protects both from deletion unless told otherwise", () => {
    const protection = (deletionProtection?: boolean) => {
      const { secret } = secretsIn({ deletionProtection });
      return [secret("secret_key"), secret("bootstrap_password")].map((block) => block.deletion_protection);
    };
    expect([protection(), protection(false)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it.each([
    ["secretKey", "secret_key"],
    ["bootstrapPassword", "bootstrap_password"],
  ] as const)("lets a principal read only %s", (secret, name) => {
    const { secrets, stack } = secretsIn();
    secrets[secret].grantAccess(standInIdentity("Runner"));
    expect(Object.keys(terraformOf(stack).resource?.google_secret_manager_secret_iam_member ?? {})).toEqual([
      `secrets_${name}_runner`,
    ]);
  });

  it.each([
    ["given", "hunter2-in-plain"],
    ["missing", ""],
  ])("refuses a password in plain text, which is %s, without repeating it", (word, bootstrapPassword) => {
    expect(() => secretsIn({ bootstrapPassword })).toThrow(
      brokenRules("test/Secrets", [
        `bootstrapPassword is ${word} as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable`,
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
