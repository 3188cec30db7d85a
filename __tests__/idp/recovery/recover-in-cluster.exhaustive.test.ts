import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { CLUSTER_INIT_JOB, KubectlStandIn, NAMESPACE } from "./kubectl-stand-in";
import { DATABASE, inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

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
        arguments: ["recover", "europe-west1", "--yes", "--force", "--from", "backup"],
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

describeWith(["curl", "dash", "jq"], "return-home.sh on GKE", () => {
  it("empties both clusters, and waits in the one elsewhere until nobody uses its database, before it backs up", () =>
    inSqlScene(async ({ run, standIn }) => {
      const clusters = { "gke-new": await KubectlStandIn.start(), "gke-home": await KubectlStandIn.start() };
      const folder = temporaryFolder();
      const log = join(folder, "log");
      writeFileSync(log, "");
      mkdirSync(join(folder, ".terraform-idp-b"));
      const words = Object.entries({ PROJECT_ID: PROJECT, DATABASE_REGION: "europe-west1", ...NEW });
      const cases = Object.entries(clusters).map(([name, { programs }]) => `${name}) exec ${programs}/kubectl "$@" ;;`);
      const scripts = {
        gcloud: `echo "connect $4" >>'${log}' && echo "$4" >"$KUBECONFIG"`,
        kubectl: `
          read -r cluster <"$KUBECONFIG"
          [ "$4 $5" != "delete deployment" ] || echo "delete $6 in $cluster" >>'${log}'
          [ "$4" != create ] || jq -r '"job " + (if .spec.suspend then "that marks the run" else
            "of " + (.spec.template.spec.containers[0].env | map(select(.name == "DB_NAME"))[0].value) end)
            + " in '"$cluster"'"' "\${5#--filename=}" >>'${log}'
          case $cluster in ${cases.join(" ")} esac`,
        terraform: `case "$*:\${TF_DATA_DIR:-}" in
          *restore_settings:.terraform-idp-b) echo "export ${words.map((pair) => pair.join("=")).join(" ")}" ;;
          *connect_command:.terraform-idp-b) echo "gcloud container clusters get-credentials gke-new" ;;
          *connect_command:) echo "gcloud container clusters get-credentials gke-home" ;;
          *dns_records:) echo '[]' ;;
          *service_url:) echo https://198.51.100.7 ;;
          apply*:) echo "terraform apply" >>'${log}' ;;
        esac`,
      };
      const { createTime } = standIn.sql.make(PROJECT, NEW.INSTANCE, { [NEW.DATABASE]: 9 });
      const mark = `projects/${PROJECT}/secrets/idp-b-recovery`;
      standIn.secrets.regions.set(mark, ["europe-west1"]);
      standIn.secrets.annotations.set(mark, { state: "restored", instance: NEW.INSTANCE, created: createTime });
      standIn.onRequest = ({ method }) => {
        if (/createBackup|restoreBackup/.test(method)) appendFileSync(log, `${method.split(".").at(-1) ?? ""}\n`);
      };

      const { exitCode, stderr } = await run("return-home", {
        arguments: ["--yes"],
        environment: { APPLICATION_NAME: "idp", NAMESPACE, INIT_JOB: CLUSTER_INIT_JOB, REGION: "" },
        folder,
        programs: programFolder({ scripts }),
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      const emptied = (cluster: string) => [
        `connect ${cluster}`,
        `delete idp in ${cluster}`,
        `delete idp-worker in ${cluster}`,
      ];
      expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
        ...emptied("gke-new"),
        `job of ${NEW.DATABASE} in gke-new`,
        ...emptied("gke-home"),
        "createBackup",
        "job that marks the run in gke-home",
        "restoreBackup",
        `job of ${DATABASE} in gke-home`,
        `job of ${DATABASE} in gke-home`,
        "terraform apply",
      ]);
      const [wait] = clusters["gke-new"].created;
      expect(JSON.stringify(wait)).toContain(`:${NEW.INSTANCE}`);
    }));
});
