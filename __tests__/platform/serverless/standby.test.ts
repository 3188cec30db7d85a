import { rendered } from "../../../lib/core/expr/locals";
import { RulesBrokenError } from "../../../lib/core/inputs/rules-broken-error";
import {
  ServerlessIdentityProvider,
  type ServerlessIdentityProviderProps,
} from "../../../lib/serverless-identity-provider";
import { bareStack, type Block, type Terraform, terraformOf } from "../../support/synthesis";

type Props = Partial<ServerlessIdentityProviderProps>;

/** What there is, and the settings of the scripts. */
function made(props: Props): Terraform & { readonly settings: string } {
  const stack = bareStack();
  const all = { projectId: "my-project", tenantId: "demo", domain: "sign-in.example.com", ...props };
  const { restoreSettings } = new ServerlessIdentityProvider(stack, "Idp", all);
  return { ...terraformOf(stack), settings: String(rendered(stack, restoreSettings)) };
}

const addressesIn = ({ resource = {} }: Terraform) =>
  Object.entries(resource).flatMap(([type, named]) => Object.keys(named).map((name) => `${type}.${name}`));

const blockAt = ({ resource = {} }: Terraform, address: string): Block => {
  const [type = "", name = ""] = address.split(".");
  return resource[type]?.[name] ?? {};
};

const PRIMARY = "google_sql_database_instance.idp_database";
const REPLICA = "google_sql_database_instance.idp_standby_database";
const HOME = "google_cloud_run_v2_service.idp_service";
const THERE = "google_cloud_run_v2_service.idp_standby_service";
const BACKEND = "google_compute_backend_service.idp_front_door_backend";
const CONNECTS = /_connects_to_(database|standby)$/;

const STANDBY = { region: "us-east1" };
const DATABASE = {
  connectionName: "my-project:us-central1:main",
  database: "idp",
  user: "idp",
  passwordSecret: { secretId: "idp-password", version: 1 },
};
const NETWORK = {
  network: "projects/my-project/global/networks/main",
  subnetwork: "projects/my-project/regions/us-central1/subnetworks/main",
};
const SEPARATE = { workerMode: "separate", worker: { count: 2 } } as const;
const BACKUPS = { location: "eu", retentionCount: 30, logDays: 3 };
const WAITING = made({ standby: STANDBY, backups: BACKUPS, ...SEPARATE });
const PROMOTED = made({ standby: { ...STANDBY, promoted: true }, backups: BACKUPS, ...SEPARATE });

describe("A second region", () => {
  it("leaves nothing in the folder of who does not use it", () => {
    expect(JSON.stringify(made({}))).not.toMatch(/standby|health_check_disabled|custom_placement|activation_policy/i);
  });

  it("has a replica of the database, the server and its workers, an image and a way to them, and nothing else", () => {
    const without = addressesIn(made(SEPARATE));
    expect(new Set(addressesIn(WAITING).filter((address) => !without.includes(address)))).toEqual(
      new Set([
        "google_artifact_registry_repository.idp_standby_image",
        "google_artifact_registry_repository_iam_member.idp_standby_image_builder_pushes",
        THERE,
        "google_cloud_run_v2_worker_pool.idp_standby_service_worker",
        "google_compute_region_network_endpoint_group.idp_front_door_standby_group",
        "google_project_iam_member.idp_initializer_connects_to_standby",
        "google_project_iam_member.idp_runtime_connects_to_standby",
        REPLICA,
        "terraform_data.idp_standby_image_copy",
      ]),
    );
  });

  it("follows the database with the same size and flags, and has no backups of its own", () => {
    const { settings: ofPrimary } = blockAt(WAITING, PRIMARY) as { readonly settings: Block };
    const copy = blockAt(WAITING, REPLICA) as { readonly settings: Block };
    const { settings } = copy;
    expect(copy).toMatchObject({
      region: "us-east1",
      name: expect.stringMatching(/^sql-demo-[0-9a-f]{6}-idp-standby1$/) as unknown,
      instance_type: "READ_REPLICA_INSTANCE",
      master_instance_name: `\${${PRIMARY}.name}`,
      // The platform's own can be lifted by a script, on the way home.
      deletion_protection: false,
      settings: { deletion_protection_enabled: true },
    });
    const { backup_configuration: backups, ...same } = ofPrimary;
    expect(backups).toBeDefined();
    for (const name of ["tier", "database_flags", "ip_configuration", "connector_enforcement"])
      expect([name, settings[name]]).toEqual([name, same[name]]);
    expect(settings.backup_configuration).toBeUndefined();
  });

  it("starts no server before it takes over: none is tried, kept, or called", () => {
    expect(blockAt(WAITING, THERE)).toMatchObject({
      location: "us-east1",
      ingress: "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER",
      default_uri_disabled: true,
      scaling: { min_instance_count: 0 },
      template: { health_check_disabled: true },
    });
    expect(blockAt(WAITING, "google_cloud_run_v2_worker_pool.idp_standby_service_worker")).toMatchObject({
      scaling: { manual_instance_count: 0 },
    });
    expect(JSON.stringify(blockAt(WAITING, BACKEND).backend)).not.toContain("standby");
  });

  it("connects its server to the replica alone, by the image that is there", () => {
    const text = JSON.stringify(blockAt(WAITING, THERE));
    expect(text).toMatch(/"instances":\["my-project:us-east1:sql-demo-[0-9a-f]{6}-idp-standby1"\]/);
    expect(text).toContain("local.idp_standby_image_reference");
    expect(text).not.toContain("idp_runtime_connects_to_database");
  });

  it("has secrets and buckets in both regions, and dumps too", () => {
    const dumped = made({ standby: STANDBY, dumps: { schedule: "30 4 * * *" } });
    const buckets = Object.values(dumped.resource?.google_storage_bucket ?? {});
    expect(buckets).toHaveLength(2);
    for (const bucket of buckets)
      expect(bucket).toMatchObject({
        location: "US",
        custom_placement_config: { data_locations: ["US-CENTRAL1", "US-EAST1"] },
      });
    for (const secret of Object.values(dumped.resource?.google_secret_manager_secret ?? {}))
      expect(secret).toMatchObject({
        replication: { user_managed: { replicas: [{ location: "us-central1" }, { location: "us-east1" }] } },
      });
  });

  it.each([
    ["europe-west1", "europe-west4", "EU"],
    ["asia-east1", "asia-southeast1", "ASIA"],
    ["northamerica-northeast1", "northamerica-northeast2", "CA"],
    ["australia-southeast2", "australia-southeast1", "AU"],
  ])("keeps files of %s and %s at the location %s", (region, second, location) => {
    const [bucket] = Object.values(made({ region, standby: { region: second } }).resource?.google_storage_bucket ?? {});
    expect(bucket).toMatchObject({ location });
  });

  it("leaves buckets where they are, where the caller says so", () => {
    const terraform = made({ standby: { ...STANDBY, dualRegionBuckets: false } });
    const [bucket] = Object.values(terraform.resource?.google_storage_bucket ?? {});
    expect(bucket).toMatchObject({ location: "us-central1" });
    expect(bucket).not.toHaveProperty("custom_placement_config");
  });

  it("has a new bucket of locked dumps in both regions, and never replaces one that there is", () => {
    const lockOf = (standby: Props["standby"]) =>
      blockAt(
        made({ standby, dumps: { schedule: "30 4 * * *", lockDays: 30 } }),
        "google_storage_bucket.idp_dump_lock",
      );
    expect(lockOf(STANDBY)).toMatchObject({
      location: "US",
      custom_placement_config: { data_locations: ["US-CENTRAL1", "US-EAST1"] },
      lifecycle: { ignore_changes: ["location", "custom_placement_config"] },
    });
    expect(lockOf({ ...STANDBY, dualRegionBuckets: false })).toMatchObject({ location: "us-central1" });
    for (const standby of [undefined, { ...STANDBY, dualRegionBuckets: false }])
      expect(lockOf(standby)).not.toHaveProperty("custom_placement_config");
  });

  it("copies new uploads within minutes where the caller says so, and says in each folder whether it does", () => {
    const rpoOf = (standby: Props["standby"]) => {
      const { resource } = made({ standby, dumps: { schedule: "30 4 * * *" } });
      return Object.values(resource?.google_storage_bucket ?? {}).map(({ name, rpo }) => [
        String(name).split("-").at(-1),
        rpo,
      ]);
    };
    const dumps = ["dumps", undefined] as const;
    expect(rpoOf({ ...STANDBY, turboReplication: true })).toEqual([["storage", "ASYNC_TURBO"], dumps]);
    // Left out, it would stay as it was before.
    expect(rpoOf(STANDBY)).toEqual([["storage", "DEFAULT"], dumps]);
    expect(rpoOf({ ...STANDBY, dualRegionBuckets: false })).toEqual([["storage", undefined], dumps]);
    expect(rpoOf(undefined)).toEqual([["storage", undefined], dumps]);
  });

  it("tells scripts where everything is", () => {
    const words = WAITING.settings.split(" ").map((word) => word.split("=") as [string, string]);
    const settings: Readonly<Record<string, string>> = Object.fromEntries(words);
    const name = expect.stringMatching(/^idp-demo-[0-9a-f]{6}$/) as unknown;
    const group = (region: string) =>
      expect.stringMatching(
        new RegExp(`^projects/my-project/regions/${region}/networkEndpointGroups/idp-demo-[0-9a-f]{6}-[0-9a-f]{8}$`),
      ) as unknown;
    expect(settings).toMatchObject({
      STANDBY_REGION: "us-east1",
      STANDBY_INSTANCE: blockAt(WAITING, REPLICA).name,
      STANDBY_SERVICE: name,
      STANDBY_MIN_INSTANCES: "1",
      STANDBY_WORKER_POOL: blockAt(WAITING, "google_cloud_run_v2_worker_pool.idp_standby_service_worker").name,
      STANDBY_WORKERS: "2",
      STANDBY_GROUP: group("us-east1"),
      BACKEND_SERVICE: blockAt(WAITING, BACKEND).name,
      SERVICE: name,
      HOME_GROUP: group("us-central1"),
      SERVICE_URL: expect.stringMatching(/^https:\/\//) as unknown,
    });
    const groups = Object.values(WAITING.resource?.google_compute_region_network_endpoint_group ?? {});
    expect(groups.map((each) => String(each.name)).sort()).toEqual(
      [settings.HOME_GROUP, settings.STANDBY_GROUP].map((path) => String(path).split("/").at(-1)).sort(),
    );
  });
});

describe("A second region that has taken over", () => {
  it("has the users, servers and workers, and home has none", () => {
    expect(blockAt(PROMOTED, BACKEND).backend).toEqual([
      { group: "${google_compute_region_network_endpoint_group.idp_front_door_standby_group.id}" },
    ]);
    expect(blockAt(PROMOTED, THERE)).toMatchObject({ scaling: { min_instance_count: 1 } });
    expect(blockAt(PROMOTED, HOME)).toMatchObject({ scaling: { min_instance_count: 0 } });
    const poolOf = (name: string) => blockAt(PROMOTED, `google_cloud_run_v2_worker_pool.${name}`);
    expect(poolOf("idp_standby_service_worker")).toMatchObject({ scaling: { manual_instance_count: 2 } });
    expect(poolOf("idp_worker")).toMatchObject({ scaling: { manual_instance_count: 0 } });
  });

  it("changes no template of a server there, so that no new revision has to start", () => {
    expect(blockAt(PROMOTED, THERE).template).toEqual(blockAt(WAITING, THERE).template);
  });

  it("has a database of its own, with the backups of the first one, after that is stopped", () => {
    expect(blockAt(PROMOTED, REPLICA)).toMatchObject({
      instance_type: "CLOUD_SQL_INSTANCE",
      settings: { deletion_protection_enabled: true },
      depends_on: expect.arrayContaining([PRIMARY]) as unknown,
    });
    expect(blockAt(PROMOTED, REPLICA)).not.toHaveProperty("master_instance_name");
    const backupsOf = (address: string) => (blockAt(PROMOTED, address).settings as Block).backup_configuration;
    expect(backupsOf(PRIMARY)).toMatchObject({
      location: "eu",
      backup_retention_settings: { retained_backups: 30 },
      transaction_log_retention_days: 3,
    });
    expect([backupsOf(REPLICA)].flat()).toEqual([backupsOf(PRIMARY)]);
    expect(blockAt(PROMOTED, PRIMARY)).toMatchObject({ settings: { activation_policy: "NEVER" } });
  });

  it("says that a destroy keeps no backup of its database", () => {
    const saysOf = ({ locals = {} }: Terraform, name: string) => String(locals[name]);
    const ofFirst = "idp_database_own_backups_after_destroy";
    expect(saysOf(PROMOTED, ofFirst)).toContain("a final backup of sql-demo-");
    expect(saysOf(PROMOTED, "idp_backups_after_destroy")).toContain(
      `\${local.${ofFirst}}, and no backup of the database in us-east1, which is in use`,
    );
    expect(blockAt(PROMOTED, "terraform_data.idp_deletion_guard").input).toMatchObject({
      remains: "${local.idp_backups_after_destroy}",
    });
    expect(blockAt(WAITING, "terraform_data.idp_deletion_guard").input).toMatchObject({
      remains: `\${local.${ofFirst}}`,
    });
  });

  it("lets nobody connect to the first database", () => {
    const grants = Object.keys(PROMOTED.resource?.google_project_iam_member ?? {}).filter((name) =>
      CONNECTS.test(name),
    );
    expect(grants).toEqual(["idp_initializer_connects_to_standby", "idp_runtime_connects_to_standby"]);
  });

  it("is watched instead of the first database, and not as a replica any more", () => {
    const alertEmails = ["admin@example.com"];
    const watched = [false, true].map((promoted) => {
      const { locals = {} } = made({ alertEmails, standby: { ...STANDBY, promoted } });
      return JSON.stringify(locals.idp_monitoring_table);
    });
    expect(watched.map((table) => table.includes('"standby-behind"'))).toEqual([true, false]);
    const downOf = (table = "") => /database_up\{[^}]*?database_id=[^}]*?(-standby1)?\\"\}/.exec(table)?.[1];
    expect(watched.map(downOf)).toEqual([undefined, "-standby1"]);
  });

  it("leaves backups to the organization where its plan makes them", () => {
    const existingBackupPlan = "projects/backups/locations/us-central1/backupPlans/databases";
    const planned = made({ existingBackupPlan, backupBeforeUpgrade: false, standby: { ...STANDBY, promoted: true } });
    expect(blockAt(planned, REPLICA)).toMatchObject({ instance_type: "CLOUD_SQL_INSTANCE" });
    expect(JSON.stringify(blockAt(planned, REPLICA))).not.toContain("backup_configuration");
  });
});

it.each<readonly [string, Props, RegExp]>([
  [
    "no domain",
    { domain: undefined, standby: STANDBY },
    /standby is given; it needs domain, because its load balancer moves the users; set domain, or remove standby/,
  ],
  [
    "a right to connect to all databases",
    { databaseRights: { conditionalAccess: false }, standby: STANDBY },
    /it needs databaseRights.conditionalAccess true, because only the right to connect keeps two databases from taking writes/,
  ],
  [
    "a database of others",
    { existingDatabase: DATABASE, standby: STANDBY },
    /it needs no existingDatabase, because only an own database has a replica; remove existingDatabase/,
  ],
  [
    "keys of the first",
    { kmsKeys: { default: "projects/k/locations/us-central1/keyRings/r/cryptoKeys/k" }, standby: STANDBY },
    /it needs no kmsKeys, because a key encrypts in one region; remove kmsKeys/,
  ],
  [
    "no other region",
    { standby: { region: "us-central1" } },
    /standby.region is "us-central1", as region is; it must be another region, .*; choose another region/,
  ],
  [
    "secrets in the first region alone",
    { secretLocations: ["us-central1"], standby: STANDBY },
    /secretLocations is .*us-central1.*; it must contain "us-central1" and "us-east1", .*; add both, or leave it out/,
  ],
  [
    "a subnetwork of no network",
    { standby: { ...STANDBY, subnetwork: "projects/my-project/regions/us-east1/subnetworks/main" } },
    /standby.subnetwork is given and network is not; it must be left out, .*; remove it/,
  ],
  [
    "a subnetwork of the first region",
    { network: NETWORK, standby: { ...STANDBY, subnetwork: NETWORK.subnetwork } },
    /standby.subnetwork is .*; with network, it must be a subnetwork in "us-east1", .*; give one of that region/,
  ],
  [
    "a name that is too long",
    {
      projectId: "a-project-of-thirty-characters",
      tenantId: "a-tenant",
      standby: { region: "northamerica-northeast1", dualRegionBuckets: false },
    },
    /the connection name of the replica, from projectId, standby.region, tenantId and applicationName, has \d+ char/,
  ],
  [
    "a fast copy of files that are in one region",
    { standby: { ...STANDBY, dualRegionBuckets: false, turboReplication: true } },
    /standby.turboReplication is true and standby.dualRegionBuckets is false; .*; set one of them/,
  ],
  ["buckets on two continents", { standby: { region: "europe-west1" } }, /another pair that Cloud Storage keeps/],
  [
    "a pair that is a location of its own",
    { region: "europe-west4", standby: { region: "europe-north1" } },
    /another pair that Cloud Storage keeps/,
  ],
])("A second region is refused with %s", (_, props, message) => {
  expect(() => made(props)).toThrow(RulesBrokenError);
  expect(() => made(props)).toThrow(message);
});
