import { ACCEPTED_BY_BOTH } from "../../stacks/accepted-inputs";
import { APPLY_AT_ONCE, type Deployment, type Inputs } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";

/** A part that exists: what is in the project, and what the stack then does not make. */
interface ExistingPart {
  readonly inputs: Inputs;
  /** Type and identity of resources that are managed elsewhere. */
  readonly others: readonly string[];
  /** Types that the stack makes only for this part, with a word in their identity where it makes others too. */
  readonly replaces: readonly string[];
}

const ACCOUNTS = ["service", "job", "dump", "check_up", "sign_in_probe", "recovery", "build", "scheduler"];

/** Secrets that others have stored, with a payload that nothing else may have. */
const SECRETS = { secret_key: "former-key", bootstrap_password: "first-password" } as const;
const LOGINS = { idp: "idp-password", postgres: "postgres-password" } as const;

const payloadOf = (secret: string) => `payload-of-${secret}`;

const DATABASE = {
  connection_name: "my-project:us-central1:shared-postgres",
  database: "idp",
  user: "idp",
  password_secret: { secret_id: LOGINS.idp, version: 1 },
};

/** Parts that either variant can take in. */
export const EXISTING_PARTS: Readonly<Record<string, ExistingPart>> = {
  bucket: {
    inputs: { existing_bucket: { name: "acme-uploads" } },
    others: ["google_storage_bucket acme-uploads"],
    replaces: ["google_storage_bucket -storage"],
  },
  database: {
    inputs: {
      existing_database: {
        ...DATABASE,
        administrator: { user: "postgres", secret: { secret_id: LOGINS.postgres, version: 1 } },
      },
    },
    others: ["google_sql_database_instance shared-postgres"],
    replaces: ["google_sql_database_instance sql-", "google_secret_manager_secret db-password"],
  },
  repository: {
    inputs: {
      existing_repository: { image_prefix: "europe-docker.pkg.dev/shared-images/idp", location: "europe" },
    },
    others: ["google_artifact_registry_repository projects/shared-images/locations/europe/repositories/idp"],
    replaces: ["google_artifact_registry_repository "],
  },
  secrets: {
    inputs: {
      existing_secrets: Object.fromEntries(
        Object.entries(SECRETS).map(([name, secret]) => [name, { secret_id: secret, version: 1 }]),
      ),
    },
    others: [],
    replaces: ["secret-key", "bootstrap-password"].map((name) => `google_secret_manager_secret ${name}`),
  },
  accounts: {
    inputs: {
      existing_service_accounts: Object.fromEntries(
        ACCOUNTS.map((name) => [name, `idp-${name.replace("_", "-")}@shared-accounts.iam.gserviceaccount.com`]),
      ),
    },
    others: ACCOUNTS.map(
      (name) =>
        `google_service_account projects/-/serviceAccounts/idp-${name.replace("_", "-")}@shared-accounts.iam.gserviceaccount.com`,
    ),
    replaces: ["run", "init", "dump", "check", "build", "start-dump"].map(
      (name) => `google_service_account idp-${name}`,
    ),
  },
};

/** The account of the nodes of a new cluster, on GKE, which can be given from the beginning alone. */
const NODES = "idp-nodes@shared-accounts.iam.gserviceaccount.com";

/** Inputs with that account. */
export const withNodes = (inputs: Inputs): Inputs => ({
  ...inputs,
  existing_service_accounts: { ...(inputs.existing_service_accounts as object), nodes: NODES },
});

/** The inputs of all of them. */
export const ALL_EXISTING = Object.assign({}, ...Object.values(EXISTING_PARTS).map(({ inputs }) => inputs)) as Inputs;

/** Accepts another secret key. */
export const ACCEPTED_KEY = "-replace=terraform_data.secrets_secret_key_first";

/** Adds the parts that are managed elsewhere, also in the projects that combinations name. */
export function prepareExisting({ cloud }: Deployment): void {
  for (const project of ACCEPTED_BY_BOTH.project_id)
    for (const secret of Object.values({ ...SECRETS, ...LOGINS }))
      for (const version of [1, 3]) cloud.addOthersSecret(project, secret, version, payloadOf(secret));
  const nodes = `google_service_account projects/-/serviceAccounts/${NODES}`;
  for (const key of [nodes, ...Object.values(EXISTING_PARTS).flatMap(({ others }) => others)]) cloud.others.add(key);
}

/** Adds the logins of the existing database, with the passwords in their secrets. */
export function addLogins({ cloud }: Deployment): void {
  cloud.administratorPasswords.set("shared-postgres", payloadOf(LOGINS.postgres));
  cloud.databaseRoles.set(`shared-postgres/${DATABASE.user}`, payloadOf(LOGINS.idp));
}

/** How many resources there are that parts replace. */
function madeFor({ cloud }: Deployment, { replaces }: ExistingPart): number {
  const words = replaces.map((each) => each.split(" ") as [string, string]);
  return [...cloud.objects.values()].filter(({ id, type }) =>
    words.some(([of, word]) => type === of && id.includes(word)),
  ).length;
}

/** An apply, after which a plan is empty, and the stack has made these parts or none of them. */
async function requireParts(deployment: Deployment, made: boolean, ...further: string[]): Promise<void> {
  await deployment.settle(deployment.inputs, ...further);
  for (const [name, part] of Object.entries(EXISTING_PARTS))
    if (madeFor(deployment, part) > 0 !== made)
      throw new StepFailure("apply", `the stack has ${made ? "not " : ""}made its own ${name}`);
}

/** Parts that exist are used from the first apply on, taken in by a running deployment, and given back. */
export const WITH_EXISTING_PARTS: Episode = {
  name: "parts that exist",
  fromNothing: true,
  play: async (deployment) => {
    const { project_id } = deployment.inputs;
    addLogins(deployment);
    const begun = { project_id, alert_emails: ["on-call@example.com"], dumps: { schedule: "30 4 * * *" } };
    const unprotected = { ...begun, deletion_protection: false };
    deployment.inputs = withNodes({ ...unprotected, ...ALL_EXISTING, existing_database: DATABASE });
    await requireParts(deployment, false);
    const [own] = deployment.cloud.ofType("google_service_account");
    if (own !== undefined) throw new StepFailure("apply", `the stack has made its own ${own.id}`);
    await deployment.destroy();

    await deployment.applyWith(begun);
    deployment.inputs = { ...begun, ...ALL_EXISTING };
    await deployment.refuse(
      ["plan", "-input=false"],
      'existing_bucket is "acme-uploads", but the protected deployment has null',
    );
    const existing = { ...unprotected, ...ALL_EXISTING };
    deployment.inputs = existing;
    await deployment.refuse([...APPLY_AT_ONCE, ACCEPTED_KEY], "change the rest in a second apply");
    await deployment.applyWith(unprotected);
    const ownParts = (word: string) => ({ ...existing, own_parts: word });
    // Another secret key is accepted by name.
    for (const inputs of [ownParts("kept"), existing, ownParts("used"), unprotected]) {
      deployment.inputs = inputs;
      const isOther = "own_parts" in inputs;
      if (isOther) await deployment.refuse(APPLY_AT_ONCE, "every session ends");
      await requireParts(deployment, inputs !== existing, ...(isOther ? [ACCEPTED_KEY] : []));
      if (inputs !== existing) continue;
      await deployment.applyWith({ ...begun, ...ALL_EXISTING });
      deployment.inputs = { ...deployment.inputs, own_parts: "used" };
      await deployment.refuse(["plan", "-input=false", ACCEPTED_KEY], "existing_database is null, but the protected");
      await deployment.applyWith(existing);
    }
  },
};
