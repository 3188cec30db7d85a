import { TerraformLocal, TerraformResource } from "cdktf";
import { type Construct } from "constructs";

import { type DeploymentInputs } from "../core/deployment-context";
import { type DeploymentFact, deploymentFact } from "../core/deployment-guard";
import { setArgument } from "../core/expr/attributes";
import { addDynamicBlock, addOptionalBlock } from "../core/expr/blocks";
import { isNever, present } from "../core/expr/conditions";
import { type Expr, exprOf, hcl, interpolated, literal, reference } from "../core/expr/expr";
import { captured, difference, eachEntry, everyEntry, includes, jsonOf, someEntry } from "../core/expr/functions";
import { expression } from "../core/expr/terraform-text";
import { inFileOfExisting } from "../core/hcl/stack-origin";
import { type Relation } from "../core/inputs/relations";
import { flag, object, orResource, type PropsOf, text } from "../core/inputs/rows";
import { matching } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { KMS_KEY_PATTERN, KMS_KEY_REASON } from "../core/kms-key";
import { type ProjectApis } from "../core/project-apis";
import { prose } from "../core/prose";
import { replicaPaths } from "../core/secrets/stored-secret";
import { grantKeys, type KeyName } from "./key-grants";
import { type AUDIT_LOG } from "./monitoring/audit-log";

const key = (of: string) =>
  orResource("id", ["google_kms_crypto_key"], text({ default: null, description: `for ${of}` }));

const KEYS = {
  /** Default key for everything without a specific key. */
  default: key("all that has none of its own"),
  /** For the database and its backups. */
  database: key("the database and its backups"),
  /** For buckets. */
  storage: key("buckets"),
  /** For secrets in the region; an existing secret keeps its key. */
  secrets: key("secrets, each of which keeps the one that it was created with"),
  /** For the audit log, from its first apply on; older entries need the former key. */
  logs: key("the audit log, from its first apply on: older entries need the former one"),
  /** For the repository of the image. */
  registry: key("the repository of the image"),
  /** Number of the project. If given, the service agents are created and allowed to use the keys. */
  projectNumber: text({
    default: null,
    description: prose`
      the number of the project, with which the agents of its services are made,
      and granted roles/cloudkms.cryptoKeyEncrypterDecrypter on the keys, or listed with grant_roles = false[[;
      without it, others must do that, see guides/keys-and-mirrors.md]]; a destroy ends the grants,
      so of several deployments of a project with one key, give it in the last to be destroyed
    `,
    must: matching(
      "^[0-9]+$",
      "be digits, because the project's agents have it in their names; look it up with gcloud projects describe",
    ),
  }),
};

/** The only member that is not a key. */
const NUMBER = "project_number";

/** Keys for the runtime of the application, by platform. */
const RUNNERS = {
  cluster: {
    /** For secrets and disks of the cluster. */
    cluster: key("secrets and disks of the cluster"),
  },
  service: {
    /** For services, jobs and worker pools of Cloud Run. */
    service: key("services, jobs and worker pools of Cloud Run"),
  },
};

/** Keys under their Terraform names. */
type KeyValues = Readonly<Record<string, string | null>>;
type Texts = Expr<readonly string[]>;

type Keys = typeof KEYS & Partial<typeof RUNNERS.cluster & typeof RUNNERS.service>;

/** Keys of Cloud KMS, or their resources, by kind of encrypted data. */
export interface KmsKeys extends PropsOf<Keys> {}

/** Inputs for the requirements of organizations. */
export function landingZoneInputs(runner: keyof typeof RUNNERS) {
  const keys: Keys = { ...KEYS, ...RUNNERS[runner] };
  const [replaced, changed] = {
    cluster: [
      "database, registry and cluster",
      "Setting it later is safe; false leaves the cluster as it is.",
    ] as const,
    service: ["database and registry", "A change rolls out new instances."] as const,
  }[runner];
  return {
    /**
     * Keys of Cloud KMS that encrypt created resources:
     * `projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<key>` or their resources.
     */
    kmsKeys: object(keys, {
      description: (members) =>
        prose`
          Keys of Cloud KMS that encrypt what is created,
          projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<key>, in its region.
          ${members} Changing those of ${replaced} later replaces these, and needs deletion_protection = false.
        `,
      must: [
        {
          each: (name, key: Expr<string | null>) =>
            name.eq(NUMBER).or(key.isNullOr((fullName) => fullName.matches(KMS_KEY_PATTERN))),
          shows: (name, key) => interpolated`${name} = ${jsonOf(key)}`,
          message: `each must be the name of a key in full, ${KMS_KEY_REASON}; look it up with gcloud kms keys list`,
        },
        {
          condition: (given: Expr<KeyValues>) => someEntry(given, (name, key) => name.ne(NUMBER).and(key.isSet())),
          must: prose`
            have at least one key, because Terraform ignores members whose names it does not know and nothing
            would be encrypted; set ${Object.keys(keys)[0] ?? ""}, or remove it
          `,
        },
      ],
    }),
    /** Allows only images that the project's policy of Binary Authorization admits. */
    binaryAuthorization: flag({
      default: false,
      description: `Lets only images run that the project's policy of Binary Authorization admits. ${changed}`,
    }),
  };
}

/** Whether a member is either not a key or a key in the region. */
const isIn = (region: Expr<string>) => (name: Expr<string>, key: Expr<string | null>) =>
  name.eq(NUMBER).or(key.isNullOr((fullName) => includes(fullName, interpolated`/locations/${region}/`)));

export const LANDING_ZONE_RELATIONS: readonly Relation<
  Pick<ReturnType<typeof landingZoneInputs>, "kmsKeys"> & Pick<DeploymentInputs, "region" | "secretLocations">
>[] = [
  {
    host: "kmsKeys",
    holds: ({ kmsKeys, region }) => (kmsKeys as Expr<KeyValues>).isNullOr((keys) => everyEntry(keys, isIn(region))),
    message: ({ kmsKeys, region }) => {
      const regionOf = (key: Expr<string | null>) => captured(key as Expr<string>, "/locations/([^/]+)/", 0);
      const wrong = eachEntry(
        kmsKeys as Expr as Expr<KeyValues>,
        (name, key) => interpolated`${name} is of ${regionOf(key)}`,
        (name, key) => isIn(region)(name, key).not(),
      );
      return prose`
        ${kmsKeys.name} has a key of another region than ${region.name}, ${region.shown}:
        ${wrong.joinedBy(", ").tryOr("").text}; each must be of that region,
        because a key encrypts nothing elsewhere; use keys of ${region.text}, or correct ${region.name}
      `;
    },
  },
  {
    host: "secretLocations",
    holds: ({ kmsKeys, region, secretLocations }) => {
      const elsewhere = difference(secretLocations.coalesce([]), exprOf([region]) as Expr as Texts);
      return kmsKeys.isNull().or(elsewhere.length().eq(0));
    },
    message: ({ kmsKeys, region, secretLocations }) =>
      prose`
        ${secretLocations.name} is ${secretLocations.shown} with ${kmsKeys.name}; it must be ${region.text} alone,
        because a key of that region encrypts nothing elsewhere; leave ${secretLocations.name} out
      `,
  },
];

type Setter = (resource: TerraformResource, key: string) => void;

const argument =
  (path: string): Setter =>
  (resource, key) => {
    setArgument(resource, path, key);
  };

/** Sets a block that exists only with a key. */
const block =
  (parent: string, name: string, keyName: string, further = {}): Setter =>
  (resource, key) => {
    const content = { [keyName]: `\${${name}.value}`, ...further };
    addDynamicBlock(resource, parent, name, { forEach: expression(`compact([${key}])`), content });
  };

/** Key and place of the argument, by the type of the encrypted resource. */
const ENCRYPTED: Readonly<Record<string, readonly [of: KeyName, ...setters: readonly Setter[]]>> = {
  google_artifact_registry_repository: ["registry", argument("kms_key_name")],
  google_cloud_run_v2_job: ["service", argument("template.template.encryption_key")],
  google_cloud_run_v2_service: ["service", argument("template.encryption_key")],
  google_cloud_run_v2_worker_pool: ["service", argument("template.encryption_key")],
  google_container_cluster: [
    "cluster",
    block("", "database_encryption", "key_name", { state: "ENCRYPTED" }),
    argument("cluster_autoscaling.auto_provisioning_defaults.boot_disk_kms_key"),
  ],
  google_logging_project_bucket_config: ["logs", block("", "cmek_settings", "kms_key_name")],
  google_secret_manager_secret: [
    "secrets",
    (resource, key) => {
      for (const path of replicaPaths(resource))
        block(path, "customer_managed_encryption", "kms_key_name")(resource, key);
    },
  ],
  google_sql_database_instance: ["database", argument("encryption_key_name")],
  google_storage_bucket: ["storage", block("", "encryption", "default_kms_key_name")],
};

const POLICY = { use_default: true };

/** Arguments that subject a resource to the project's Binary Authorization policy, by type. */
const BINARY_AUTHORIZATION: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  google_cloud_run_v2_service: POLICY,
  google_cloud_run_v2_job: POLICY,
  google_cloud_run_v2_worker_pool: POLICY,
  google_container_cluster: { evaluation_mode: "PROJECT_SINGLETON_POLICY_ENFORCE" },
};

type Values = ValuesOf<ReturnType<typeof landingZoneInputs>>;

/** Values, including those that decide whether and where there is something to encrypt. */
type AllValues = Values & ValuesOf<typeof AUDIT_LOG & Pick<DeploymentInputs, "projectId">>;

/** The key with a name, or the default key. */
function keyFor({ at }: Values["kmsKeys"], name: KeyName): Expr<string | null> {
  const own = at[name] as Expr<string | null> | undefined;
  const usual = at.default as Expr<string | null>;
  if (own === undefined || isNever(own.isSet())) return usual;
  return isNever(own.isNull()) || isNever(usual.isSet()) ? own : hcl`try(coalesce(${own}, ${usual}), null)`;
}

/** Keys that can change only together with the data that they encrypt. */
export function keyFacts({ kmsKeys }: Values): readonly DeploymentFact[] {
  if (kmsKeys.given === null && !kmsKeys.isLeftOut) return [];
  const { cluster, database, registry } = kmsKeys.at;
  return Object.entries({ database, registry, ...(cluster && { cluster }) }).map(([name, { name: messageName }]) => ({
    prop: `kmsKey${name}`,
    messageName,
    omitsNull: true,
    value: deploymentFact(kmsKeys, textIfAny(keyFor(kmsKeys, name as KeyName))),
  }));
}

/** Applies the requirements of the organization to all parts; a part that is created afterwards would have no key. */
export function addLandingZone(scope: Construct, values: AllValues, apis: ProjectApis): void {
  const { binaryAuthorization: isAuthorized, kmsKeys } = values;
  const keys = kmsKeys.given === null ? undefined : addKeys(scope, values, apis);
  for (const resource of scope.node.findAll()) {
    if (!TerraformResource.isTerraformResource(resource)) continue;
    const { terraformResourceType: type } = resource;
    const policy = BINARY_AUTHORIZATION[type];
    if (policy !== undefined)
      addOptionalBlock(resource, "", "binary_authorization", { when: isAuthorized, content: policy });
    const [name, ...setters] = ENCRYPTED[type] ?? [];
    if (keys === undefined || name === undefined) continue;
    const key = keys(name);
    if (key === undefined) continue;
    for (const set of setters) set(resource, key);
  }
}

/** The text of a value that may be null at plan; undefined if synthesis knows that it is null. */
const textIfAny = (value: Expr<string | null>): string | undefined => (isNever(value.isSet()) ? undefined : value.text);

/**
 * The keys that Google's service agents may use, by kind of encrypted data. Without a key, the entry is missing or null
 * at plan.
 */
function addKeys(
  scope: Construct,
  { auditLog, kmsKeys, projectId }: AllValues,
  apis: ProjectApis,
): (name: KeyName) => string | undefined {
  const { projectNumber, ...members } = kmsKeys.at;
  const names = Object.keys(members).filter((name): name is KeyName => name !== "default");
  // Without an audit log, no account needs access to the key for logs.
  const isNeeded = (name: KeyName) => (name === "logs" ? auditLog.isSet() : literal(true));
  const all = [
    ...names.map((name) => [name, isNeeded(name).choose<string | null>(keyFor(kmsKeys, name), null)] as const),
    ["project_number", projectNumber] as const,
  ];
  const isOpen = (value: Expr) => !value.isSet().isLiteral;
  const open = all.filter(([, value]) => isOpen(value));
  const local = open.length === 0 ? undefined : new TerraformLocal(scope, "KmsKeys", Object.fromEntries(open));
  const facts = { knownAt: "plan", mayBeNull: true } as const;
  const given = all.map(
    ([name, value]) =>
      [name, local && isOpen(value) ? reference<string | null>(() => `${local.fqn}.${name}`, facts) : value] as const,
  );
  const { project_number: number, ...keys } = Object.fromEntries(given) as Readonly<
    Record<string, Expr<string | null>>
  >;
  const usable = new TerraformLocal(
    scope,
    "UsableKmsKeys",
    grantKeys(scope, apis, projectId.text, keys, number ?? literal(null)),
  );
  for (const part of present(local, usable)) inFileOfExisting(part, "keys");
  return (name) => (isNever(keys[name]?.isSet() ?? false) ? undefined : expression(`${usable.fqn}.${name}`));
}
