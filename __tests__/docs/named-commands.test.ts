import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { pages } from "../tools/pages";
import { sourceFiles } from "../tools/source-files";

/**
 * Commands of gcloud, with those of their flags that are named with them:
 * https://cloud.google.com/sdk/gcloud/reference.
 */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "artifacts docker images describe": [],
  "artifacts repositories describe": [],
  "artifacts sbom export": ["--uri"],
  "auth application-default login": ["--impersonate-service-account"],
  "auth application-default revoke": [],
  "auth login": [],
  "auth print-access-token": [],
  "auth revoke": [],
  "beta monitoring channels list": [],
  "backup-dr backup-plan-associations list": ["--location"],
  "backup-dr backups list": [],
  "billing projects link": ["--billing-account"],
  "builds cancel": ["--region"],
  "certificate-manager certificates describe": [],
  "certificate-manager certificates list": ["--location"],
  "compute firewall-rules create": ["--allow", "--network"],
  "compute forwarding-rules list": ["--filter"],
  "compute instances create": ["--zone", "--machine-type"],
  "compute instances get-serial-port-output": [],
  "compute machine-types list": [],
  "compute os-login describe-profile": [],
  "compute os-login ssh-keys add": ["--key-file"],
  "compute regions list": [],
  "compute reset-windows-password": ["--user", "--zone"],
  "compute ssh": ["--tunnel-through-iap", "--zone"],
  "compute ssl-certificates describe": ["--global"],
  "compute ssl-certificates list": [],
  "compute start-iap-tunnel": ["--local-host-port", "--zone"],
  "container clusters describe": ["--location"],
  "container clusters get-credentials": ["--location"],
  "container clusters update": [],
  "dns managed-zones list": [],
  "iam service-accounts add-iam-policy-binding": ["--member", "--role"],
  "iam service-accounts create": [],
  "iam service-accounts disable": [],
  "iam service-accounts keys delete": ["--iam-account"],
  "iam service-accounts keys list": ["--iam-account"],
  "iam service-accounts list": [],
  "iam workload-identity-pools create": ["--location"],
  "iam workload-identity-pools describe": ["--location"],
  "iam workload-identity-pools providers create-oidc": [
    "--attribute-condition",
    "--attribute-mapping",
    "--issuer-uri",
    "--location",
    "--workload-identity-pool",
  ],
  "iam workload-identity-pools providers describe": ["--location", "--workload-identity-pool"],
  "infra-manager deployments apply": [
    "--inputs-file",
    "--local-source",
    "--service-account",
    "--tf-version-constraint",
  ],
  "infra-manager deployments export-statefile": [],
  "infra-manager revisions describe": [],
  "kms keys add-iam-policy-binding": ["--condition", "--keyring", "--location"],
  "kms keys list": [],
  "logging buckets undelete": ["--location"],
  "logging read": ["--bucket", "--freshness", "--limit", "--location", "--view"],
  "logging settings describe": [],
  "monitoring policies list": [],
  "monitoring snoozes cancel": [],
  "monitoring snoozes create": ["--criteria-policies", "--display-name", "--end-time", "--start-time"],
  "monitoring snoozes list": [],
  "projects add-iam-policy-binding": ["--condition", "--member", "--role"],
  "projects create": [],
  "projects describe": [],
  "projects get-iam-policy": ["--filter", "--flatten"],
  "projects list": [],
  "projects remove-iam-policy-binding": ["--all", "--member", "--role"],
  "run jobs delete": ["--region"],
  "run jobs execute": ["--args", "--region", "--update-env-vars", "--wait"],
  "run services delete": [],
  "run services replace": ["--region"],
  "run services update": [],
  "run worker-pools delete": [],
  "secrets add-iam-policy-binding": ["--member", "--role"],
  "secrets create": ["--data-file", "--replication-policy"],
  "secrets delete": [],
  "secrets list": ["--filter"],
  "secrets versions access": ["--secret"],
  "secrets versions add": ["--data-file"],
  "secrets versions enable": ["--secret"],
  "secrets versions list": [],
  "services enable": [],
  "sql backups create": ["--instance"],
  "sql backups list": ["--filter", "--instance", "--sort-by"],
  "sql databases delete": [],
  "sql instances clone": [],
  "sql instances delete": [],
  "sql instances describe": [],
  "sql instances patch": [
    "--database-version",
    "--no-deletion-protection",
    "--no-final-backup",
    "--no-retain-backups-on-delete",
  ],
  "sql instances pre-check-major-version-upgrade": [],
  "sql operations wait": ["--timeout"],
  "sql users set-password": [],
  "storage buckets add-iam-policy-binding": ["--condition", "--member", "--role"],
  "storage buckets create": ["--uniform-bucket-level-access"],
  "storage buckets delete": [],
  "storage buckets list": [],
  "storage buckets update": ["--versioning"],
  "storage cp": [],
  "storage ls": ["--all-versions", "--long", "--recursive"],
  "storage rsync": ["--recursive"],
  "workload-identity service-agents generate": ["--service"],
};

/** Flags that every command has. */
const COMMON_FLAGS = ["--format", "--project"];

/** What messages, descriptions and comments of the library tell people to run, by the file that says it. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  "lib/core/deployment-context.ts": ["compute regions list", "projects list"],
  "lib/core/secrets/generated-secret.ts": ["secrets versions enable"],
  "lib/core/kms-key.ts": ["kms keys list"],
  "lib/core/scripts/google-credentials.sh": ["auth application-default login", "auth print-access-token"],
  "lib/core/scripts/wait-for-api.sh": ["projects add-iam-policy-binding", "services enable"],
  "lib/idp/recovery-access.ts": ["secrets versions access"],
  "lib/idp/media-bucket.ts": ["storage buckets list"],
  "lib/idp/scripts/backup-before-upgrade.sh": ["sql backups list"],
  "lib/idp/scripts/build-image.sh": ["builds cancel"],
  "lib/idp/scripts/database-jobs.sh": ["run jobs delete"],
  "lib/idp/scripts/db-init.sh": ["sql users set-password"],
  "lib/idp/scripts/restore-drill.sh": ["backup-dr backups list"],
  "lib/idp/scripts/restore.sh": ["backup-dr backups list", "sql backups list", "sql operations wait"],
  "lib/idp/scripts/return-home.sh": ["secrets delete"],
  "lib/idp/scripts/promote.sh": ["sql instances describe"],
  "lib/idp/scripts/sql-rest.sh": ["sql instances delete", "sql instances patch"],
  "lib/idp/scripts/swap-database.sh": ["sql databases delete"],
  "lib/idp/secret-reference.ts": ["secrets versions list"],
  "lib/lab/lab-inputs.ts": ["compute machine-types list", "compute reset-windows-password"],
  "lib/lab/lab-landing-zone.ts": ["compute instances get-serial-port-output", "compute os-login ssh-keys add"],
  "lib/platform/domain/dns-records.ts": [
    "certificate-manager certificates describe",
    "compute ssl-certificates describe",
  ],
  "lib/platform/domain/domain.ts": ["dns managed-zones list"],
  "lib/platform/identity/listed-grants.ts": ["workload-identity service-agents generate"],
  "lib/platform/identity/service-identity.ts": ["iam service-accounts list"],
  "lib/platform/kubernetes/autopilot-cluster.ts": ["container clusters get-credentials"],
  "lib/platform/kubernetes/existing-cluster.ts": ["container clusters describe"],
  "lib/platform/landing-zone.ts": ["kms keys list", "projects describe"],
  "lib/platform/monitoring/alert.ts": ["logging read"],
  "lib/platform/monitoring/database-alerts.ts": ["sql backups create", "sql backups list", "sql instances describe"],
  "lib/platform/monitoring/monitoring-settings.ts": ["beta monitoring channels list"],
  "lib/platform/monitoring/request-alerts.ts": [
    "certificate-manager certificates list",
    "compute ssl-certificates list",
  ],
  "lib/platform/monitoring/standby-alerts.ts": ["sql instances describe"],
  "lib/platform/registry/image-registry.ts": ["artifacts repositories describe"],
  "lib/platform/serverless/cloud-run-jobs.ts": ["run jobs execute"],
  "lib/platform/sql/existing-backup-plan.ts": ["backup-dr backup-plan-associations list"],
  "lib/platform/sql/existing-database.ts": ["sql instances describe"],
};

/** Sentences about gcloud itself. */
const PROSE = /^(?:and|command that|is not|may outlive|writes it)\b/;

interface Named {
  /** Undefined for none that is known. */
  readonly command: string | undefined;
  readonly words: string;
  readonly unknownFlags: readonly string[];
}

/** The commands of a text, each with its flags up to the end of the command. */
function commandsIn(text: string): Named[] {
  const found = [...text.matchAll(/\bgcloud ((?:(?!gcloud\b)[a-z][a-z-]*[a-z0-9] ?)+)([^\n;|`"]*)/g)];
  return found
    .map(([, words = "", rest = ""]) => ({ words: words.trim(), rest }))
    .filter(({ words }) => !PROSE.test(words))
    .map(({ rest, words }) => {
      // What follows a command may be an argument, or the sentence around it.
      const command = Object.keys(COMMANDS).find((known) => `${words} `.startsWith(`${known} `));
      const flags = [...COMMON_FLAGS, ...(COMMANDS[command ?? ""] ?? [])];
      const named = [...rest.matchAll(/(?<![\w-])--[a-z-]+/g)].map(([flag]) => flag);
      return { command, words, unknownFlags: named.filter((flag) => !flags.includes(flag)) };
    });
}

/** What is wrong with the commands of a text. */
const problemsIn = (path: string, text: string) =>
  commandsIn(text)
    .filter(({ command, unknownFlags }) => command === undefined || unknownFlags.length > 0)
    .map(({ unknownFlags, words }) => `${path}: gcloud ${words} ${unknownFlags.join(" ")}`);

const SOURCES = sourceFiles().map((file): [path: string, text: string] => [
  file,
  readFileSync(packageFile(file), "utf8"),
]);

describe("The commands that people are told to run", () => {
  it("are commands of gcloud, with flags that these have", () => {
    const texts = [...SOURCES, ...pages().map(({ path, text }): [string, string] => [path, text])];
    expect(texts.flatMap(([path, text]) => problemsIn(path, text))).toEqual([]);
  });

  it("are in each file those that its messages are about", () => {
    const named = SOURCES.map(([file, text]) => [
      file,
      [...new Set(commandsIn(text).flatMap(({ command }) => command ?? []))].sort(),
    ]);
    expect(Object.fromEntries(named.filter(([, commands]) => commands?.length !== 0))).toEqual(NAMED);
  });
});
