import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { page, status } from "../../support/fault-matrix";
import { programFolder, runFile, type ScriptRun, type Shell } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { INIT_JOB, inSqlScene, INSTANCE, PROJECT, scenario, type SqlScene } from "../recovery/sql-scene";

const SECRET = "planted-5ecret";
const LINK = `https://login.example.com/recover?token=${SECRET}`;
const LABELS = { note: SECRET };
const SERVICE = `projects/demo-project/locations/us-central1/services/${INSTANCE}`;
const ENV = [
  { name: "IDP_LOG_LEVEL", value: SECRET },
  { name: "IDP_SECRET_KEY", valueSource: { secretKeyRef: { secret: "key", version: "1" } } },
];
const CONTAINER = {
  image: "host/idp:2026.5.9-0a1b2c3d4e5f",
  env: ENV,
  resources: { limits: { cpu: "2", memory: "4Gi" } },
};
const FAILED = { type: "Ready", state: "CONDITION_FAILED", reason: "CONTAINER_FAILED", message: `It said ${LINK}` };

/** What each call answers, with something secret wherever a field has text of others. */
const ANSWERS: Readonly<Record<string, object>> = {
  "run.projects.locations.services.get": {
    name: SERVICE,
    labels: LABELS,
    annotations: LABELS,
    description: SECRET,
    scaling: { minInstanceCount: 1, maxInstanceCount: 3 },
    template: { labels: LABELS, containers: [CONTAINER], maxInstanceRequestConcurrency: 250 },
    terminalCondition: FAILED,
    conditions: [{ type: "RoutesReady", state: "CONDITION_SUCCEEDED", message: SECRET }],
  },
  "run.projects.locations.jobs.executions.list": {
    executions: [{ name: `${SERVICE}/executions/run-1`, labels: LABELS, failedCount: 3, conditions: [FAILED] }],
  },
  "sql.backupRuns.list": {
    items: [{ type: "AUTOMATED", status: "FAILED", description: SECRET, error: { message: LINK } }],
  },
  "cloudbuild.projects.locations.builds.list": {
    builds: [
      { status: "FAILURE", failureInfo: { type: "PUSH_FAILED", detail: LINK }, steps: [{ env: [`KEY=${SECRET}`] }] },
    ],
  },
  "logging.entries.list": {
    entries: [
      {
        timestamp: "2026-11-27T10:00:00Z",
        severity: "ERROR",
        labels: LABELS,
        jsonPayload: { logger: "dramatiq.worker.WorkerThread", event: `Failed to process message send_mail(${LINK})` },
      },
      {
        timestamp: "2026-11-27T09:00:00Z",
        severity: "ERROR",
        textPayload: `cloud-entrypoint: worker ended with exit code 1 after 3 s ${SECRET}`,
      },
      { timestamp: "2026-11-27T08:00:00Z", severity: "CRITICAL", textPayload: `password=${SECRET}` },
      { timestamp: "2026-11-27T07:00:00Z", severity: "ERROR", jsonPayload: { logger: `said ${SECRET}` } },
    ],
  },
};

const CLUSTER = { REGION: undefined, NAMESPACE: "apps" };
const TERMINATED = { reason: "OOMKilled", exitCode: 137, message: SECRET };

/** Objects of a namespace, as `kubectl get --output=json` lists them. */
const OBJECTS = {
  items: [
    {
      kind: "Pod",
      metadata: { name: "idp-6c5d-x7k2p", labels: LABELS, annotations: LABELS },
      spec: { containers: [{ env: ENV }] },
      status: {
        phase: "Running",
        message: LINK,
        containerStatuses: [
          {
            name: "server",
            image: CONTAINER.image,
            restartCount: 4,
            state: { waiting: { reason: "CrashLoopBackOff", message: SECRET } },
            lastState: { terminated: TERMINATED },
          },
        ],
        conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady", message: SECRET }],
      },
    },
  ],
};

async function facts(
  scene: SqlScene,
  environment: Readonly<Record<string, string | undefined>> = {},
  shell: Shell = "dash",
): Promise<ScriptRun> {
  for (const [method, answer] of Object.entries(ANSWERS))
    scene.standIn.inject(method, page(200, JSON.stringify(answer)));
  const folder = temporaryFolder();
  writeFileSync(join(folder, "objects"), JSON.stringify(OBJECTS));
  const programs = programFolder({
    scripts: { kubectl: `cat '${join(folder, "objects")}'`, terraform: `echo "Terraform v1.11.4"; echo "${SECRET}"` },
  });
  const secrets = { TF_VAR_bootstrap_password: SECRET, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" };
  return scene.run("facts", { environment: { ...secrets, ...environment }, programs, shell });
}

describeWith(["busybox", "curl", "dash", "jq"], "facts.sh", () => {
  scenario("names a backup plan that others have attached, and what to set if that is not set", async (scene) => {
    const backupsIn = async (environment?: Readonly<Record<string, string>>) =>
      (await facts(scene, environment)).stdout.split("\n").filter((line) => line.startsWith("- backups: "));
    const settings = scene.standIn.sql.instances.get(`${PROJECT}/${INSTANCE}`)?.settings as Record<string, unknown>;

    expect(await backupsIn()).toEqual(["- backups: STANDARD"]);
    settings.backupConfiguration = { enabled: false, backupTier: "ENHANCED" };
    expect(await backupsIn()).toEqual(["- backups: ENHANCED, by an attached plan: set existing_backup_plan"]);
    const plan = "projects/acme-backups/locations/us-central1/backupPlans/daily";
    expect(await backupsIn({ BACKUP_PLAN: plan })).toEqual(["- backups: ENHANCED"]);
  });

  scenario("says of a deployment on Cloud Run what runs, how large it is, and what has failed", async (scene) => {
    const { exitCode, stderr, stdout } = await facts(scene);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const line of [
      "- terraform 1.11.4",
      "- AUTOMATED FAILED -",
      "- FAILURE PUSH_FAILED -",
      "- instances: 1 to 3, requests each: 250",
      `- image: ${CONTAINER.image}`,
      "- size: 2 4Gi",
      "- variables: IDP_LOG_LEVEL IDP_SECRET_KEY",
      "- Ready CONDITION_FAILED CONTAINER_FAILED",
      "- run-1: failed 3, succeeded 0",
      "- 1 x ERROR dramatiq.worker.WorkerThread, last 2026-11-27T10:00:00Z",
      "- 1 x ERROR cloud-entrypoint: worker ended with exit code 1, last 2026-11-27T09:00:00Z",
      "- 1 x ERROR ?, last 2026-11-27T07:00:00Z",
    ])
      expect(stdout.split("\n")).toContain(line);
  });

  scenario("says of a deployment on GKE why a pod has ended", async (scene) => {
    const { exitCode, stdout } = await facts(scene, CLUSTER);

    expect(exitCode).toBe(0);
    expect(stdout).toContain("- Pod idp-6c5d-x7k2p: Running\n");
    expect(stdout).toContain(`server ${CONTAINER.image}, restarts: 4, waits: CrashLoopBackOff\n`);
    expect(stdout).toContain("last end: OOMKilled 137\n");
    expect(stdout).toContain("Ready False ContainersNotReady\n");
  });

  it.concurrent.each<[string, Readonly<Record<string, string | undefined>>, Shell]>([
    ["on Cloud Run", {}, "dash"],
    ["on Cloud Run, in BusyBox", {}, "busybox"],
    ["on GKE", CLUSTER, "dash"],
  ])("prints nothing of what others have written: %s", (_, environment, shell) =>
    inSqlScene(async (scene) => {
      const { output } = await facts(scene, environment, shell);

      expect(output.length).toBeGreaterThan(500);
      for (const secret of [SECRET, "https://", "ya29", "geheim"]) expect(output).not.toContain(secret);
    }),
  );

  scenario("reads the providers' releases beside the scripts, and no other file there", async ({ standIn }) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "scripts"));
    for (const name of ["facts.sh", "database-jobs.sh"])
      copyFileSync(packageFile(`lib/idp/scripts/${name}`), join(folder, "scripts", name));
    const lock = `provider "registry.terraform.io/hashicorp/google" {\n  version     = "7.45.0"\n  hashes = ["${SECRET}"]\n}\n`;
    writeFileSync(join(folder, ".terraform.lock.hcl"), lock);
    for (const name of ["terraform.tfstate", "terraform.tfvars"]) writeFileSync(join(folder, name), SECRET);
    const deployment = { INSTANCE, INIT_JOB, PROJECT_ID: PROJECT, REGION: "us-central1" };
    const environment = { ...standIn.environment, ...deployment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" };

    const { exitCode, output } = await runFile(join(folder, "scripts/facts.sh"), { environment });

    expect(exitCode).toBe(0);
    expect(output).toContain("- registry.terraform.io/hashicorp/google\n  7.45.0\n");
    expect(output).not.toContain(SECRET);
  });

  scenario("names what it may not read, and goes on", async (scene) => {
    scene.standIn.inject("run.projects.locations.services.get", status(403, "PERMISSION_DENIED"));
    const { exitCode, stdout } = await facts(scene);

    expect(exitCode).toBe(0);
    expect(stdout).toContain("## Service\n- not readable: HTTP 403\n");
    expect(stdout).toContain("- run-1: failed 3, succeeded 0\n");
  });

  scenario("shows what kubectl can read when the sign-in to Google has ended", async (scene) => {
    for (const ended of [
      // No credentials at all, and a token that has expired.
      { GOOGLE_OAUTH_ACCESS_TOKEN: "", GCE_METADATA_HOST: "127.0.0.1:9" },
      { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.of-yesterday" },
    ]) {
      for (const api of ["sqladmin", "run", "cloudbuild", "logging"])
        scene.standIn.inject(api, status(401, "UNAUTHENTICATED"), 99);
      const { exitCode, stdout } = await facts(scene, { ...CLUSTER, ...ended });

      expect(exitCode).toBe(0);
      expect(stdout).toContain("## Database\n- not readable: not signed in to Google\n");
      expect(stdout).toContain("- Pod idp-6c5d-x7k2p: Running\n");
    }
  });

  scenario("fails when nothing can be read, and refuses settings that are missing", async (scene) => {
    for (const api of ["sqladmin", "run", "cloudbuild", "logging"])
      scene.standIn.inject(api, status(403, "PERMISSION_DENIED"), 99);
    const { exitCode, stderr } = await scene.run("facts");
    expect([exitCode, stderr.split("\n")[0]]).toEqual([1, "Nothing could be read."]);

    const missing = await scene.run("facts", { environment: { INSTANCE: "", INIT_JOB: undefined } });
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("INSTANCE");
  });
});
