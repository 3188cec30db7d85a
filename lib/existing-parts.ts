import { type DeploymentFact, deploymentFact } from "./core/deployment-guard";
import { OWN_PARTS_INPUT } from "./core/existing";
import { allOf, type Expr, interpolated, literal } from "./core/expr/expr";
import { jsonOf } from "./core/expr/functions";
import { needs } from "./core/inputs/needs";
import { type Relation } from "./core/inputs/relations";
import { plainOf, type Value, type ValuesOf } from "./core/inputs/value";
import { prose } from "./core/prose";
import { type DATABASE_RIGHTS } from "./idp/db-init";
import { type ImageInputs } from "./idp/idp-image";
import { EXISTING_SECRETS, type SECRETS } from "./idp/idp-secrets";
import { EXISTING_BUCKET } from "./idp/media-bucket";
import { GRANT_ROLES } from "./platform/identity/listed-grants";
import { EXISTING_SERVICE_ACCOUNTS } from "./platform/identity/service-identity";
import { clusterPath, type EXISTING_CLUSTER } from "./platform/kubernetes/existing-cluster";
import { EXISTING_REPOSITORY } from "./platform/registry/image-registry";
import { BACKUPS } from "./platform/sql/database-backups";
import { DATABASE_SERVER } from "./platform/sql/database-flags";
import { DATABASE_PASSWORDS } from "./platform/sql/database-passwords";
import { DATABASE_SIZE } from "./platform/sql/database-size";
import { EXISTING_DATABASE } from "./platform/sql/existing-database";

/** Written out, because the compiler drops the comments of rows from the type of a spread table. */
type ExistingPartInputs = typeof EXISTING_BUCKET &
  typeof EXISTING_DATABASE &
  typeof EXISTING_REPOSITORY &
  typeof EXISTING_SECRETS &
  typeof EXISTING_SERVICE_ACCOUNTS &
  typeof OWN_PARTS_INPUT &
  typeof GRANT_ROLES;

/** Inputs for existing parts, of both variants. */
export const EXISTING_PARTS: ExistingPartInputs = {
  ...EXISTING_BUCKET,
  ...EXISTING_DATABASE,
  ...EXISTING_REPOSITORY,
  ...EXISTING_SECRETS,
  ...EXISTING_SERVICE_ACCOUNTS,
  ...OWN_PARTS_INPUT,
  ...GRANT_ROLES,
};

const DATABASE_OF_OWN = { ...BACKUPS, ...DATABASE_PASSWORDS, ...DATABASE_SERVER, ...DATABASE_SIZE };

type Inputs = ImageInputs & typeof DATABASE_OF_OWN & typeof EXISTING_PARTS & typeof SECRETS;

/** Inputs about the Cloud SQL instance. They have no effect on an existing instance, because its owner manages it. */
const OF_INSTANCE = [
  "backups",
  "databaseAvailability",
  "databaseDiskLimitGb",
  "databaseFlags",
  "databasePasswords",
  "databaseTier",
] as const;

/** Existing parts that cannot be added to a protected deployment or removed from it, because data would stay behind. */
export function existingFacts(
  v: ValuesOf<typeof EXISTING_PARTS> & Partial<ValuesOf<typeof EXISTING_CLUSTER>>,
): readonly DeploymentFact[] {
  const { existingBucket, existingCluster, existingDatabase, existingNamespace, existingSecrets, ownParts } = v;
  const { at: database } = existingDatabase;
  const { nodes } = v.existingServiceAccounts.at;
  const parts: Readonly<Record<string, readonly [part: Value, fact: Expr<string>]>> = {
    existingBucket: [existingBucket, existingBucket.at.name],
    existingDatabase: [existingDatabase, interpolated`${database.connectionName}/${database.database}`],
    existingSecretKey: [existingSecrets.at.secretKey, existingSecrets.at.secretKey.at.secretId],
    // Refused, because running nodes keep their service account and cannot pull images after it is deleted.
    ...(existingCluster && { existingNodes: [nodes, nodes] }),
  };
  // Parts to which `own_parts` does not apply.
  const alone: typeof parts = {
    ...(existingCluster && { existingCluster: [existingCluster, clusterPath(existingCluster)] }),
    ...(existingNamespace && { existingNamespace: [existingNamespace, existingNamespace.at.name] }),
  };
  return Object.entries({ ...parts, ...alone }).map(([prop, [part, fact]]) => {
    const isUnused = part.isNull().or(prop in alone ? false : ownParts.eq("used"));
    const value = isUnused.choose(null, fact);
    const isNone = value.isLiteral && value.literal === null;
    return {
      prop,
      messageName: part.name,
      omitsNull: true,
      value: deploymentFact(part, isNone ? undefined : value.text),
    };
  });
}

/**
 * Rights of the application's role, and of other roles on its database. By default, they are wider on the deployment's
 * own instance.
 */
export function rightsOf(v: ValuesOf<Pick<typeof EXISTING_PARTS, "existingDatabase"> & typeof DATABASE_RIGHTS>) {
  const { managedSuperuser, revokePublicConnect } = v.databaseRights.at;
  const isGranted = managedSuperuser.coalesce(v.existingDatabase.isNull());
  return { grantManagedSuperuser: isGranted.flag, revokePublicConnect: revokePublicConnect.flag };
}

export const EXISTING_RELATIONS: readonly Relation<Inputs>[] = [
  needs("existingRepository", {
    without: ["existingContainerImage"],
    because: "nothing is pushed where nothing is built",
  }),
  {
    host: "existingDatabase",
    holds: (v) => {
      const isDefault = (name: (typeof OF_INSTANCE)[number]) =>
        jsonOf(v[name]).eq(jsonOf(literal(plainOf(DATABASE_OF_OWN[name], DATABASE_OF_OWN[name].default))));
      // While the deployment's own instance exists, the inputs apply to it.
      const isOwn = v.existingDatabase.isNull().or(v.ownParts.ne("deleted"));
      return isOwn.choose(true, allOf(...OF_INSTANCE.map(isDefault)));
    },
    message: (v) =>
      prose`
        ${v.existingDatabase.name} is given together with one of
        ${OF_INSTANCE.map((name) => v[name].name).join(", ")}; these must be left out,
        because the owner of the instance decides on its size, flags, passwords and backups; remove them
      `,
  },
  {
    host: "existingSecrets",
    holds: ({ existingSecrets: { at }, secretKey }) => at.secretKey.isNull().or(secretKey.at.version.eq(1)),
    message: ({
      existingSecrets,
      secretKey: {
        at: { version },
      },
    }) =>
      prose`
        ${existingSecrets.name} has a secret key and ${version.name} is ${version.shown};
        that of a secret that exists must be 1, because it is never written;
        name another version of the secret instead
      `,
  },
];
