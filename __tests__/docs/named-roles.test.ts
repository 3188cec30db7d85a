import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { pages } from "../tools/pages";
import { sourceFiles } from "../tools/source-files";

/**
 * Roles that Google has, each with permissions of it that something here needs:
 * https://cloud.google.com/iam/docs/roles-permissions. One without permissions is named in pages alone.
 */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  "roles/artifactregistry.admin": [],
  "roles/artifactregistry.reader": [],
  "roles/bigquery.dataEditor": [],
  "roles/certificatemanager.owner": [],
  "roles/cloudbuild.builds.editor": ["cloudbuild.builds.create"],
  "roles/cloudbuild.workerPoolUser": ["cloudbuild.workerpools.use"],
  "roles/cloudkms.admin": [],
  "roles/cloudkms.cryptoKeyEncrypterDecrypter": ["cloudkms.cryptoKeyVersions.useToEncrypt"],
  "roles/cloudscheduler.admin": [],
  "roles/cloudsql.admin": ["cloudsql.backupRuns.create", "cloudsql.backupRuns.list", "cloudsql.instances.get"],
  "roles/cloudsql.client": [],
  "roles/compute.loadBalancerAdmin": ["compute.backendServices.update"],
  "roles/compute.networkAdmin": [],
  "roles/compute.networkUser": [],
  "roles/compute.networkViewer": [],
  "roles/compute.securityAdmin": ["compute.securityPolicies.use"],
  "roles/config.agent": [],
  "roles/container.admin": [],
  "roles/container.developer": [],
  "roles/container.hostServiceAgentUser": [],
  "roles/dns.admin": [],
  "roles/iam.securityReviewer": [],
  "roles/iam.serviceAccountAdmin": [],
  "roles/iam.serviceAccountTokenCreator": ["iam.serviceAccounts.getAccessToken"],
  "roles/iam.workloadIdentityUser": ["iam.serviceAccounts.getAccessToken"],
  "roles/iam.serviceAccountUser": ["iam.serviceAccounts.actAs"],
  "roles/iap.tunnelResourceAccessor": [],
  "roles/migrationcenter.admin": ["migrationcenter.sources.create", "migrationcenter.sources.delete"],
  "roles/migrationcenter.viewer": ["migrationcenter.assets.list"],
  "roles/logging.configWriter": [],
  "roles/logging.logWriter": [],
  "roles/logging.viewAccessor": [],
  "roles/logging.viewer": [],
  "roles/monitoring.editor": [],
  "roles/pubsub.publisher": [],
  "roles/resourcemanager.projectIamAdmin": [],
  "roles/run.admin": [],
  "roles/run.invoker": ["run.routes.invoke"],
  "roles/run.jobsExecutorWithOverrides": [],
  "roles/secretmanager.admin": [],
  "roles/secretmanager.secretAccessor": [],
  "roles/serviceusage.serviceUsageAdmin": ["serviceusage.services.enable"],
  "roles/serviceusage.serviceUsageConsumer": ["serviceusage.services.use"],
  "roles/storage.admin": ["storage.objects.list", "storage.objects.restore"],
  "roles/storage.legacyBucketReader": [],
  "roles/storage.objectAdmin": [],
  "roles/storage.objectCreator": ["storage.objects.create"],
  "roles/storage.objectViewer": [],
  "roles/viewer": [],
};

/** What whoever reads a message needs, by the file with the message: the permissions of the calls that failed. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "lib/core/scripts/google-credentials.sh": ["iam.serviceAccounts.getAccessToken"],
  "lib/core/scripts/google-rest.sh": ["serviceusage.services.use"],
  "lib/core/scripts/wait-for-api.sh": ["serviceusage.services.enable"],
  "lib/idp/dump-copies.ts": ["storage.objects.create"],
  "lib/idp/idp-image.ts": ["cloudbuild.workerpools.use"],
  "lib/idp/scripts/backup-before-upgrade.sh": ["cloudsql.backupRuns.create"],
  "lib/idp/scripts/build-image.sh": ["cloudbuild.builds.create", "iam.serviceAccounts.actAs"],
  "lib/idp/scripts/dump-database.sh": ["storage.objects.create"],
  "lib/idp/scripts/restore-drill.sh": ["cloudsql.instances.get"],
  "lib/idp/scripts/restore.sh": ["cloudsql.backupRuns.list", "storage.objects.list"],
  "lib/lab/lab-landing-zone.ts": ["cloudkms.cryptoKeyVersions.useToEncrypt"],
  "lib/lab/scripts/assessment-cleanup.sh": ["migrationcenter.sources.delete"],
  "lib/lab/scripts/assessment-status.sh": ["migrationcenter.assets.list"],
  "lib/lab/scripts/register-source.sh": ["migrationcenter.sources.create"],
  "lib/platform/kubernetes/scripts/configure-load-balancer.sh": [
    "compute.backendServices.update",
    "compute.securityPolicies.use",
  ],
  "lib/platform/identity/existing-identity.ts": ["iam.serviceAccounts.getAccessToken"],
  "lib/platform/landing-zone.ts": ["cloudkms.cryptoKeyVersions.useToEncrypt"],
  "lib/platform/serverless/public-access.ts": ["run.routes.invoke"],
};

const ROLE = /\broles\/[a-zA-Z]+(?:\.[a-zA-Z]+)*/g;

/** Roles in the texts of a file, apart from those that it grants, which are literals of their own. */
function rolesIn(text: string): string[] {
  const named = [...text.matchAll(ROLE)].filter(({ 0: role, index }) => {
    const around = `${text[index - 1] ?? ""}${text[index + role.length] ?? ""}`;
    return around !== '""' && !text.startsWith(".${", index + role.length);
  });
  return [...new Set(named.map(([role]) => role))];
}

describe("The roles that people are told to ask for", () => {
  it("have what the failed call needs, and there is none beside them", () => {
    const found = sourceFiles()
      .map((file): [string, string[]] => [file, rolesIn(readFileSync(packageFile(file), "utf8"))])
      .filter(([, roles]) => roles.length > 0);
    expect(found.map(([file]) => file).sort()).toEqual(Object.keys(NEEDED).sort());
    for (const [file, roles] of found) {
      const needed = NEEDED[file] ?? [];
      const has = (role: string) => needed.filter((permission) => ROLES[role]?.includes(permission));
      expect({ file, useless: roles.filter((role) => has(role).length === 0) }).toEqual({ file, useless: [] });
      expect({ file, has: roles.flatMap(has).sort() }).toEqual({ file, has: [...needed].sort() });
    }
  });

  it("are roles that Google has, in pages too", () => {
    const named = pages().flatMap(({ path, text }) => rolesIn(text).map((role) => `${path}: ${role}`));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((line) => ROLES[line.split(": ")[1] ?? ""] === undefined)).toEqual([]);
  });
});
