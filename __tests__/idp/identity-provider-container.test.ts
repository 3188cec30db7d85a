import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { LIVENESS_PROBE, STARTUP_PROBE } from "../../lib/idp/contract";
import { problems } from "../../lib/core/checks";
import { ENVIRONMENT_RULES } from "../../lib/idp/environment";
import { type IdentityProviderContainerProps } from "../../lib/idp/identity-provider-container";
import { fc } from "../support/seeded-cases";
import { standInIdentityProvider } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";

const container = (overrides?: Partial<IdentityProviderContainerProps>) =>
  standInIdentityProvider(bareStack(), overrides);

const problemsOf = (environment: Readonly<Record<string, string>>) =>
  ENVIRONMENT_RULES.flatMap((rule) => problems(rule, "environment", environment));

describe("The identity provider's container", () => {
  it("logs at the given level, unless a variable overrides it", () => {
    const environmentVariables = { IDP_LOG_LEVEL: "debug" };
    const { baseline, overrides } = container({ logLevel: "warning", environmentVariables }).environment;
    expect(baseline.IDP_LOG_LEVEL).toBe("warning");
    expect(overrides).toEqual(environmentVariables);
  });

  it("changes only the given settings of a probe", () => {
    expect(
      container({ startupProbe: { initialDelaySeconds: 240 }, livenessProbe: { timeoutSeconds: 5 } }),
    ).toMatchObject({
      startupProbe: { ...STARTUP_PROBE, initialDelaySeconds: 240 },
      livenessProbe: { ...LIVENESS_PROBE, timeoutSeconds: 5 },
    });
  });

  it("accepts the startup probe that the traps recommend for a project with the older limit", () => {
    const [, block = ""] =
      /`startup_probe = \{(.*?)\}`/.exec(readFileSync(packageFile("stacks/idp-serverless.md"), "utf8")) ?? [];
    const startupProbe = Object.fromEntries(
      [...block.matchAll(/(\w+) = (\d+)/g)].map(([, key = "", value]) => [
        key.replaceAll(/_[a-z]/g, (end) => end.slice(1).toUpperCase()),
        Number(value),
      ]),
    ) as { periodSeconds: number; failureThreshold: number };
    expect(container({ startupProbe }).startupProbe).toMatchObject(startupProbe);
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeLessThanOrEqual(240);
  });

  it.each([
    ...[
      "IDP_EMAIL__PASSWORD",
      "IDP_TENANTS__API_KEY",
      "IDP_STORAGE__S3__ACCESS_KEY",
      "IDP_STORAGE__S3__SECURITY_TOKEN",
    ],
    ...["IDP_BOOTSTRAP_TOKEN", "IDP_BOOTSTRAP_PASSWORD_HASH", "OIDC_CLIENT_SECRET", "oidc_secret_value"],
    ...["AUTHENTIK_EMAIL__PASSWORD", "IDP_POSTGRESQL__READ_REPLICAS__0__PASSWORD"],
  ])("refuses a value under a name that usually holds a secret, without showing it: %s", (name) => {
    // What comes after the question mark of a reference is used if the file is missing.
    for (const value of ["unsaid", "file:///run/mail?unsaid"])
      expect(problemsOf({ [name]: value })).toEqual([
        `environment has ${JSON.stringify(name)}; such a name usually holds a secret, and variables are in plain text in the state; put the value into Secret Manager and refer to it in the secret environment variables, or use a file:// or env:// reference`,
      ]);
  });

  it.each([
    ["IDP_POSTGRESQL__SSLKEY", "/certs/client.key"],
    ["IDP_DEFAULT_TOKEN_LENGTH", "60"],
    ["SIGNING_PUBLIC_KEY", "AAAA"],
    ["CLIENT_SECRET_FILE", "/run/secret"],
    ["IDP_EMAIL__PASSWORD", "file:///run/secrets/mail"],
    ["IDP_EMAIL__PASSWORD", "env://MAIL_SECRET_ID"],
    ["IDP_EMAIL__PASSWORD", ""],
  ])("accepts a name that only looks like that of a secret, and a reference: %s = %s", (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([]);
  });

  it("accepts exactly the names that a shell accepts, except those that are set elsewhere", () => {
    const owned =
      /^((IDP|AUTHENTIK)_(SECRET_KEY|BOOTSTRAP_PASSWORD|LISTEN__HTTP|POSTGRESQL__PASSWORD)|DB_(HOST|PORT|NAME|USER|PASSWORD)|K_(CONFIGURATION|REVISION|SERVICE)|PORT)$/;
    const names = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[A-Za-z_0-9-]{0,8}$/),
      fc.constantFrom(
        ...["IDP_SECRET_KEY", "AUTHENTIK_BOOTSTRAP_PASSWORD", "DB_USER", "PORT", "K_REVISION", "IDP_POSTGRESQL__HOST"],
        ...["IDP_POSTGRESQL__PASSWORD", "AUTHENTIK_POSTGRESQL__PASSWORD"],
      ),
    );
    fc.assert(
      fc.property(names, (name) => {
        const isFine =
          /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) &&
          !name.includes("\n") &&
          !owned.test(name) &&
          !/(PASSWORD|TOKEN|KEY)$|SECRET/i.test(name);
        expect(problemsOf({ [name]: "x" }).length === 0).toBe(isFine);
      }),
    );
  });
});
