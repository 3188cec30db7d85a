import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { CLUSTER_INIT_JOB, KubectlStandIn, NAMESPACE } from "./kubectl-stand-in";
import { inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

const NEW = {
  INSTANCE: "sql-new",
  DATABASE: "idp_b_demo",
  INIT_JOB: CLUSTER_INIT_JOB,
  MEDIA_BUCKET: "media-b",
  NAMESPACE,
};

describeWith(["curl", "dash", "jq"], "recover-elsewhere.sh on GKE", () => {
  it("connects to the new cluster, and removes what runs in it while the database is restored", () =>
    inSqlScene(async ({ run, standIn }) => {
      const { programs: cluster } = await KubectlStandIn.start();
      const folder = temporaryFolder();
      const log = join(folder, "log");
      writeFileSync(log, "");
      writeFileSync(join(folder, "variables.tf"), 'variable "existing_secrets" {\n');
      const words = Object.entries({ PROJECT_ID: PROJECT, ADMINISTRATOR_SECRET: "administrator", ...NEW });
      const settings = words.map((pair) => pair.join("=")).join(" ");
      const scripts = {
        gcloud: `echo "gcloud $* into \${KUBECONFIG##*/}" >>'${log}'`,
        kubectl: `[ "$4" != delete ] || echo "kubectl $4 $5 $6" >>'${log}'; exec ${cluster}/kubectl "$@"`,
        terraform: `case "$*" in
          *restore_settings) grep -q "terraform apply" '${log}' && echo "export ${settings}" ;;
          *connect_command) echo "gcloud container clusters get-credentials gke-new" ;;
          *dns_records) echo '[]' ;;
          *service_url) echo https://198.51.100.7 ;;
          apply*) echo "terraform apply" >>'${log}' ;;
        esac`,
      };
      standIn.sql.make(PROJECT, NEW.INSTANCE, { [NEW.DATABASE]: 1 });
      standIn.sql.addBackup(PROJECT, INSTANCE, { location: "us" });
      standIn.secrets.payloads.set(`projects/${PROJECT}/secrets/key`, "a key");

      const { exitCode, stderr } = await run("recover-elsewhere", {
        arguments: ["recover", "europe-west1", "--yes", "--from", "backup"],
        environment: {
          APPLICATION_NAME: "idp",
          NAMESPACE: "lost",
          REGION: "",
          DATABASE_REGION: "us-central1",
          SECRET_KEY_SECRET: "key",
          SECRET_KEY_VERSION: "1",
        },
        folder,
        programs: programFolder({ scripts }),
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      const service = CLUSTER_INIT_JOB.replace(/-db-init.*/, "");
      expect(
        readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .filter((line) => !line.includes(" job ")),
      ).toEqual([
        "terraform apply",
        "gcloud container clusters get-credentials gke-new into kubeconfig",
        `kubectl delete deployment ${service}`,
        `kubectl delete deployment ${service}-worker`,
        "terraform apply",
      ]);
      expect(JSON.parse(readFileSync(join(folder, "recovery-idp-b.tfvars.json"), "utf8"))).toEqual({
        region: "europe-west1",
        application_name: "idp-b",
        secret_locations: ["europe-west1"],
        existing_secrets: { secret_key: { secret_id: "idp-b-recovered-secret-key", version: 1 } },
      });
    }));
});
