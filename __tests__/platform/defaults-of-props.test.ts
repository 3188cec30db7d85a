import { readFileSync } from "node:fs";

import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";
import { Token } from "cdktf";

import { expression } from "../../lib/core/expr/terraform-text";
import { type GrantLimits, type WorkloadIdentity } from "../../lib/core/identity";
import { packageFile } from "../../lib/core/package-file";
import { ExistingSecret, type ExistingSecretProps } from "../../lib/core/secrets/existing-secret";
import { GeneratedSecret, type GeneratedSecretProps } from "../../lib/core/secrets/generated-secret";
import { addScript } from "../../lib/core/stack-file";
import { type ContainerSpec } from "../../lib/idp/container-spec";
import { DbInit, type DbInitProps } from "../../lib/idp/db-init";
import { IdpImage, type IdpImageProps } from "../../lib/idp/idp-image";
import { IdpSecrets, type IdpSecretsProps } from "../../lib/idp/idp-secrets";
import { type JobSpec } from "../../lib/idp/job-runner";
import { MediaBucket, type MediaBucketProps } from "../../lib/idp/media-bucket";
import { type SqlInstance } from "../../lib/idp/parts";
import { UpgradeBackup } from "../../lib/idp/upgrade-backup";
import { AssessmentLab } from "../../lib/lab/assessment-lab";
import { type AwsCredentials } from "../../lib/lab/lab-inputs";
import { ServiceIdentity, type ServiceIdentityProps } from "../../lib/platform/identity/service-identity";
import { addMaintenancePolicy, type Maintenance } from "../../lib/platform/maintenance";
import { Monitoring, type MonitoringProps } from "../../lib/platform/monitoring/monitoring";
import { type NetworkAttachment } from "../../lib/platform/network/network-attachment";
import { ImageRegistry, type ImageRegistryProps } from "../../lib/platform/registry/image-registry";
import { ServerlessJobs } from "../../lib/platform/serverless/cloud-run-jobs";
import { ServerlessService, type ServerlessServiceProps } from "../../lib/platform/serverless/serverless-service";
import { PostgresqlDatabase, type PostgresqlDatabaseProps } from "../../lib/platform/sql/postgresql-database";
import { withoutMetadata } from "../stacks/serverless-stack";
import {
  apisIn,
  CONTEXT,
  STAND_IN_REPOSITORY,
  STAND_IN_SERVER,
  standInDatabase,
  standInIdentity,
  standInIdentityProvider,
} from "../support/stand-in-parts";
import { type BareStack, bareStack, terraformOf } from "../support/synthesis";
import { sourceFiles } from "../tools/source-files";

/** A construct with what it needs, and props that a row adds. */
type Build<Props> = (stack: BareStack, props: Partial<Props>) => void;

/** A prop that may be left out: the path of its name, what that means, another value, and the props around it. */
type Row<Props> = readonly [path: string, usual: unknown, other: unknown, around?: Partial<Props>];

interface Defaults {
  readonly file: string;
  readonly of: string;
  readonly given: (stack: BareStack, props: object) => void;
  readonly rows: readonly Row<object>[];
}

const defaultsOf = <Props extends object>(
  of: string,
  file: string,
  build: Build<Props>,
  rows: readonly Row<Props>[],
): Defaults => ({ of, file, given: build, rows: rows });

const ADDRESS = { ...STAND_IN_SERVER.address, domain: "login.example.com" };
const PURPOSE = { context: CONTEXT, purpose: "run", description: "Runs." };
const NETWORK = { network: "projects/demo/global/networks/a", subnetwork: "projects/demo/regions/us-central1/a" };
const EXISTING_DATABASE = {
  connectionName: "shared:us-central1:postgres",
  database: "app",
  user: "app",
  passwordSecret: { secretId: "app-password", version: 1 },
};

/** A part that exists is given, and the part of its own is deleted or never made. */
const ofExisting = (existing: object): readonly Row<{ existing: object }>[] => [
  ["existing.enabled", true, false, { existing }],
  ["existing.own", "deleted", "kept", { existing }],
];

const DEFAULTS: readonly Defaults[] = [
  defaultsOf<PostgresqlDatabaseProps>(
    "PostgresqlDatabase",
    "lib/platform/sql/postgresql-database.ts",
    (stack, props) => {
      const database = new PostgresqlDatabase(stack, "Part", { context: CONTEXT, ...props });
      database.grantConnect(new ServiceIdentity(stack, "Runtime", PURPOSE));
    },
    [
      ...(ofExisting(EXISTING_DATABASE) as Row<PostgresqlDatabaseProps>[]),
      ["administratorPasswordVersion", 1, 2],
      ["availability", "ZONAL", "REGIONAL"],
      ["conditionalAccess", true, false],
      ["stopped", false, true],
      ["deletionProtection", true, false],
      [
        "denyMaintenancePeriod.enabled",
        true,
        false,
        { denyMaintenancePeriod: { startDate: "2026-12-01", endDate: "2026-12-31" } },
      ],
      ["backups.finalDays", 30, 31],
      ["maintenanceWindow.day", 7, 1, { maintenanceWindow: { enabled: true } }],
      ["maintenanceWindow.hour", 3, 4, { maintenanceWindow: { enabled: true } }],
      ["maintenanceWindow.track", "stable", "week5", { maintenanceWindow: { enabled: true } }],
      ["recordsPasswordVersion", false, true],
      ["tier", "db-custom-1-3840", "db-custom-2-7680"],
      ["version", 15, 17],
    ],
  ),
  defaultsOf<Maintenance>(
    "the maintenance of a cluster",
    "lib/platform/maintenance.ts",
    (stack, props) => {
      addMaintenancePolicy(new ContainerCluster(stack, "Part", { name: "a", location: "us-central1" }), props);
    },
    [
      ["maintenanceWindow.enabled", true, false, { maintenanceWindow: { day: 1 } }],
      [
        "denyMaintenancePeriod.enabled",
        true,
        false,
        {
          maintenanceWindow: { day: 1 },
          denyMaintenancePeriod: { startDate: "2026-12-01", endDate: "2026-12-31" },
        },
      ],
    ],
  ),
  defaultsOf<MediaBucketProps>(
    "MediaBucket",
    "lib/idp/media-bucket.ts",
    (stack, props) => {
      const bucket = new MediaBucket(stack, "Part", { context: CONTEXT, ...props });
      bucket.grantReadWrite(new ServiceIdentity(stack, "Runtime", PURPOSE));
    },
    [
      ...(ofExisting({ name: "acme-uploads" }) as Row<MediaBucketProps>[]),
      ["deletionProtection", true, false],
      ["softDeleteDays", 7, 30],
      ["turboReplication", false, true, { secondRegion: "us-east1" }],
    ],
  ),
  defaultsOf<ImageRegistryProps>(
    "ImageRegistry",
    "lib/platform/registry/image-registry.ts",
    (stack, props) => {
      const apis = apisIn(stack, "artifactregistry", "cloudbuild", "iam", "logging");
      new ImageRegistry(stack, "Part", { context: CONTEXT, apis, ...props });
    },
    ofExisting({ imagePrefix: "us-docker.pkg.dev/shared/idp", location: "us" }),
  ),
  defaultsOf<ServiceIdentityProps>(
    "ServiceIdentity",
    "lib/platform/identity/service-identity.ts",
    (stack, props) => {
      new ServiceIdentity(stack, "Part", { ...PURPOSE, ...props }).grantOnProject("Role", "roles/logging.logWriter");
    },
    [
      ...(ofExisting({ email: "own@demo-project.iam.gserviceaccount.com" }) as Row<ServiceIdentityProps>[]),
      ["condition", true, false],
    ],
  ),
  defaultsOf<GeneratedSecretProps>(
    "GeneratedSecret",
    "lib/core/secrets/generated-secret.ts",
    (stack, props) => {
      const needed = { projectId: CONTEXT.projectId, secretId: "part", length: 32 };
      new GeneratedSecret(stack, "Part", { ...needed, ...props });
    },
    [
      ...(ofExisting({ secretId: "former", version: 1 }) as Row<GeneratedSecretProps>[]),
      ["condition", true, false],
      ["deletionProtection", true, false],
      ["writeVersion", 1, 2],
    ],
  ),
  defaultsOf<IdpSecretsProps>(
    "IdpSecrets",
    "lib/idp/idp-secrets.ts",
    (stack, props) => {
      new IdpSecrets(stack, "Part", { context: CONTEXT, ...props });
    },
    [
      ["secretKeyVersion", 1, 2],
      ["bootstrapToken", false, true],
      ["blueprints", [], ["ldap"]],
      ["signInProbe", false, true],
      ["deletionProtection", true, false],
      ["existing.secretKey.enabled", true, false, { existing: { secretKey: { secretId: "former", version: 1 } } }],
    ],
  ),
  defaultsOf<IdpImageProps>(
    "IdpImage",
    "lib/idp/idp-image.ts",
    (stack, props) => {
      new IdpImage(stack, "Part", { context: CONTEXT, repository: STAND_IN_REPOSITORY, ...props });
    },
    [
      ["applicationVersion", "latest", "2026.2.1"],
      ["buildLocation", "global", "europe-west1"],
      ["upstreamImage", "ghcr.io/goauthentik/server", "host/server"],
      ["upstreamPrefix", "AUTHENTIK_", "OTHER_"],
    ],
  ),
  defaultsOf<DbInitProps>(
    "DbInit",
    "lib/idp/db-init.ts",
    (stack, props) => {
      const runner = new ServerlessJobs({ context: CONTEXT, identity: standInIdentity() });
      new DbInit(stack, "Part", { database: standInDatabase(), runner, ...props });
    },
    [
      ["grantManagedSuperuser", true, false],
      ["revokePublicConnect", true, false],
    ],
  ),
  defaultsOf<{ enabled: boolean }>(
    "UpgradeBackup",
    "lib/idp/upgrade-backup.ts",
    (stack, props) => {
      const needed = { database: standInDatabase(), projectId: CONTEXT.projectId, release: "2026.5.4" };
      new UpgradeBackup(stack, "Part", { ...needed, ...props });
    },
    [["enabled", true, false]],
  ),
  defaultsOf<ServerlessServiceProps>(
    "ServerlessService",
    "lib/platform/serverless/serverless-service.ts",
    (stack, props) => {
      const needed = { context: CONTEXT, identity: standInIdentity(), container: standInIdentityProvider(stack) };
      new ServerlessService(stack, "Part", { ...needed, ...props });
    },
    [
      ["closeDefaultAddress", false, true],
      ["cpuAlwaysAllocated", true, false],
      ["maxInstanceCount", 3, 4],
      ["maxInstanceRequestConcurrency", 36, 41],
      ["minInstanceCount", 1, 0],
      ["publicAccess", true, false],
      ["requestTimeoutSeconds", 3600, 600],
    ],
  ),
  defaultsOf<MonitoringProps>(
    "Monitoring",
    "lib/platform/monitoring/monitoring.ts",
    (stack, props) => {
      new Monitoring(stack, "Part", {
        context: CONTEXT,
        apis: apisIn(stack, "logging", "monitoring", "secretmanager"),
        alertEmails: ["admin@example.com"],
        ...STAND_IN_SERVER,
        identities: [standInIdentity()],
        address: ADDRESS,
        ...props,
      });
    },
    [
      ["secretReadLog.enabled", false, true],
      ["address.certificateValidation", "dns", "load-balancer", { address: ADDRESS }],
      ["dashboard", true, false],
    ],
  ),
  defaultsOf<NetworkAttachment>(
    "the network of ServerlessService",
    "lib/platform/network/network-attachment.ts",
    (stack, props) => {
      const needed = { context: CONTEXT, identity: standInIdentity(), container: standInIdentityProvider(stack) };
      new ServerlessService(stack, "Part", { ...needed, network: { ...NETWORK, ...props } });
    },
    [["egress", "PRIVATE_RANGES_ONLY", "ALL_TRAFFIC"]],
  ),
  defaultsOf<ContainerSpec>(
    "the container of ServerlessService",
    "lib/idp/container-spec.ts",
    (stack, props) => {
      const container = { ...standInIdentityProvider(stack), canIdle: undefined, ...props };
      // Not known at synthesis, so that the configuration has the warnings of a worker that idles.
      const minInstanceCount = Token.asNumber(expression("var.min_instance_count"));
      new ServerlessService(stack, "Part", {
        context: CONTEXT,
        identity: standInIdentity(),
        container,
        minInstanceCount,
      });
    },
    [["canIdle", false, true]],
  ),
  defaultsOf<ExistingSecretProps>(
    "ExistingSecret",
    "lib/core/secrets/existing-secret.ts",
    (stack, props) => {
      const needed = { projectId: CONTEXT.projectId, secretId: "former", version: 1 };
      new ExistingSecret(stack, "Part", { ...needed, ...props }).grantAccess(standInIdentity());
    },
    [["condition", true, false]],
  ),
  defaultsOf<WorkloadIdentity>(
    "an identity that is granted a bucket",
    "lib/core/identity.ts",
    (stack, props) => {
      new MediaBucket(stack, "Part", { context: CONTEXT }).grantReadWrite(standInIdentity("Runtime", props));
    },
    [["condition", true, false]],
  ),
  defaultsOf<GrantLimits>(
    "the limits of a grant on the project",
    "lib/core/identity.ts",
    (stack, props) => {
      new ServiceIdentity(stack, "Part", PURPOSE).grantOnProject("Role", "roles/logging.logWriter", props);
    },
    [["condition", true, false]],
  ),
  defaultsOf<JobSpec>(
    "a job",
    "lib/idp/job-runner.ts",
    (stack, props) => {
      new ServerlessJobs({ context: CONTEXT, identity: standInIdentity() }).runOnce(stack, "Part", {
        name: "part",
        container: standInIdentityProvider(stack),
        maxRetries: 1,
        timeoutSeconds: 60,
        script: addScript(stack, "lib/idp/scripts/db-init.sh"),
        scriptName: "db-init.sh",
        rerunWhenChanged: {},
        ...props,
      });
    },
    [["condition", true, false]],
  ),
  defaultsOf<SqlInstance>(
    "the database of DbInit",
    "lib/idp/parts.ts",
    (stack, props) => {
      const runner = new ServerlessJobs({ context: CONTEXT, identity: standInIdentity() });
      new DbInit(stack, "Part", { database: standInDatabase(props), runner });
    },
    [["administratorName", "postgres", "administrator"]],
  ),
  defaultsOf<AwsCredentials>(
    "the AWS account of AssessmentLab",
    "lib/lab/lab-inputs.ts",
    (stack, props) => {
      new RandomProvider(stack, "random");
      new TlsProvider(stack, "tls");
      // Literals would be written into the folder, so they are refused.
      const key = { accessKeyId: expression("var.access_key_id"), secretAccessKey: expression("var.secret") };
      const aws = { ...key, ...props };
      new AssessmentLab(stack, "Part", { projectId: CONTEXT.projectId, aws });
    },
    [["region", "us-east-1", "eu-central-1"]],
  ),
];

/** Props whose comment has a literal as its default and that have no row of their own, by file, and why. */
const WITHOUT_ROW: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "lib/core/existing.ts": {
    enabled: "each part that can be an existing one has a row existing.enabled",
    own: "each part that can be an existing one has a row existing.own",
  },
  "lib/idp/parts.ts": {
    instanceOwner: "db-init.sh has this default, so a job without it is not the same configuration",
  },
};

const CASES = DEFAULTS.flatMap(({ of, given, rows }) =>
  rows.map(([path, usual, other, around = {}]) => ({ of, given, path, usual, other, around })),
);

/** Props with a value at a path of names. */
function withValue(props: object, path: string, value: unknown): object {
  const [name = "", ...rest] = path.split(".");
  const within = (props as Readonly<Record<string, object | undefined>>)[name] ?? {};
  return { ...props, [name]: rest.length === 0 ? value : withValue(within, rest.join("."), value) };
}

/** Two ways to write one value: an account by its address or by a reference, and null for what is left out. */
const SAME_VALUES: readonly (readonly [written: string | RegExp, as: string])[] = [[',"triggers_replace":null', ""]];

/** What a plan makes of a stack: its configuration without what the framework writes about itself. */
function plannedOf(stack: BareStack): unknown {
  const terraform = withoutMetadata(terraformOf(stack));
  const text = SAME_VALUES.reduce((all, [written, as]) => all.replaceAll(written, as), JSON.stringify(terraform));
  return JSON.parse(text);
}

/** Names of the props of a text whose comment has a default, and not a sentence about it. */
function literalDefaultsIn(text: string): ReadonlySet<string> {
  const documented = text.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*readonly (\w+)\?:/g);
  return new Set(
    [...documented].filter(([, said = ""]) => /@default (?!- )/.test(said)).map(([, , name = ""]) => name),
  );
}

/** All files of the library with such props, so that none is forgotten. */
const DOCUMENTED = sourceFiles()
  .filter((file) => file.endsWith(".ts"))
  .map((file) => [file, literalDefaultsIn(readFileSync(packageFile(file), "utf8"))] as const)
  .filter(([, names]) => names.size > 0);

describe("A prop that is left out", () => {
  it.each(CASES)("of $of means $usual: $path", ({ around, given, other, path, usual }) => {
    const made = (props: object) => {
      const stack = bareStack();
      given(stack, props);
      return plannedOf(stack);
    };
    const leftOut = made(around);
    expect(made(withValue(around, path, usual))).toEqual(leftOut);
    // Otherwise nothing would be seen of it here.
    expect(made(withValue(around, path, other))).not.toEqual(leftOut);
  });

  it.each(DOCUMENTED)("is tried here if its comment has a literal as its default, in %s", (file, documented) => {
    const tried = DEFAULTS.filter((each) => each.file === file).flatMap(({ rows }) => rows.map(([path]) => path));
    const excepted = Object.keys(WITHOUT_ROW[file] ?? {});
    expect([...documented].filter((name) => !tried.includes(name)).sort()).toEqual(excepted.sort());
  });

  it("is excepted only in a file that says so of one", () => {
    const files = DOCUMENTED.map(([file]) => file);
    expect(Object.keys(WITHOUT_ROW).filter((file) => !files.includes(file))).toEqual([]);
  });
});
