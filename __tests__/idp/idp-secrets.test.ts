import { IdpSecrets, type IdpSecretsProps } from "../../lib/idp/idp-secrets";
import { brokenRules } from "../support/broken-rules";
import { CONTEXT } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";

const secretsIn = (overrides: Partial<IdpSecretsProps>) =>
  new IdpSecrets(bareStack(), "Secrets", { context: CONTEXT, ...overrides });

describe("IdpSecrets", () => {
  it("refuses a password in plain text, without repeating it", () => {
    expect(() => secretsIn({ bootstrapPassword: "hunter2-in-plain" })).toThrow(
      brokenRules("test/Secrets", [
        `bootstrapPassword is given as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable`,
      ]),
    );
  });

  it("creates a token for the application's API on request", () => {
    expect(secretsIn({ bootstrapToken: true }).settings).toHaveLength(1);
    expect(secretsIn({ bootstrapToken: false })).toMatchObject({ bootstrapToken: undefined, settings: [] });
  });

  it("creates the secrets that blueprints need, and those alone", () => {
    expect(secretsIn({ blueprints: ["branding", "oidc-client"] }).settings).toEqual([]);
    expect(secretsIn({ blueprints: ["ldap"] }).settings).toHaveLength(2);
    expect(secretsIn({ blueprints: ["ldap", "radius"] }).settings).toHaveLength(4);
  });
});
