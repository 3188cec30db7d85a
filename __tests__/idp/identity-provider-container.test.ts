import { readFileSync } from "node:fs";

import { TerraformLocal, TerraformVariable, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import {
  identityProviderContainer,
  type IdentityProviderContainerProps,
} from "../../lib/idp/identity-provider-container";
import { ENVIRONMENT_RULES } from "../../lib/idp/environment-rules";
import { publicImage } from "../../lib/idp/idp-image";
import { packageFile } from "../../lib/core/package-file";
import { fc } from "../support/seeded-cases";
import { STAND_IN_MEDIA, standInDatabase, standInSecret } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

const DATABASE = standInDatabase();
const SECRETS = { secretKey: standInSecret("key"), bootstrapPassword: standInSecret("first", "2") };

const props = (overrides: Partial<IdentityProviderContainerProps> = {}): IdentityProviderContainerProps => ({
  database: DATABASE,
  image: publicImage("registry/idp:1"),
  initialization: { ready: [] },
  media: STAND_IN_MEDIA,
  secrets: SECRETS,
  resources: { cpu: "2", memory: "4Gi" },
  ...overrides,
});

const scope = new Construct(new Construct(undefined as unknown as Construct, ""), "Container");
const container = (overrides?: Partial<IdentityProviderContainerProps>) =>
  identityProviderContainer(scope, props(overrides));

const BASELINE = {
  IDP_BOOTSTRAP_EMAIL: "admin@example.com",
  IDP_DISABLE_STARTUP_ANALYTICS: "true",
  IDP_DISABLE_UPDATE_CHECK: "true",
  IDP_ERROR_REPORTING__ENABLED: "false",
  IDP_LOG_LEVEL: "info",
};

describe("The identity provider's container", () => {
  it("listens on port 9000, runs the given image, and mounts only the media bucket", () => {
    expect(container()).toMatchObject({
      image: { containerImage: "registry/idp:1" },
      port: 9000,
      tlsPort: { port: 9443, environment: { IDP_LISTEN__HTTPS: "0.0.0.0:9443" } },
      mounts: [STAND_IN_MEDIA],
      resources: { cpu: "2", memory: "4Gi" },
    });
  });

  it("has the baseline, overridden by the caller's variables and those of the database", () => {
    const environment = { IDP_LOG_LEVEL: "debug", IDP_AVATARS: "initials" };
    expect(container({ environment }).environment).toEqual({
      baseline: BASELINE,
      optional: {},
      overrides: environment,
      required: {
        IDP_LISTEN__HTTP: "0.0.0.0:9000",
        DB_PORT: "5432",
        DB_NAME: "demo_idp",
        DB_USER: "demo_role",
      },
    });
  });

  it("logs at the given level, unless a variable overrides it", () => {
    const { baseline, overrides } = container({
      logLevel: "warning",
      environment: { IDP_LOG_LEVEL: "debug" },
    }).environment;
    expect(baseline).toEqual({ ...BASELINE, IDP_LOG_LEVEL: "warning" });
    expect(overrides).toEqual({ IDP_LOG_LEVEL: "debug" });
    expect(() => container({ logLevel: "verbose" })).toThrow(
      new Error(
        'Container: 1 problem\n  - logLevel is "verbose"; it must be trace, debug, info, warning or error; use info',
      ),
    );
  });

  it("reads the three secret variables from the secret store", () => {
    expect(container().secretEnvironment).toEqual({
      IDP_SECRET_KEY: SECRETS.secretKey,
      IDP_BOOTSTRAP_PASSWORD: SECRETS.bootstrapPassword,
      DB_PASSWORD: DATABASE.password,
    });
  });

  it("leaves the database's address to the platform, and waits for the job that prepares it", () => {
    const prepared = new TerraformLocal(bareStack(), "Prepared", "yes");
    expect(container({ initialization: { ready: [prepared] } })).toMatchObject({
      database: { instance: DATABASE, hostVariable: "DB_HOST" },
      dependsOn: [prepared],
    });
  });

  it("is ready when its migrations are done, and alive when it answers", () => {
    expect(container().startupProbe).toEqual({
      path: "/-/health/ready/",
      initialDelaySeconds: 60,
      periodSeconds: 15,
      failureThreshold: 40,
      timeoutSeconds: 10,
    });
    expect(container().livenessProbe).toEqual({
      path: "/-/health/live/",
      initialDelaySeconds: 60,
      periodSeconds: 30,
      failureThreshold: 3,
      timeoutSeconds: 10,
    });
  });

  it("changes only the given settings of a probe", () => {
    expect(
      container({ startupProbe: { initialDelaySeconds: 240 }, livenessProbe: { timeoutSeconds: 5 } }),
    ).toMatchObject({
      startupProbe: { initialDelaySeconds: 240, periodSeconds: 15, path: "/-/health/ready/" },
      livenessProbe: { timeoutSeconds: 5, periodSeconds: 30, path: "/-/health/live/" },
    });
  });

  it("accepts probes at the platform's limits", () => {
    const startupProbe = { initialDelaySeconds: 240, periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 60 };
    expect(container({ startupProbe }).startupProbe).toMatchObject(startupProbe);
    const quickest = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1 };
    expect(container({ startupProbe: quickest, livenessProbe: quickest })).toMatchObject({
      startupProbe: quickest,
      livenessProbe: quickest,
    });
    const slowest = { periodSeconds: 240, failureThreshold: 2 };
    expect(container({ startupProbe: slowest }).startupProbe).toMatchObject(slowest);
    const livenessProbe = { initialDelaySeconds: 3600, periodSeconds: 3600, timeoutSeconds: 3600 };
    expect(container({ livenessProbe }).livenessProbe).toMatchObject(livenessProbe);
  });

  it("accepts the startup probe that the traps recommend for a project with the older limit", () => {
    const [, name, block = ""] =
      /`startup_probe = (\{(.*?)\})`/.exec(readFileSync(packageFile("stacks/idp-serverless.md"), "utf8")) ?? [];
    expect(name).toBeDefined();
    const startupProbe = Object.fromEntries(
      block
        .split(",")
        .map((entry) => entry.split("=").map((part) => part.trim()))
        .map(([key = "", value]) => [key.replaceAll(/_[a-z]/g, (end) => end.slice(1).toUpperCase()), Number(value)]),
    ) as { periodSeconds: number; failureThreshold: number };
    expect(container({ startupProbe }).startupProbe).toMatchObject(startupProbe);
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeLessThanOrEqual(240);
  });

  it.each([
    "/if/admin/",
    "/-/health",
    "/-/health/",
    "/-/healthy/",
    "/-/health/ready",
    "/-/health/../if/admin/",
    "/-/health/./ready/",
    "/-/health//ready/",
    "/-/health/%2e%2e/if/admin/",
    "/-/health/ready/?next=/if/admin/",
    "-/health/ready/",
    "",
  ])("refuses the probe path '%s', which is not a health page or resolves to another one", (path) => {
    expect(() => container({ livenessProbe: { path } })).toThrow(
      brokenRules("Container", [
        `livenessProbe.path is ${JSON.stringify(path)}; it must be under /-/health/, without . or .. segments and with a slash at the end, because other pages answer 401 or 403 to a prober without credentials and the instance would never be ready; use /-/health/ready/ or /-/health/live/`,
      ]),
    );
  });

  it("refuses probes that could never pass, each with its reason", () => {
    const both = "because Cloud Run refuses others, and both platforms get the same probes";
    const broken = () =>
      container({
        startupProbe: { path: "/if/admin/", initialDelaySeconds: 241, periodSeconds: 5, failureThreshold: 121 },
        livenessProbe: { path: "/api/v3/", initialDelaySeconds: 3601, periodSeconds: 4000, timeoutSeconds: 4001 },
      });
    expect(broken).toThrow(
      brokenRules("Container", [
        'startupProbe.path is "/if/admin/"; it must be under /-/health/, without . or .. segments and with a slash at the end, because other pages answer 401 or 403 to a prober without credentials and the instance would never be ready; use /-/health/ready/ or /-/health/live/',
        `startupProbe.initialDelaySeconds is 241; it must be a whole number from 0 to 240, ${both}; use 60`,
        "startupProbe.timeoutSeconds is 10; it must be a whole number from 1 to startupProbe.periodSeconds, which is 5, because the platform refuses probes that overlap; change one of the two",
        'livenessProbe.path is "/api/v3/"; it must be under /-/health/, without . or .. segments and with a slash at the end, because other pages answer 401 or 403 to a prober without credentials and the instance would never be ready; use /-/health/ready/ or /-/health/live/',
        `livenessProbe.initialDelaySeconds is 3601; it must be a whole number from 0 to 3600, ${both}; use 60`,
        `livenessProbe.periodSeconds is 4000; it must be a whole number from 1 to 3600, ${both}; use 30`,
        "livenessProbe.timeoutSeconds is 4001; it must be a whole number from 1 to livenessProbe.periodSeconds, which is 4000, because the platform refuses probes that overlap; change one of the two",
        "startupProbe.periodSeconds × startupProbe.failureThreshold is 5 s × 121 = 605 s; it must not exceed 600 s, because Cloud Run refuses more, and both platforms get the same probes; lower one of the two",
      ]),
    );
  });

  const NUMBERS = [
    ["initialDelaySeconds", -1, "from 0 to 240"],
    ["initialDelaySeconds", 0.5, "from 0 to 240"],
    ["periodSeconds", 241, "from 1 to 240"],
    ["periodSeconds", 0, "from 1 to 240"],
    ["periodSeconds", 10.5, "from 1 to 240"],
    ["timeoutSeconds", 0, "from 1 to startupProbe.periodSeconds, which is 15"],
    ["timeoutSeconds", Number.NaN, "from 1 to startupProbe.periodSeconds, which is 15"],
    ["failureThreshold", 0, "from 1"],
    ["failureThreshold", 1.5, "from 1"],
  ] as const;

  it.each(NUMBERS)("refuses %s %d, and accepts the value that the message suggests", (field, value, range) => {
    const settings = { failureThreshold: 2, [field]: value };
    let message = "";
    try {
      container({ startupProbe: settings });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`startupProbe.${field} is ${value}; it must be a whole number ${range}`);
    const [, advised = "5"] = /use (\d+)$/m.exec(message) ?? [];
    expect(() => container({ startupProbe: { ...settings, [field]: Number(advised) } })).not.toThrow();
  });

  it("refuses variables that are secrets, set by the platform or not valid names, and says where each belongs", () => {
    const environment = {
      IDP_SECRET_KEY: "unsaid",
      IDP_BOOTSTRAP_PASSWORD: "unsaid",
      AUTHENTIK_SECRET_KEY: "unsaid",
      DB_PASSWORD: "unsaid",
      IDP_POSTGRESQL__PASSWORD: "unsaid",
      AUTHENTIK_POSTGRESQL__PASSWORD: "unsaid",
      DB_HOST: "unsaid",
      K_SERVICE: "unsaid",
      PORT: "unsaid",
      "IDP LOG": "unsaid",
      "9LIVES": "unsaid",
    };
    const broken = () => container({ environment });
    expect(broken).toThrow(
      brokenRules("Container", [
        'environment has "IDP LOG", "9LIVES"; a name must be letters, digits and underscores and must not start with a digit, because shells drop others; rename it',
        'environment has "IDP_SECRET_KEY", "AUTHENTIK_SECRET_KEY"; it is generated once and read from the secret store, because variables are in plain text in the state; leave it out',
        'environment has "IDP_BOOTSTRAP_PASSWORD"; it is read from the secret store, because variables are in plain text in the state; set it as the bootstrap password',
        'environment has "DB_PASSWORD", "IDP_POSTGRESQL__PASSWORD", "AUTHENTIK_POSTGRESQL__PASSWORD"; it is generated and read from the secret store, because variables are in plain text in the state; leave it out; for a role in another database, use the password in the secret that ends in database-password',
        'environment has "DB_HOST"; it is set to the database of this deployment, the only one that is prepared; leave it out, or set the matching IDP_POSTGRESQL__ variable to use another database',
        'environment has "K_SERVICE", "PORT"; the platform sets it to the port on which the container listens, and refuses another value; leave it out',
      ]),
    );
    expect(broken).not.toThrow(/unsaid/);
  });

  it.each([
    ["IDP_EMAIL__PASSWORD", "IDP_TENANTS__API_KEY", "IDP_STORAGE__S3__ACCESS_KEY", "IDP_STORAGE__S3__SECURITY_TOKEN"],
    ["IDP_BOOTSTRAP_TOKEN", "IDP_BOOTSTRAP_PASSWORD_HASH", "OIDC_CLIENT_SECRET", "oidc_secret_value"],
    ["AUTHENTIK_EMAIL__PASSWORD", "IDP_POSTGRESQL__READ_REPLICAS__0__PASSWORD"],
  ])("refuses a value under a name that usually holds a secret, without showing it: %s", (...names) => {
    const environment = Object.fromEntries(names.map((name) => [name, "unsaid"]));
    expect(() => container({ environment })).toThrow(
      new Error(
        `Container: 1 problem\n  - environment has ${names.map((name) => JSON.stringify(name)).join(", ")}; such a name usually holds a secret, and variables are in plain text in the state; put the value into Secret Manager and refer to it in the secret environment variables, or use a file:// or env:// reference`,
      ),
    );
  });

  it.each([
    ["IDP_POSTGRESQL__SSLKEY", "/certs/client.key"],
    ["IDP_POSTGRESQL__READ_REPLICAS__0__SSLKEY", "/certs/client.key"],
    ["IDP_DEFAULT_TOKEN_LENGTH", "60"],
    ["IDP_DEFAULT_TOKEN_DURATION", "minutes=30"],
    ["SIGNING_PUBLIC_KEY", "AAAA"],
    ["CLIENT_SECRET_FILE", "/run/secret"],
    ["OIDC_CLIENT_SECRET_EXPIRY", "days=30"],
    ["IDP_EMAIL__PASSWORD", "file:///run/secrets/mail"],
    ["IDP_EMAIL__PASSWORD", "env://MAIL_SECRET_ID"],
    ["IDP_EMAIL__PASSWORD", ""],
  ])("accepts a name that only looks like that of a secret, and a reference: %s = %s", (name, value) => {
    expect(container({ environment: { [name]: value } }).environment.overrides).toEqual({ [name]: value });
  });

  it("treats the text after the question mark of a reference as a secret, because it is used if the file is missing", () => {
    expect(() => container({ environment: { IDP_EMAIL__PASSWORD: "file:///run/mail?unsaid" } })).toThrow(
      /has "IDP_EMAIL__PASSWORD"; such a name usually holds a secret/,
    );
  });

  it("leaves variables known only to Terraform to its checks", () => {
    const input = new TerraformVariable(bareStack(), "variables", { type: "map(string)" }).value as IResolvable;
    expect(container({ environment: input }).environment.overrides).toBe(input);
  });

  it("accepts exactly the names that a shell accepts, except those that are set elsewhere", () => {
    const owned =
      /^((IDP|AUTHENTIK)_(SECRET_KEY|BOOTSTRAP_PASSWORD|LISTEN__HTTP|POSTGRESQL__PASSWORD)|DB_(HOST|PORT|NAME|USER|PASSWORD)|K_(CONFIGURATION|REVISION|SERVICE)|PORT)$/;
    const names = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[A-Za-z_0-9-]{0,8}$/),
      fc.constantFrom(
        "IDP_SECRET_KEY",
        "AUTHENTIK_BOOTSTRAP_PASSWORD",
        "DB_USER",
        "PORT",
        "K_REVISION",
        "IDP_POSTGRESQL__HOST",
        "IDP_POSTGRESQL__PASSWORD",
        "AUTHENTIK_POSTGRESQL__PASSWORD",
      ),
    );
    fc.assert(
      fc.property(names, (name) => {
        const isFine =
          /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) &&
          !name.includes("\n") &&
          !owned.test(name) &&
          !/(PASSWORD|TOKEN|KEY)$|SECRET/i.test(name);
        const problems = ENVIRONMENT_RULES.flatMap((rule) => rule.problemsOf("environment", { [name]: "x" }));
        expect(problems.length === 0).toBe(isFine);
      }),
    );
  });
});
