import { TerraformLocal, type TerraformStack, TerraformVariable } from "cdktf";
import { type Construct } from "constructs";

import {
  DbInit,
  GeneratedSecret,
  IdpImage,
  IdpSecrets,
  ImageRegistry,
  MediaBucket,
  PostgresqlDatabase,
  ProjectApis,
  RulesBrokenError,
  ServerlessIdentityProvider,
  ServerlessJobs,
  ServerlessService,
  ServiceIdentity,
} from "../../lib";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { AssessmentLab } from "../../lib/lab";
import { bareStack, warningsOf } from "../support/synthesis";

type Make = (scope: Construct, props: object) => unknown;
type Constructor = new (scope: Construct, id: string, props: object) => unknown;

const made =
  (constructor: unknown): Make =>
  (scope, props) =>
    new (constructor as Constructor)(scope, "Made", props);

const PROVIDERS = { ServerlessIdentityProvider, KubernetesIdentityProvider };
const WITH_PROJECT = { ...PROVIDERS, AssessmentLab };
const PARTS = {
  DbInit,
  GeneratedSecret,
  IdpImage,
  IdpSecrets,
  ImageRegistry,
  MediaBucket,
  PostgresqlDatabase,
  ProjectApis,
  ServerlessService,
  ServiceIdentity,
};

const eachOf = (classes: object): [string, Make][] =>
  Object.entries(classes).map(([name, constructor]) => [name, made(constructor)]);

const EVERY = [
  ...eachOf({ ...WITH_PROJECT, ...PARTS }),
  ["ServerlessJobs", (_: Construct, props: object) => new ServerlessJobs(props as never)] as [string, Make],
];

/** What a construct says of its props. */
function problemsOf(make: Make, props: unknown, prepare: (stack: TerraformStack) => object = () => ({})): string[] {
  const stack = bareStack();
  const prepared = prepare(stack);
  try {
    make(stack, props === undefined ? (undefined as never) : { ...(props as object), ...prepared });
  } catch (error) {
    if (!(error instanceof RulesBrokenError)) throw error;
    return [...error.failures];
  }
  return [];
}

const PROJECT = { projectId: "demo-project" };

describe.each(EVERY)("The props of %s", (_, make) => {
  it("that are missing altogether are asked for by name", () => {
    expect(problemsOf(make, undefined).join()).toContain("is missing; ");
  });

  it("are refused if it has none of that name", () => {
    expect(problemsOf(make, { nonsense: true })).toContain(
      "nonsense is no prop; it would have no effect; correct or remove it",
    );
  });
});

describe.each(eachOf(PARTS))("The context of %s", (name, make) => {
  const hasContext = name !== "DbInit" && name !== "GeneratedSecret" && name !== "ProjectApis";
  it("is asked for, also its parts", () => {
    if (!hasContext) return;
    expect(problemsOf(make, {})).toContain("context is missing; it has no default; set it");
    expect(problemsOf(make, { context: { region: "us-central1" } })).toEqual(
      expect.arrayContaining([
        "context.projectId is missing; it has no default; set it",
        "context.deployment is missing; it has no default; set it",
      ]),
    );
  });
});

describe.each(eachOf(WITH_PROJECT))("The inputs of %s", (name, make) => {
  it("are refused all at once, with the nearest name for a misspelt one", () => {
    const misspelt = { aplicationVersion: "2026.5.1", project_id: "demo-project", regoin: "us-central1", Labels: {} };
    const nearest =
      name === "AssessmentLab" ? "it would have no effect; correct or remove it" : "did you mean applicationVersion?";
    expect(problemsOf(make, misspelt)).toEqual([
      expect.stringMatching(/^aplicationVersion is no prop; /),
      "project_id is no prop; did you mean projectId?",
      "regoin is no prop; did you mean region?",
      "Labels is no prop; did you mean labels?",
    ]);
    expect(problemsOf(make, misspelt)[0]).toContain(nearest);
  });

  it("must be values, not the elements of the stack that have one", () => {
    const elements = (stack: TerraformStack) => ({
      labels: { team: new TerraformVariable(stack, "team", { type: "string" }) },
      projectId: new TerraformVariable(stack, "project", { type: "string" }),
      region: new TerraformLocal(stack, "region", "us-central1"),
    });
    expect(problemsOf(make, {}, elements)).toEqual([
      "projectId is the variable project; it must be its value; pass variable.stringValue",
      "region is the local region; it must be its value; pass local.asString",
      'labels["team"] is the variable team; it must be its value; pass variable.stringValue',
    ]);
  });

  it("must be values inside of an object with rules of its own too", () => {
    if (name === "AssessmentLab") return;
    const elements = (stack: TerraformStack) => ({
      kmsKeys: { default: new TerraformVariable(stack, "key", { type: "string" }) },
    });
    expect(problemsOf(make, { projectId: "demo-project" }, elements)).toEqual([
      "kmsKeys.default is the variable key; it must be its value; pass variable.stringValue",
    ]);
  });
});

describe.each(eachOf(PROVIDERS))("Values of %s", (_, make) => {
  it("in objects are refused by their names, of members and of entries", () => {
    const wrong = {
      smtp: { host: "smtp.example.com", from: "idp@example.com", pasword_secret: { secretId: "smtp", version: 1 } },
      secretEnvironmentVariables: { IDP_X: { secretID: "x", version: true } },
      network: { network: "projects/p/global/networks/n", subnet: "s" },
    };
    expect(problemsOf(make, { ...PROJECT, ...wrong })).toEqual([
      "network.subnet is no prop; did you mean network.subnetwork?",
      'secretEnvironmentVariables["IDP_X"].secretID is no prop; did you mean secretEnvironmentVariables["IDP_X"].secretId?',
      "smtp.pasword_secret is no prop; did you mean smtp.passwordSecret?",
    ]);
  });

  it("are refused by names of props, also those that a rule tells to set", () => {
    const wrong = {
      alerts: { "database-cpu": { durationSeconds: 30 } },
      environmentVariables: { IDP_SECRET_KEY: "x", AUTHENTIK_BOOTSTRAP_PASSWORD: "x", IDP_POSTGRESQL__USE_POOL: "x" },
      existingDatabase: { connectionName: "a:us-central1:b", database: "idp", user: "idp" },
    };
    const texts = problemsOf(make, { ...PROJECT, ...wrong });
    expect(texts).toContainEqual(expect.stringContaining("in existingSecrets.secretKey"));
    expect(texts).toContainEqual(
      expect.stringContaining("set bootstrapPassword, or existingSecrets.bootstrapPassword"),
    );
    expect(texts).toContainEqual(expect.stringContaining("durationSeconds 30"));
    expect(texts).toContainEqual(
      expect.stringMatching(/^existingDatabase[.]passwordSecret is missing;.*[{] secretId, /),
    );
    expect(texts.join("\n")).not.toMatch(/\b(secret_|bootstrap_|duration_)/);
  });

  it("under names of other tools are refused with the inputs that they mean", () => {
    const others = {
      databaseHa: true,
      maxInstances: 2,
      redisHost: "10.0.0.3",
      smtpPassword: "x",
      smtp: { host: "smtp.example.com", from: "idp@example.com", password: "x", tls: true },
      backups: { retention: 7 },
    };
    expect(problemsOf(make, { ...PROJECT, ...others })).toEqual([
      "databaseHa is no prop; did you mean databaseAvailability?",
      "maxInstances is no prop; did you mean maxInstanceCount?",
      "redisHost is no prop; there is no Redis, because cache, sessions and tasks are in the database; remove it",
      "smtpPassword is no prop; the password stays in Secret Manager, never in a file; name its secret in smtp.passwordSecret",
      "smtp.password is no prop; the password stays in Secret Manager, never in a file; name its secret in smtp.passwordSecret",
      "smtp.tls is no prop; did you mean smtp.encryption?",
      "backups.retention is no prop; did you mean backups.retentionCount?",
    ]);
  });

  it("of a network that are inputs of their own are refused by name", () => {
    const network = {
      network: "projects/p/global/networks/n",
      subnetwork: "projects/p/regions/us-central1/subnetworks/s",
      egress: "ALL_TRAFFIC",
      tags: ["team"],
    };
    expect(problemsOf(make, { ...PROJECT, network })).toEqual([
      expect.stringMatching(
        /^network[.]egress is no prop of an identity provider; .*; (set vpcEgress instead|remove it)$/,
      ),
      "network.tags is no prop of an identity provider; it would have no effect; set networkTags instead",
    ]);
  });

  it("that are objects known at plan only are refused where their parts decide at synth", () => {
    const network = (stack: TerraformStack) => ({
      network: new TerraformVariable(stack, "net", { type: "any" }).value as unknown,
    });
    expect(problemsOf(make, PROJECT, network)).toEqual([expect.stringContaining("network is a reference; ")]);
  });

  it("of another type are refused by name, without those of variables", () => {
    const wrong = {
      databaseTier: 5,
      environmentVariables: { IDP_X: 5, IDP_Y: undefined, IDP_Z: null, IDP_FINE: "yes" },
      labels: "team",
      maxInstanceCount: "many",
      minInstanceCount: "1",
      secretLocations: "us-central1",
      smtp: [],
      uptimeCheck: "true",
    };
    expect(problemsOf(make, { ...PROJECT, ...wrong })).toEqual([
      'secretLocations is "us-central1", a string; it must be a list; write ["us-central1"]',
      "labels is a string; it must be an object; write { <name>: … }",
      'environmentVariables["IDP_X"] is a number; it must be a string; put it in quotes',
      'environmentVariables["IDP_Z"] is null; it must be a string; write a text in quotes',
      "smtp is a list; it must be an object with host and from, and optionally port, username, encryption, passwordSecret and timeout; write { host: …, from: … }",
      "databaseTier is 5, a number; it must be a string; put it in quotes",
      'minInstanceCount is "1", a string; it must be a number; write it without quotes',
      'maxInstanceCount is "many", a string; it must be a number; write one, such as 3',
      'uptimeCheck is "true", a string; it must be a boolean; write it without quotes',
    ]);
  });
});

describe("Names of variables that nothing reads", () => {
  const unread = (make: Make, props: object) => {
    const stack = bareStack();
    make(stack, { ...PROJECT, ...props });
    return warningsOf(stack).filter((text) => String(text).includes("reads such a name"));
  };

  it.each(eachOf(PROVIDERS))("are warned of at synth: %s", (_, make) => {
    const plain = { LOG_LEVEL: "debug", no_proxy: "internal", AUTHENTIK_X: "1", HOST: "a", IDP_Y: "env://HOST?b" };
    const secret = { PASSWORD: { secretId: "smtp", version: 1 } };
    const names = unread(make, { environmentVariables: plain, secretEnvironmentVariables: secret });
    expect(names.map((text) => String(text).split(";")[0])).toEqual([
      "environmentVariables or secretEnvironmentVariables has LOG_LEVEL, PASSWORD",
    ]);
  });
});

describe("What one literal is enough to tell", () => {
  const reference = { secretId: "smtp", version: "latest" };
  const secrets = { secretEnvironmentVariables: { IDP_X: reference }, existingSecrets: { secretKey: reference } };
  const smtp = { host: "smtp.example.com", from: "idp@example.com", username: "idp", passwordSecret: reference };
  const named = (...names: string[]) => names.map((name): unknown => expect.stringMatching(new RegExp(`^${name} `)));

  it.each(eachOf(PROVIDERS))("is refused at synth: secrets, tags and ranges of %s", (_, make) => {
    const wrong = { ...secrets, smtp, networkTags: ["Sign-in"], protection: { trustedRanges: ["203.0.113.7/24"] } };
    const places = ["secretEnvironmentVariables", "smtp.passwordSecret", "networkTags", "existingSecrets.secretKey"];
    expect(problemsOf(make, { ...PROJECT, ...wrong })).toEqual(
      expect.arrayContaining(named(...places, "protection.trustedRanges has")),
    );
  });

  it("is refused at synth: ranges, groups and namespaces on GKE", () => {
    const wrong = {
      outposts: { ranges: ["10.0.0.0/7"] },
      authorizedNetworks: { office: "203.0.113.7/24" },
      clusterHardening: { securityGroup: "admins@example.com" },
      existingNamespace: { name: "Sign-in" },
    };
    expect(problemsOf(made(KubernetesIdentityProvider), { ...PROJECT, ...wrong })).toEqual(
      expect.arrayContaining(named("outposts.ranges", "authorizedNetworks", "clusterHardening", "existingNamespace")),
    );
  });

  it("is refused at synth: ranges of the lab", () => {
    const wrong = { internalTrafficCidr: "10.128.0.1/9", sourceRanges: { rdp: ["203.0.113.7"] } };
    expect(problemsOf(made(AssessmentLab), { ...PROJECT, ...wrong })).toEqual(
      named("internalTrafficCidr", "sourceRanges.rdp"),
    );
  });
});
