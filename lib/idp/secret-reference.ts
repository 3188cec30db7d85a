import { type Expr } from "../core/expr/expr";
import { element, split } from "../core/expr/functions";
import { type Input, orResource, type PropsOf, type Reading, text, textOrNumber } from "../core/inputs/rows";
import { type Rule } from "../core/inputs/rules";
import { SECRET_ID_MAX_LENGTH } from "../core/names";
import { prose } from "../core/prose";

const PROJECT = "([a-z][a-z0-9-]{4,28}[a-z0-9]|[1-9][0-9]*)";

const SECRET_ID = `^(projects/${PROJECT}/secrets/)?[A-Za-z0-9_-]{1,${SECRET_ID_MAX_LENGTH}}$`;

const SECRET_VERSION = "^[1-9][0-9]*$";

/** The full name of a secret, because it may belong to another project. */
const fullNameOf: Reading = (secret) =>
  `projects/${secret.getStringAttribute("project")}/secrets/${secret.getStringAttribute("secret_id")}`;

/** Functions that read the reference from the resource of a version. */
const VERSION_READS: Readonly<Record<string, Reading>> = {
  google_secret_manager_secret_version: (version) => ({
    secretId: element(split("/versions/", version.getStringAttribute("name")), 0).text,
    version: version.getStringAttribute("version"),
  }),
};

/** A row for one or several versions of secrets; resources of versions are accepted too. */
export const orVersion = <Row extends Input>(row: Row) => orResource("secretData", VERSION_READS, row);

/** A version of an existing secret that is managed elsewhere. */
export const SECRET_REFERENCE = {
  /**
   * Name of the secret, or its resource. A secret of another project needs the full name,
   * `projects/<project>/secrets/<name>`.
   */
  secretId: orResource(
    "secretId",
    { google_secret_manager_secret: fullNameOf },
    text({
      description:
        "name of the secret, in full (projects/<project>/secrets/<name>, by id or number) for one of another project",
      schema: { pattern: SECRET_ID },
    }),
  ),
  /** Number of the version. Instances read it when they start, so a change rolls out new ones. */
  version: textOrNumber({ description: "number of its version", schema: { pattern: SECRET_VERSION } }),
};

/** A reference to a version of an existing secret; the resource of the version may be given instead. */
export interface SecretReference extends PropsOf<typeof SECRET_REFERENCE> {}

/** A reference to a secret, with Terraform names. */
export interface StoredReference {
  readonly secret_id: string;
  readonly version: string;
}

/** Whether name and version of a reference have a valid form. */
export const isReference = (value: Expr<StoredReference>) =>
  value.member<string>("secret_id").matches(SECRET_ID).and(value.member<string>("version").matches(SECRET_VERSION));

const ID_RULE = "name a secret, or projects/<project>/secrets/<name> for one of another project";
const VERSION_RULE = prose`
  the number of a version, because with latest, instances would get a new value at their next start,
  without a plan that shows it
`;

export const REFERENCE_RULE = `${ID_RULE}, and ${VERSION_RULE}; look both up with gcloud secrets versions list`;

/** A reference to a secret as a whole. */
export const IS_REFERENCE: Rule<StoredReference> = {
  condition: isReference,
  must: REFERENCE_RULE,
  mustForLiteral: (value) => {
    const isId = value.member<string>("secret_id").matches(SECRET_ID);
    if (isId.isLiteral && !isId.literal) return undefined;
    return `have ${VERSION_RULE}; look it up with gcloud secrets versions list`;
  },
};
