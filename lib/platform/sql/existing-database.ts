import { Token } from "cdktf";
import { Construct } from "constructs";

import { type Existing } from "../../core/existing";
import { type Condition, isSet } from "../../core/expr/conditions";
import { type Expr, exprOf, hcl } from "../../core/expr/expr";
import { split } from "../../core/expr/functions";
import { namedValue } from "../../core/expr/locals";
import { number, object, orResource, type PropsOf, type Reading, requiredObject, text } from "../../core/inputs/rows";
import { matching, type Rule } from "../../core/inputs/rules";
import { CONNECTION_NAME_MAX_LENGTH } from "../../core/names";
import { prose } from "../../core/prose";
import { ExistingSecret, type SecretAttributes } from "../../core/secrets/existing-secret";
import { type SqlInstance } from "../../idp/parts";
import { IS_REFERENCE, orVersion, SECRET_REFERENCE, type SecretReference } from "../../idp/secret-reference";

const CONNECTION_NAME = "^([a-z0-9.-]+:)?[a-z][a-z0-9-]+:[a-z]+-[a-z]+[0-9]+:[a-z][a-z0-9-]*$";
const CONNECTION_NAME_FORM = "<project>:<region>:<instance>";
const CONNECTION_NAME_FIX = "look it up with gcloud sql instances describe, as connectionName";
const NAME = "^[a-z_][a-z0-9_]{0,53}$";

/** Rules for the names of a login and of the database. */
const NAME_RULE = prose`
  be up to 54 lower-case letters, digits and underscores, not beginning with a digit,
  because scripts add a word to it; use another, and create it in the instance
`;

const reference = (of: string) =>
  orVersion(
    requiredObject(SECRET_REFERENCE, {
      must: IS_REFERENCE,
      first: "store the password in Secret Manager",
      description: () => `${of}, { secret_id, version }`,
    }),
  );

/** Fix and reason for a reserved name. */
const TAKEN = "name another database, because this one is not the application's alone; create one in the instance";

const nameOf: Reading = (resource) => resource.getStringAttribute("name");
const login = (description: string) =>
  orResource("instance", { google_sql_user: nameOf }, text({ description, must: matching(NAME, NAME_RULE) }));

/** Reserved names. */
const TAKEN_NAMES = ["pgbouncer", "postgres", "template0", "template1"];

const ADMINISTRATOR = {
  /** Login that may create roles and databases, or its resource. */
  user: login("a login that may create roles and databases"),
  /** Its password. */
  secret: reference("its password"),
};

const DATABASE = {
  /** `<project>:<region>:<instance>`, or the resource of the instance. */
  connectionName: orResource(
    "connectionName",
    { google_sql_database_instance: (instance) => instance.getStringAttribute("connection_name") },
    text({
      description: CONNECTION_NAME_FORM,
      must: {
        condition: (name) => name.matches(CONNECTION_NAME).and(name.length().le(CONNECTION_NAME_MAX_LENGTH)),
        must: prose`
          be ${CONNECTION_NAME_FORM}, of up to ${CONNECTION_NAME_MAX_LENGTH} characters,
          because it is part of the path of a socket;
          ${CONNECTION_NAME_FIX}
        `,
        mustForLiteral: (name) =>
          name.matches(CONNECTION_NAME).literal ? undefined : `be ${CONNECTION_NAME_FORM}; ${CONNECTION_NAME_FIX}`,
        schema: { pattern: CONNECTION_NAME },
      } satisfies Rule<string>,
    }),
  ),
  /** Name of the application's database, or its resource. */
  database: orResource(
    "instance",
    { google_sql_database: nameOf },
    text({
      description: "name of the application's database",
      must: {
        condition: (name) => name.matches(NAME).and(name.isOneOf(TAKEN_NAMES).not()),
        must: `not be ${TAKEN_NAMES.join(", ")}, which are not the application's alone, and must ${NAME_RULE}`,
        mustForLiteral: (name) => (name.matches(NAME).literal ? TAKEN : NAME_RULE),
      } satisfies Rule<string>,
    }),
  ),
  /** The application's login, or its resource. */
  user: login("the application's login"),
  /** Its password. */
  passwordSecret: reference("its password"),
  /** Login that creates the application's login and database; without it, both must exist. */
  administrator: object(ADMINISTRATOR, {
    description: () =>
      prose`
        { user, secret } of a login that makes database and login[[; null if both are there,
        which the job db-init then only checks]]
      `,
  }),
  /** Maximum number of connections of this deployment; by default as many as its instances need. */
  maxConnections: number({
    default: null,
    description: "connections that this deployment may take[[, null for as many as its instances need]]",
  }),
};

/** The input `existingDatabase` under Terraform names. */
interface DatabaseValue {
  readonly administrator: { readonly user: string } | null;
  readonly user: string;
}

/** Whether a login other than the application's own grants rights to the application's login. */
const hasOtherAdministrator = (database: Expr<DatabaseValue>): Expr<boolean> =>
  database
    .member<DatabaseValue["administrator"]>("administrator")
    .isNullOr((other) => other.member<string>("user").ne(database.member<string>("user")));

/** Input for an existing database. */
export const EXISTING_DATABASE = {
  /**
   * Database on an existing instance of Cloud SQL. The owner of the instance manages its protection, backups, flags and
   * size.
   */
  existingDatabase: object(DATABASE, {
    description: (members) =>
      prose`
        Database on an existing instance of Cloud SQL for PostgreSQL, whose major version is database_version,
        reached by its private address where network is given. ${members} Protection, backups, flags,
        size and alerts of the instance are its owner's. Setting it later deletes the instance of this deployment
        with its data, and needs deletion_protection = false first; removing it creates an empty one.
      `,
    must: {
      condition: hasOtherAdministrator,
      must: prose`
        have an administrator of another name than user, because that login makes the application's own;
        use a login that may create roles and databases, or leave administrator out
      `,
      hides: true,
    },
  }),
};

/** Attributes of an existing database; secrets without a project in their names belong to the instance's project. */
export interface DatabaseAttributes extends PropsOf<
  typeof DATABASE,
  { readonly administrator: DatabaseAdministrator; readonly passwordSecret: SecretReference }
> {}

/** A login that creates the application's login and database. */
export interface DatabaseAdministrator extends PropsOf<typeof ADMINISTRATOR, { readonly secret: SecretReference }> {}

/** An existing database, with attributes in place of resources. */
export type DatabaseValues = PropsOf<typeof DATABASE, unknown, never>;

/** An existing database; its attributes may be null at plan. */
export interface ExistingDatabaseProps
  extends Existing, Partial<Pick<DatabaseValues, "connectionName" | "database" | "maxConnections" | "user">> {
  readonly passwordSecret?: Partial<SecretAttributes>;
  readonly administrator?: { readonly user?: string; readonly secret?: Partial<SecretAttributes> };
}

/**
 * Login that prepares the database: the administrator or, without an administrator, the application's login, which can
 * only check the database.
 */
export function administratorOf({ administrator, passwordSecret, user }: ExistingDatabaseProps) {
  return {
    user: firstOf(administrator?.user, user),
    secretId: firstOf(administrator?.secret?.secretId, passwordSecret?.secretId),
    version: firstOf(versionOfSecret(administrator?.secret), versionOfSecret(passwordSecret)),
    // Without an administrator, both passwords are the same secret.
    isGranted: isSet(administrator?.user),
  };
}

/** Project and instance of a connection name. */
export function instanceIn(connectionName: string): { readonly project: string; readonly instance: string } {
  if (!Token.isUnresolved(connectionName)) {
    const parts = connectionName.split(":");
    return { project: parts.slice(0, -2).join(":"), instance: parts.at(-1) ?? "" };
  }
  const parts = split(":", connectionName);
  return {
    // The id of a domain-scoped project contains a colon too.
    project: hcl`try(join(":", slice(${parts}, 0, length(${parts}) - 2)), "")`.text,
    instance: hcl`try(reverse(${parts})[0], "")`.text,
  };
}

/** The right to connect. It can be granted only on a project, with a condition. */
export const CLIENT_ROLE = "roles/cloudsql.client";

/** Limits of a grant of the right to connect to one instance. @param listName see `GrantLimits` */
export const connectionTo = (project: string, instance: string, when: Condition, listName: string) => ({
  project,
  resource: {
    type: "sqladmin.googleapis.com/Instance",
    name: `projects/${project}/instances/${instance}`,
    when,
    listName,
  },
});

/** Local with the existing instance as the only one that a role covers. */
export const ONLY_EXISTING_INSTANCE = "only_existing_instance";

/** Attributes that are read from a database, either the deployment's own or an existing one. */
export interface ReadAttributes extends Pick<
  SqlInstance,
  "connectionName" | "databaseName" | "instanceName" | "userName"
> {
  readonly administratorName: string;
  readonly backupsAfterDestroy: string;
  readonly instanceOwner: "deployment" | "others";
  readonly otherLogin: string;
  readonly ownerName: string;
  readonly projectId: string;
}

/** Attributes of an existing database; derived ones are locals of the scope. */
export function attributesOfExisting(scope: Construct, existing: ExistingDatabaseProps): Partial<ReadAttributes> {
  const { connectionName, database, user } = existing;
  const instanceParts: Partial<ReturnType<typeof instanceIn>> =
    connectionName === undefined ? {} : instanceIn(connectionName);
  return {
    administratorName: administratorOf(existing).user,
    backupsAfterDestroy: "the database, which is managed elsewhere",
    connectionName,
    databaseName: database,
    instanceName: instanceParts.instance && namedValue(scope, "ExistingInstance", instanceParts.instance),
    instanceOwner: "others",
    otherLogin: "",
    ownerName: user,
    projectId: instanceParts.project && namedValue(scope, "ExistingProject", instanceParts.project),
    userName: user,
  };
}

/** A database on an instance that is managed elsewhere; only grants are created. */
export function existingDatabase(
  scope: Construct,
  id: string,
  attributes: DatabaseValues,
  hasPrivateAddress: Condition,
): SqlInstance {
  const self = new Construct(scope, id);
  const { connectionName, database: databaseName, user: userName } = attributes;
  const { instance: instanceName, project: projectId } = instanceIn(connectionName);
  const given = attributes as ExistingDatabaseProps;
  const administrator = administratorOf(given);
  const secret = (part: string, of: SecretAttributes) => new ExistingSecret(self, part, { projectId, ...of });
  const password = secret("Password", attributes.passwordSecret as SecretAttributes);
  const limits = { ...connectionTo(projectId, instanceName, true, ONLY_EXISTING_INSTANCE), isForExisting: true };
  return {
    instanceName,
    projectId,
    connectionName,
    databaseName,
    userName,
    hasPrivateAddress,
    password,
    administratorName: administrator.user,
    administratorPassword:
      given.administrator === undefined ? password : secret("AdministratorPassword", administrator),
    instanceOwner: "others",
    ready: [],
    grantConnect: (identity) => identity.grantOnProject("ConnectsToExistingDatabase", CLIENT_ROLE, limits),
  };
}

const versionOfSecret = ({ version }: Partial<SecretAttributes> = {}) =>
  version === undefined ? undefined : exprOf(version).text;

/** The first of two values, or the second if the first is not given; either may be null at plan. */
function firstOf(one: string | undefined, other = ""): string {
  if (one === undefined) return other;
  return Token.isUnresolved(one) ? hcl`try(coalesce(${one}, ${other}), null)`.text : one;
}
