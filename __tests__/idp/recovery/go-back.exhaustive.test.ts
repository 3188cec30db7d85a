import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { objectName, serviceName, workerPoolName } from "../../../lib/core/names";
import { packageFile } from "../../../lib/core/package-file";
import { WORKER_NAME } from "../../../lib/idp/worker";
import { programFolder, runFile } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { blocksIn, pageOf } from "../../tools/pages";
import { CLUSTER_INIT_JOB, KubectlStandIn, NAMESPACE } from "./kubectl-stand-in";
import { DATABASE, INIT_JOB, inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

const DEPLOYMENT = { tenantPrefix: "demo-abc123", applicationName: "idp" };

const [, AFTER_HEADING = ""] = pageOf("stacks/guides/upgrade.md").text.split("\n## Go back to an earlier release\n");
const [SECTION = ""] = AFTER_HEADING.split("\n## ");
/** All commands of the page: the steps in their order, and what to do after an apply that fails. */
const COMMANDS = blocksIn(SECTION, "sh").flatMap((block) => block.trim().split("\n"));

const APPLY = "terraform apply -var application_version=2026.5.4";
const RESTORED = "the backup is restored";
const SERVICE = `${serviceName(DEPLOYMENT)} --region=us-central1 --project=demo-project`;
const POOL = `${workerPoolName(DEPLOYMENT)} --region=us-central1 --project=demo-project`;

/** What shall happen, in this order: nothing of the newer release may run between the restore and the apply. */
const ON_CLOUD_RUN = [
  `gcloud run services update ${SERVICE} --scaling=0`,
  // An apply sets the number of workers and their release at once, so that a pool of the newer one could start first.
  `gcloud run worker-pools delete ${POOL} --quiet`,
  RESTORED,
  APPLY,
  `gcloud run services update ${SERVICE} --scaling=auto`,
  `gcloud run services delete ${SERVICE} --quiet`,
  APPLY,
];

const scale = (name: string, replicas: number) => `kubectl scale deployment/${name} --replicas=${replicas}`;
const ON_GKE = [
  scale(objectName(DEPLOYMENT), 0),
  scale(objectName(DEPLOYMENT, WORKER_NAME), 0),
  "kubectl wait pod --for=delete --selector=app.kubernetes.io/component in (server,worker) --timeout=5m",
  RESTORED,
  APPLY,
  scale(objectName(DEPLOYMENT), 1),
  scale(objectName(DEPLOYMENT, WORKER_NAME), 1),
];

describeWith(["curl", "dash", "jq"], "The page's way back to an earlier release", () => {
  it.concurrent.each([
    ["Cloud Run", "kubectl", { INIT_JOB, REGION: "us-central1" }, ON_CLOUD_RUN],
    ["GKE", "gcloud", { INIT_JOB: CLUSTER_INIT_JOB, NAMESPACE }, ON_GKE],
  ] as const)("restores on %s while nothing runs, and then starts that release", (_, other, place, expected) =>
    inSqlScene(async ({ standIn }) => {
      const folder = temporaryFolder();
      const log = join(folder, "log");
      symlinkSync(packageFile("lib/idp/scripts"), join(folder, "scripts"));
      // An apply cannot fail for want of instances on GKE.
      const commands = COMMANDS.slice(0, other === "gcloud" ? -1 : undefined).filter((line) => !line.startsWith(other));
      writeFileSync(join(folder, "commands.sh"), ["set -eu", `cd '${folder}'`, ...commands].join("\n"));
      const settings = { PROJECT_ID: PROJECT, INSTANCE, DATABASE, ADMINISTRATOR_SECRET: "administrator", ...place };
      const exported = Object.entries(settings).map((pair) => pair.join("="));
      const { programs } = await KubectlStandIn.start();
      const scripts = {
        gcloud: `echo "gcloud $*" >>'${log}'`,
        kubectl: `case $3 in scale | wait) shift 2; echo "kubectl $*" >>'${log}' ;; *) exec ${programs}/kubectl "$@" ;; esac`,
        terraform: `case "$*" in
          apply*) echo "terraform $*" >>'${log}' ;;
          *tenant_prefix) echo ${DEPLOYMENT.tenantPrefix} ;;
          *) echo "export ${exported.join(" ")}" ;;
        esac`,
      };
      standIn.sql.addBackup(PROJECT, INSTANCE, { description: "before 2026.5.9" });
      standIn.onRequest = ({ method }) => {
        if (method.endsWith("restoreBackup")) appendFileSync(log, `${RESTORED}\n`);
      };

      const { exitCode, stderr } = await runFile(join(folder, "commands.sh"), {
        programs: programFolder({ scripts }),
        environment: { ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", LOG_SECONDS: "0" },
        input: "yes\n",
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(readFileSync(log, "utf8").trim().split("\n")).toEqual(expected);
    }),
  );
});
