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

const ACCOUNTS = ["service", "job", "dump", "check_up", "build", "scheduler"];

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

export const allInputs = (parts: readonly ExistingPart[]) =>
  Object.assign({}, ...parts.map(({ inputs }) => inputs)) as Inputs;

/** Adds the parts that are managed elsewhere, also in the projects that combinations name. */
export function prepareExisting({ cloud }: Deployment): void {
  for (const project of ACCEPTED_BY_BOTH.project_id)
    for (const secret of Object.values({ ...SECRETS, ...LOGINS }))
      for (const version of [1, 3]) cloud.addOthersSecret(project, secret, version, payloadOf(secret));
  for (const key of Object.values(EXISTING_PARTS).flatMap(({ others }) => others)) cloud.others.add(key);
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
async function requireParts(
  deployment: Deployment,
  parts: Readonly<Record<string, ExistingPart>>,
  made: boolean,
  ...further: string[]
) {
  await deployment.applyAtOnce(...further);
  await deployment.requireEmptyPlan("parts that exist: second plan");
  for (const [name, part] of Object.entries(parts))
    if (madeFor(deployment, part) > 0 !== made)
      throw new StepFailure("apply", `the stack has ${made ? "not " : ""}made its own ${name}`);
}

/**
 * Parts that exist are used from the first apply on, taken in by a running deployment, and given back.
 *
 * @param parts by name
 * @param refusal what a plan says while the deployment is protected
 * @param acceptedKey accepts another secret key
 */
export function existingParts(
  parts: Readonly<Record<string, ExistingPart>>,
  refusal: string,
  acceptedKey: string,
): Episode {
  const all = Object.values(parts);
  return {
    name: "parts that exist",
    fromNothing: true,
    play: async (deployment) => {
      const { cloud, inputs: whole } = deployment;
      addLogins(deployment);

      const { project_id } = whole;
      const begun = { project_id, alert_emails: ["on-call@example.com"], dump_schedule: "30 4 * * *" };
      const unprotected = { ...begun, deletion_protection: false };
      deployment.inputs = { ...unprotected, ...allInputs(all), existing_database: DATABASE };
      await requireParts(deployment, parts, false);
      await deployment.applyAtOnce("-destroy");
      const left = [...cloud.objects.keys()];
      if (left.length > 0) throw new StepFailure("destroy", `the project still has ${left.join(", ")}`);

      deployment.inputs = begun;
      await deployment.applyAtOnce();
      deployment.inputs = { ...begun, ...allInputs(all) };
      await deployment.refuse(["plan", "-input=false"], refusal);
      const existing = { ...unprotected, ...allInputs(all) };
      deployment.inputs = existing;
      await deployment.refuse([...APPLY_AT_ONCE, acceptedKey], "change the rest in a second apply");
      deployment.inputs = unprotected;
      await deployment.applyAtOnce();
      const own = (word: string) => ({ ...existing, own_parts: word });
      // Another secret key is accepted by name.
      for (const inputs of [own("kept"), existing, own("used"), unprotected]) {
        deployment.inputs = inputs;
        const isOther = "own_parts" in inputs;
        if (isOther) await deployment.refuse(APPLY_AT_ONCE, "every session ends");
        await requireParts(deployment, parts, inputs !== existing, ...(isOther ? [acceptedKey] : []));
        if (inputs !== existing) continue;
        deployment.inputs = { ...begun, ...allInputs(all) };
        await deployment.applyAtOnce();
        deployment.inputs = { ...deployment.inputs, own_parts: "used" };
        await deployment.refuse(["plan", "-input=false", acceptedKey], "existing_database is null, but the protected");
        deployment.inputs = existing;
        await deployment.applyAtOnce();
      }
    },
  };
}
