import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder, type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { DATABASE, inSqlScene, INSTANCE, PROJECT, runsOf, type SqlScene } from "./sql-scene";

const LOST = "us-central1";
const ELSEWHERE = "europe-west1";
const JOBS = `projects/${PROJECT}/locations/${ELSEWHERE}/jobs`;
const SERVERS = `projects/${PROJECT}/locations/${ELSEWHERE}`;
const NEW = { instance: "sql-new", database: "idp_b_demo", job: "idp-b-demo-abc123-db-init" };
const SECRET = `projects/${PROJECT}/secrets/key`;
const KEPT = `projects/${PROJECT}/secrets/idp-b-recovered-secret-key`;
const KEY = "a very secret key";

interface LostScene extends SqlScene {
  readonly folder: string;
  /** What Terraform and the restoration have done, in order. */
  readonly done: () => readonly string[];
  readonly recover: (words: readonly string[], input?: string) => Promise<ScriptRun>;
}

/** A deployment whose region is gone, in a project where another one can be made. */
const scenario = (what: string, test: (scene: LostScene) => Promise<void>): void => {
  it.concurrent(what, () =>
    inSqlScene(async (scene) => {
      const { standIn } = scene;
      const folder = temporaryFolder();
      const log = join(folder, "log");
      writeFileSync(log, "");
      const inputs = [
        "region",
        "application_name",
        "secret_locations",
        "dns_zone",
        "audit_secret_access",
        "existing_secrets",
      ];
      const variable = Object.fromEntries(inputs.map((name) => [name, {}]));
      writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify({ variable }));
      const settings = {
        PROJECT_ID: PROJECT,
        APPLICATION_NAME: "idp-b",
        INSTANCE: NEW.instance,
        DATABASE: NEW.database,
        INIT_JOB: NEW.job,
        ADMINISTRATOR_SECRET: "administrator",
        MEDIA_BUCKET: "media-b",
        DUMP_BUCKET: "dumps-b",
        REGION: ELSEWHERE,
      };
      const words = Object.entries(settings).map((pair) => pair.join("="));
      const programs = programFolder({
        scripts: {
          terraform: `case "$*" in
            *restore_settings) echo "export ${words.join(" ")}" ;;
            *service_url) echo https://idp-b.example.com ;;
            *dns_records) echo '[{ "name": "sign-in.example.com", "type": "A", "value": "203.0.113.7" }]' ;;
            *) echo "$* in $TF_DATA_DIR" >>'${log}' ;;
          esac`,
        },
      });
      haveNewDeployment(scene);
      standIn.secrets.payloads.set(SECRET, KEY);
      standIn.isLost = (path) => path.includes(`/${INSTANCE}`) || path.includes(`/locations/${LOST}/`);
      standIn.onRequest = ({ method }) => {
        if (method.endsWith("restoreBackup")) appendFileSync(log, "the backup is restored\n");
        if (method.endsWith("services.delete")) appendFileSync(log, "the service is removed\n");
      };
      const environment = {
        APPLICATION_NAME: "idp",
        DUMP_BUCKET: "dumps",
        SECRET_KEY_SECRET: "key",
        SECRET_KEY_VERSION: "1",
      };
      await test({
        ...scene,
        folder,
        done: () => readFileSync(log, "utf8").trim().split("\n"),
        recover: (given, input) =>
          scene.run("recover-elsewhere", { arguments: given, environment, folder, input, programs }),
      });
    }),
  );
};

function haveNewDeployment({ standIn }: SqlScene): void {
  const { database, instance, job } = NEW;
  const connection = `${PROJECT}:${ELSEWHERE}:${instance}`;
  standIn.sql.make(PROJECT, instance, { [database]: 1 });
  const volumes = [{ name: "cloudsql", cloudSqlInstance: { instances: [connection] } }];
  const container = {
    image: "docker.io/library/postgres:15-alpine",
    command: ["/bin/sh", "/scripts/script.sh"],
    env: [
      { name: "DB_HOST", value: `/cloudsql/${connection}` },
      { name: "DB_NAME", value: database },
    ],
  };
  standIn.jobs.make(`${JOBS}/${job}`, container, volumes);
  standIn.jobs.make(`${JOBS}/${job.replace("db-init", "dump")}`, container, [
    ...volumes,
    { name: "dumps", gcs: { bucket: "dumps-b" } },
  ]);
  for (const server of ["services/idp-b-demo-abc123", "workerPools/idp-b-demo-abc123-w"])
    standIn.jobs.servers.add(`${SERVERS}/${server}`);
}

/** Time so many minutes ago. */
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const haveBackup = ({ standIn }: SqlScene, minutes: number, location: string): string =>
  standIn.sql.addBackup(PROJECT, INSTANCE, { location, backupInterval: { endTime: ago(minutes) } });

function haveDump({ standIn }: SqlScene, minutes: number): void {
  const dump = { bucket: "dumps", name: `latest/${DATABASE}.dump`, generation: "1", updated: ago(minutes) };
  standIn.storage.objects = [...standIn.storage.objects, dump, { ...dump, name: `${dump.name}.sha256` }];
}

const haveUploads = ({ standIn }: SqlScene): void => {
  const names = ["media/public/a b.png", "reports/1.csv", "others.txt"];
  const uploads = names.map((name) => ({ bucket: "media", name, generation: "1" }));
  standIn.storage.objects = [...standIn.storage.objects, ...uploads];
};

const IN = "in .terraform-idp-b";
const APPLY = `apply -input=false -auto-approve -var-file=recovery-idp-b.tfvars.json ${IN}`;

describeWith(["curl", "dash", "jq"], "recover-elsewhere.sh", () => {
  scenario("makes the deployment elsewhere from a backup, and names what is lost", async (scene) => {
    const { done, folder, recover, standIn } = scene;
    haveBackup(scene, 700, "us");
    haveBackup(scene, 125, "us");
    haveBackup(scene, 5, LOST);
    haveUploads(scene);

    const { exitCode, stderr, stdout } = await recover(["recover", ELSEWHERE], "yes\n");

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout).toMatch(/backup +of \S+ in us: what was written in the 12[56] minutes since then is lost/);
    expect(stdout).toMatch(/dump +gs:\/\/dumps\/latest\/idp_demo\.dump cannot be read: .*404/);
    expect(stdout).toMatch(/instance +does not answer: .*503/);
    expect(stdout).toContain("idp-b would be made in europe-west1, from the backup");
    expect(done()).toEqual([
      `init -input=false ${IN}`,
      `workspace select -or-create=true idp-b ${IN}`,
      APPLY,
      "the service is removed",
      "the backup is restored",
      APPLY,
    ]);
    expect(JSON.parse(readFileSync(join(folder, "recovery-idp-b.tfvars.json"), "utf8"))).toEqual({
      region: ELSEWHERE,
      application_name: "idp-b",
      secret_locations: [ELSEWHERE],
      dns_zone: null,
      audit_secret_access: false,
      existing_secrets: { secret_key: { secret_id: "idp-b-recovered-secret-key", version: 1 } },
    });
    expect([...standIn.jobs.servers]).toEqual([]);
    const [{ body } = { body: {} }] = standIn.requests.filter(({ method }) => method.endsWith("restoreBackup"));
    expect(body).toEqual({ backup: `projects/${PROJECT}/backups/b2` });
    expect(runsOf(scene)).toEqual([
      expect.stringMatching(new RegExp(`^puts rename ${NEW.database} .*:${NEW.instance}$`)),
      expect.stringMatching(new RegExp(`^db-init ${NEW.database} .*:${NEW.instance}$`)),
    ]);
    const copied = standIn.storage.objects.filter(({ bucket }) => bucket === "media-b");
    expect(copied.map(({ name }) => name)).toEqual(["media/public/a b.png", "reports/1.csv"]);
    expect(stdout).toContain("  sign-in.example.com A 203.0.113.7");
    expect(stdout).toContain("stop the servers of idp at once");
  });

  scenario("keeps the secret key in a secret of the new region, and prints it nowhere", async (scene) => {
    const { folder, recover, standIn } = scene;
    haveBackup(scene, 10, "us");

    const { exitCode, output } = await recover(["recover", ELSEWHERE, "--yes"]);

    expect(exitCode).toBe(0);
    expect(standIn.secrets.payloads.get(KEPT)).toBe(KEY);
    expect(standIn.secrets.regions.get(KEPT)).toEqual([ELSEWHERE]);
    const written = [output, readFileSync(join(folder, "recovery-idp-b.tfvars.json"), "utf8")].join();
    for (const form of [KEY, Buffer.from(KEY).toString("base64")]) expect(written).not.toContain(form);
  });

  scenario("goes on after an interruption with the secret that is there", async (scene) => {
    haveBackup(scene, 10, "us");
    scene.standIn.secrets.regions.set(KEPT, [ELSEWHERE]);
    scene.standIn.secrets.payloads.set(KEPT, KEY);

    expect(await scene.recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });

    scene.standIn.secrets.payloads.set(KEPT, "another");
    const run = await scene.recover(["recover", ELSEWHERE, "--yes", "--again"]);
    expect(run).toMatchObject({ exitCode: 1 });
    expect(run.stderr).toContain("has another value than the secret key");
  });

  scenario("restores the dump if that is newer", async (scene) => {
    haveBackup(scene, 125, "us");
    haveDump(scene, 20);

    const { exitCode, stdout } = await scene.recover(["recover", ELSEWHERE, "--yes"]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/from the dump:\D*2[01] minutes is lost|from the dump: what was .* 2[01] minutes is lost/);
    expect(scene.done()).not.toContain("the backup is restored");
    const copied = scene.standIn.storage.objects.filter(({ bucket }) => bucket === "dumps-b");
    expect(copied.map(({ name }) => name)).toEqual([`dumps/${DATABASE}.dump`, `dumps/${DATABASE}.dump.sha256`]);
    expect(runsOf(scene).map((run) => run.split(" ").slice(0, 2).join(" "))).toEqual([
      "puts clear",
      `db-init ${NEW.database}_restored`,
      `restores ${NEW.database}_restored`,
      "puts swap",
    ]);
    expect(scene.standIn.jobs.runs[2]?.command[2]).toContain(`DUMP_FILE=$DUMP_FOLDER/dumps/${DATABASE}.dump\n`);
  });

  scenario("only looks, and says that all sessions end without the secret key", async (scene) => {
    haveDump(scene, 20);
    scene.standIn.secrets.payloads.delete(SECRET);

    const { exitCode, stdout } = await scene.recover(["look", ELSEWHERE]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/backup +none of \S+ outside of us-central1/);
    expect(stdout).toMatch(/secrets +the secret key cannot be read, so all sessions and signed links end: .*404/);
    expect(stdout).toMatch(/uploads +can be read/);
    expect(scene.changes()).toEqual([]);
    expect(scene.done()).toEqual([""]);
  });

  scenario("takes what a list lacks of the lost region alone for known", async (scene) => {
    haveBackup(scene, 10, "us");
    const warning = (region: string) => ({ code: "REGION_UNREACHABLE", message: "unreachable", region });
    scene.standIn.sql.warnings = [warning(LOST)];
    expect(await scene.recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });

    scene.standIn.sql.warnings = [warning("europe-west4")];
    const { stdout } = await scene.recover(["look", ELSEWHERE]);
    expect(stdout).toMatch(/backup +none can be listed: .*is incomplete: REGION_UNREACHABLE europe-west4/);
  });

  scenario("makes nothing if nothing is left, or nobody says yes", async (scene) => {
    const nothing = await scene.recover(["recover", ELSEWHERE, "--yes"]);
    expect(nothing).toMatchObject({ exitCode: 1 });
    expect(nothing.stderr).toContain("Nothing is left of the database");

    haveBackup(scene, 10, "us");
    expect(await scene.recover(["recover", ELSEWHERE], "no\n")).toMatchObject({ exitCode: 1 });
    expect(scene.changes()).toEqual([]);
    expect(existsSync(join(scene.folder, "recovery-idp-b.tfvars.json"))).toBe(false);
  });

  scenario("does not restore over what has been written since, unless told", async (scene) => {
    haveBackup(scene, 10, "us");
    await scene.recover(["recover", ELSEWHERE, "--yes"]);
    const before = scene.changes().length;

    const again = await scene.recover(["recover", ELSEWHERE, "--yes"]);

    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toMatch(/idp-b was restored 20\S+Z, and has been written to since/);
    expect(scene.changes()).toHaveLength(before);
    expect(await scene.recover(["recover", ELSEWHERE, "--yes", "--again"])).toMatchObject({ exitCode: 0 });
  });

  scenario("refuses wrong words and settings, all at once", async (scene) => {
    const words = ["recover", LOST, "--from", "tape", "--name", "idp", "--var-file", "missing.tfvars", "--force"];

    const { exitCode, stderr } = await scene.recover(words);

    expect(exitCode).toBe(2);
    for (const part of [
      '"--force" is not an option',
      "REGION is us-central1, the region of the deployment that is gone",
      'FROM is "tape"',
      "NAME is idp, the name of the deployment that is gone",
      "There is no file missing.tfvars",
    ])
      expect(stderr).toContain(part);
    expect(scene.standIn.requests).toEqual([]);
  });
});
