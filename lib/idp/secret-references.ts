import { Token, type IResolvable } from "cdktf";

import { CheckedEntries, everyMember } from "../core/checked-entries";
import { CheckedRelation } from "../core/checked-relation";
import { CheckedValue, matching } from "../core/checked-value";
import { SECRET_ID_MAX_LENGTH } from "../core/names";
import { type EnvironmentOverrides } from "./container-spec";
import { FREE_NAME, VARIABLE_NAME } from "./environment-rules";

/** A version of an existing secret that is managed elsewhere. */
export interface SecretReference {
  /**
   * Name of the secret; one of another project in full, `projects/<project>/secrets/<name>`, with the id or the number of
   * the project.
   */
  readonly secretId: string;

  /** Number of the version. Instances read it when they start, so a change rolls out new ones. */
  readonly version: number | string;
}

/** Existing secrets by the names of variables: a literal map, or an expression of a map with Terraform's names. */
export type SecretReferences = Readonly<Record<string, SecretReference>> | IResolvable;

/** Name of an existing secret. */
export const SECRET_NAME = matching(
  `^(projects/([a-z][a-z0-9-]{4,28}[a-z0-9]|[1-9][0-9]*)/secrets/)?[A-Za-z0-9_-]{1,${SECRET_ID_MAX_LENGTH}}$`,
  {
    must: "be the name of a secret, or projects/<project>/secrets/<name> for one of another project",
    remedy: "look it up with gcloud secrets list",
  },
);

const VERSION = "^[1-9][0-9]*$";

/** Number of a version, as a number or as text. */
export const SECRET_VERSION = new CheckedValue<number | string>({
  accepts: (version) => new RegExp(VERSION).test(String(version)),
  condition: (version) => `can(regex("${VERSION}", ${version}))`,
  must: "be the number of a version",
  reason: "with latest, instances would get a new value at their next start, without a plan that shows it",
  remedy: "use the number that gcloud secrets versions list shows",
  schema: { pattern: VERSION },
});

type Entry = Readonly<Record<string, unknown>>;

const COMPLETE = new CheckedEntries<Entry>({
  accepts: (_, { secretId, version }) => isPresent(secretId) && isPresent(version),
  condition: "value.secret_id != null && value.version != null",
  show: "key",
  rule: "each must have the name of a secret and the number of a version; set both",
});

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Rules for a map of secret variables as a whole. */
export const SECRET_VARIABLE_RULES: readonly CheckedEntries<Entry>[] = [VARIABLE_NAME, FREE_NAME, COMPLETE];

/** Rules for the members of each reference in a map. */
export const SECRET_REFERENCE_RULES: readonly CheckedEntries<Entry>[] = [
  everyMember("secretId", SECRET_NAME),
  everyMember("version", SECRET_VERSION),
];

/** A variable has one value: Cloud Run would refuse a second one, and Kubernetes would use the last. */
export const ONE_VALUE = new CheckedRelation<{ plain: EnvironmentOverrides; secret: SecretReferences }, "names">({
  accepts: ({ plain, secret }) => commonNames(plain, secret).length === 0,
  condition: ({ plain, secret }) => `length(setintersection(keys(${plain}), keys(${secret}))) == 0`,
  figures: {
    names: {
      of: ({ plain, secret }) => commonNames(plain, secret).join(", "),
      expression: ({ plain, secret }) => `join(", ", sort(setintersection(keys(${plain}), keys(${secret}))))`,
    },
  },
  problem: (names, _, { names: both }) =>
    `${names.secret} and ${names.plain} both have ${both}; a variable has only one value; remove it from ${names.plain}`,
});

function commonNames(plain: EnvironmentOverrides, secret: SecretReferences): string[] {
  if (Token.isUnresolved(plain) || Token.isUnresolved(secret)) return [];
  return Object.keys(secret)
    .filter((name) => name in plain)
    .sort();
}
