import { problems } from "../../lib/core/inputs/rules";
import { ENVIRONMENT_RULES } from "../../lib/idp/environment-rules";

const problemsOf = (environment: Readonly<Record<string, string>>) =>
  ENVIRONMENT_RULES.flatMap((rule) => problems(rule, "environment", environment));

describe("The identity provider's container", () => {
  it.each([
    "IDP_EMAIL__PASSWORD",
    "IDP_TENANTS__API_KEY",
    "IDP_STORAGE__S3__ACCESS_KEY",
    "IDP_STORAGE__S3__SECURITY_TOKEN",
    "IDP_BOOTSTRAP_TOKEN",
    "IDP_BOOTSTRAP_PASSWORD_HASH",
    "OIDC_CLIENT_SECRET",
    "oidc_secret_value",
    "AUTHENTIK_EMAIL__PASSWORD",
    "IDP_POSTGRESQL__READ_REPLICAS__0__PASSWORD",
  ])("refuses a value under a name that usually holds a secret, without showing it: %s", (name) => {
    // What comes after the question mark of a reference is used if the file is missing.
    for (const value of ["unsaid", "file:///run/mail?unsaid"])
      expect(problemsOf({ [name]: value })).toEqual([
        `environment has ${JSON.stringify(name)}; such a name usually holds a secret, and variables are in plain text in the state; put the value into Secret Manager and refer to it in secret_environment_variables, or use a file:// or env:// reference`,
      ]);
  });
});
