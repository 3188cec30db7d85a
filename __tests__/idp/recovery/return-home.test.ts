import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder, type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { DATABASE, INIT_JOB, inSqlScene, INSTANCE, PROJECT, runsOf, type SqlScene } from "./sql-scene";

const THERE = { instance: "sql-there", database: "idp_b_demo", region: "europe-west1" };

const MARK = `projects/${PROJECT}/secrets/idp-b-recovery`;

interface ReturnScene extends SqlScene {
  /** What was done, in order. */
  readonly done: () => readonly string[];
  readonly folder: string;
  readonly comeHome: (
    words: readonly string[],
    input?: string,
    further?: Readonly<Record<string, string>>,
  ) => Promise<ScriptRun>;
}

const INIT_JOB_THERE = `projects/${PROJECT}/locations/${THERE.region}/jobs/idp-b-demo-abc123-db-init`;

function haveJobThere({ jobs }: SqlScene["standIn"]): void {
  const connection = `${PROJECT}:us-central1:${THERE.instance}`;
  const container = { image: "docker.io/library/postgres:15-alpine", command: ["/bin/sh", "/scripts/script.sh"] };
  jobs.make(INIT_JOB_THERE, container, [{ name: "cloudsql", cloudSqlInstance: { instances: [connection] } }]);
}

/** A deployment whose region is back, and the one that was made elsewhere meanwhile. */
const scenario = (what: string, test: (scene: ReturnScene) => Promise<void>): void => {
  it.concurrent(what, () =>
    inSqlScene(async (scene) => {
      const { standIn } = scene;
      const folder = temporaryFolder();
      const log = join(folder, "log");
      writeFileSync(log, "");
      mkdirSync(join(folder, ".terraform-idp-b"));
      const settings = {
        PROJECT_ID: PROJECT,
        INSTANCE: THERE.instance,
        DATABASE: THERE.database,
        INIT_JOB: "idp-b-demo-abc123-db-init",
        MEDIA_BUCKET: "media-b",
        REGION: THERE.region,
        DATABASE_REGION: THERE.region,
      };
      const words = Object.entries(settings).map((pair) => pair.join("="));
      const programs = programFolder({
        scripts: {
          terraform: `case "$*:\${TF_DATA_DIR:-}" in
            *restore_settings:.terraform-idp-b) echo "export ${words.join(" ")}" ;;
            *restore_settings:.terraform-idp-d) echo 'Warning: No outputs found' ;;
            *service_url:) echo https://sign-in.example.com ;;
            *dns_records:) echo '[{ "name": "sign-in.example.com", "type": "A", "value": "203.0.113.7" }]' ;;
            *) echo "terraform $*\${TF_DATA_DIR:+ in $TF_DATA_DIR}" >>'${log}' ;;
          esac`,
        },
      });
      const { createTime } = standIn.sql.make(PROJECT, THERE.instance, { [THERE.database]: 9 });
      standIn.secrets.regions.set(MARK, [THERE.region]);
      const restored = {
        state: "restored",
        time: "2026-11-29T12:00:00Z",
        instance: THERE.instance,
        created: createTime,
      };
      standIn.secrets.annotations.set(MARK, restored);
      haveJobThere(standIn);
      const service = INIT_JOB.replace("-db-init", "");
      for (const name of [
        `europe-west1/services/idp-b-demo-abc123`,
        `us-central1/services/${service}`,
        `us-central1/workerPools/${service}-w`,
      ])
        standIn.jobs.servers.add(`projects/${PROJECT}/locations/${name}`);
      standIn.storage.objects = [{ bucket: "media-b", name: "media/new.png", generation: "7" }];
      standIn.onRequest = ({ httpMethod, method, path }) => {
        const said = method.endsWith("createBackup")
          ? "backup"
          : method.endsWith("restoreBackup")
            ? "restore"
            : method.endsWith("services.delete")
              ? `remove in ${path.includes("us-central1") ? "us-central1" : "europe-west1"}`
              : undefined;
        if (said !== undefined && httpMethod !== "GET") appendFileSync(log, `${said}\n`);
      };
      await test({
        ...scene,
        folder,
        done: () => readFileSync(log, "utf8").trim().split("\n"),
        comeHome: (given, input, further = {}) =>
          scene.run("return-home", {
            arguments: given,
            environment: { APPLICATION_NAME: "idp", ...further },
            folder,
            input,
            programs,
          }),
      });
    }),
  );
};

describeWith(["curl", "dash", "jq"], "return-home.sh", () => {
  scenario("backs up what runs elsewhere once nothing writes, and restores it here", async (scene) => {
    const { comeHome, done, standIn } = scene;

    const { exitCode, stderr, stdout } = await comeHome([], "yes\n");

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(done()).toEqual([
      "remove in europe-west1",
      "remove in us-central1",
      "backup",
      "restore",
      "terraform apply -input=false -auto-approve",
    ]);
    expect([...standIn.jobs.servers]).toEqual([]);
    const [backup] = [...standIn.sql.backups.values()];
    expect(backup).toMatchObject({ instance: THERE.instance });
    expect(backup?.description).toMatch(/^before home-20/);
    const restores = standIn.requests.filter(({ method }) => method.endsWith("restoreBackup"));
    expect(restores.map(({ body, path }) => [path.includes(`/instances/${INSTANCE}/`), body])).toEqual([
      [true, { backup: backup?.name }],
    ]);
    expect(runsOf(scene)).toEqual([
      expect.stringContaining(`waits ${THERE.database}`),
      expect.stringContaining(`puts rename ${DATABASE}`),
      expect.stringContaining(`db-init ${DATABASE}`),
    ]);
    expect(standIn.storage.objects.some(({ bucket, name }) => bucket === "media" && name === "media/new.png")).toBe(
      true,
    );
    expect(stdout).toContain("  export TF_DATA_DIR=.terraform-idp-b\n");
    expect(stdout).toContain("  terraform destroy -var-file=recovery-idp-b.tfvars.json -var deletion_protection=false");
  });

  scenario("changes nothing without a yes, or without a deployment elsewhere", async (scene) => {
    mkdirSync(join(scene.folder, ".terraform-idp-d"));
    scene.standIn.secrets.regions.set(MARK.replace("idp-b", "idp-d"), [THERE.region]);
    scene.standIn.secrets.annotations.set(MARK.replace("idp-b", "idp-d"), { state: "restored" });
    const empty = await scene.comeHome(["--name", "idp-d", "--yes"]);
    expect(empty).toMatchObject({ exitCode: 1 });
    expect(empty.stderr).toContain("The outputs of idp-d cannot be read.");

    expect(await scene.comeHome([], "no\n")).toMatchObject({ exitCode: 1 });
    const run = await scene.comeHome(["--name", "idp-c", "--yes"]);
    expect(run).toMatchObject({ exitCode: 2 });
    expect(run.stderr).toContain("There is no .terraform-idp-c here");
    expect(scene.changes()).toEqual([]);
  });

  scenario("repeats only the apply once everything is here, because users write here again", async (scene) => {
    const { changes, comeHome, done } = scene;
    await comeHome(["--yes"]);
    const [before, steps] = [changes().length, done().length];

    const again = await comeHome(["--yes"]);

    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    expect(again.stdout).toMatch(/^The database and the uploads are here since 20\S+Z, and stay/);
    expect(changes()).toHaveLength(before);
    expect(done().slice(steps)).toEqual(["terraform apply -input=false -auto-approve"]);
    // What another machine knows, too.
    expect(scene.standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "returned" });
    expect(readdirSync(scene.folder).filter((name) => name.startsWith("recovery-"))).toEqual([]);
  });

  scenario("overwrites nothing here unless it is known that what is elsewhere is newer, or told", async (scene) => {
    const { changes, comeHome, done, standIn } = scene;
    const { annotations } = standIn.secrets;
    const restored = annotations.get(MARK) ?? {};
    for (const mark of [
      {},
      { ...restored, state: "begun" },
      { ...restored, created: "2026-01-01T00:00:00Z" },
      { ...restored, instance: "sql-gone" },
    ]) {
      annotations.set(MARK, mark);
      const { exitCode, stderr } = await comeHome(["--yes"]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("Nothing says that idp-b has been restored elsewhere to its end");
    }
    expect(changes()).toEqual([]);

    expect(await comeHome(["--yes", "--again"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done()).toContain("restore");
  });

  scenario("stops if another run has gone on since it has read the mark", async (scene) => {
    const { comeHome, done, standIn } = scene;
    const { annotations } = standIn.secrets;
    const restored = annotations.get(MARK) ?? {};
    const log = standIn.onRequest;
    for (const moment of ["secrets.get", "createBackup"]) {
      annotations.set(MARK, restored);
      standIn.onRequest = (request) => {
        log(request);
        if (!request.method.endsWith(moment)) return;
        // Once it has been answered.
        setImmediate(() => annotations.set(MARK, { ...restored, state: "returned" }));
      };

      const { exitCode, stderr } = await comeHome([], "yes\n");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("Another run has gone on with idp-b since this one has looked");
    }
    expect(done()).not.toContain("restore");
  });

  scenario("adds only uploads once the database is here, and replaces none that is newer", async (scene) => {
    const { comeHome, done, standIn } = scene;
    const { storage } = standIn;
    const former = { bucket: "media", name: "media/old.png", generation: "1", updated: "2026-01-01T00:00:00Z" };
    const there = ["old", "since"].map((name) => ({ bucket: "media-b", name: `media/${name}.png`, generation: "5" }));
    storage.objects = [...storage.objects, former, ...there];
    standIn.isLost = (path) => path.includes("/rewriteTo/");
    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 1 });
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "brought", instance: THERE.instance });

    standIn.isLost = () => false;
    const steps = done().length;
    const since = { bucket: "media", name: "media/since.png", generation: "9", updated: "2099-01-01T00:00:00.001Z" };
    storage.objects = [...storage.objects, since];
    const again = await comeHome(["--yes"]);

    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    expect(again.stdout).toMatch(/^The database is here since 20\S+Z, and stays; only uploads are added\./);
    expect(done().slice(steps)).toEqual(["terraform apply -input=false -auto-approve"]);
    const here = storage.objects.filter(({ bucket }) => bucket === "media");
    expect(here.map(({ generation, name }) => `${name} ${generation}`).sort()).toEqual([
      "media/new.png 7",
      "media/old.png 5",
      "media/since.png 9",
    ]);
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "returned" });
  });

  scenario("comes home although a plan of others backs the database here up", async (scene) => {
    const plan = "projects/demo-project/locations/us-central1/backupPlans/daily";

    expect(await scene.comeHome(["--yes"], "", { BACKUP_PLAN: plan })).toMatchObject({ exitCode: 0, stderr: "" });

    expect(scene.done()).toContain("restore");
  });

  scenario("says of the secret key what is so, whether it could be read on that day or not", async (scene) => {
    const { comeHome, standIn } = scene;
    const [ends, removal] = [/Sessions of \S+ end/, "gcloud secrets delete idp-b-recovered-secret-key"];
    const without = await comeHome(["--yes"]);
    expect(without.stdout).toMatch(ends);
    expect(without.stdout).not.toContain(removal);
    expect(without.stdout).toContain("gcloud secrets delete idp-b-recovery ");

    standIn.secrets.regions.set(`projects/${PROJECT}/secrets/idp-b-recovered-secret-key`, [THERE.region]);
    const kept = await comeHome(["--yes"]);
    expect(kept.stdout).not.toMatch(ends);
    expect(kept.stdout).toContain(removal);
  });

  scenario("copies no uploads where both use one bucket, which others keep", async (scene) => {
    const { exitCode, stdout } = await scene.comeHome(["--yes"], "", { MEDIA_BUCKET: "media-b" });

    expect(exitCode).toBe(0);
    expect(stdout).toContain("Both deployments have their uploads in media-b: there is nothing to copy.");
    expect(stdout).not.toContain("upload(s)");
    expect(scene.standIn.requests.filter(({ method }) => method.startsWith("storage."))).toEqual([]);
  });

  scenario("applies here in a shell whose commands are those for elsewhere", async (scene) => {
    const shell = { TF_DATA_DIR: ".terraform-idp-b" };

    expect(await scene.comeHome(["--yes"], "", shell)).toMatchObject({ exitCode: 0, stderr: "" });

    expect(scene.done().at(-1)).toBe("terraform apply -input=false -auto-approve");
  });

  scenario("restores what was written elsewhere after a run that has failed", async (scene) => {
    const { comeHome, standIn } = scene;
    standIn.sql.operations.failures.set("instances.restoreBackup", { code: "ERROR", message: "no room" });
    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 1 });

    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 0 });

    const backups = [...standIn.sql.backups.keys()];
    expect(backups).toHaveLength(2);
    const restores = standIn.requests.filter(({ method }) => method.endsWith("restoreBackup"));
    expect(restores.map(({ body }) => String(body.backup).split("/").at(-1))).toEqual(
      backups.map((name) => name.split("/").at(-1)),
    );
  });

  scenario("waits until the workers are gone, too, before it backs up", async (scene) => {
    const { comeHome, standIn } = scene;
    const pool = [...standIn.jobs.servers].find((name) => name.includes("workerPools")) ?? "";
    standIn.jobs.looksUntilGone.set(pool, 3);
    let writing: readonly string[] | undefined;
    const log = standIn.onRequest;
    standIn.onRequest = (request) => {
      log(request);
      if (request.method.endsWith("createBackup")) writing ??= [...standIn.jobs.servers];
    };

    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 0 });

    expect(writing).toEqual([]);
  });

  scenario("backs up only when no session is left elsewhere that may write", async (scene) => {
    const { comeHome, done, standIn } = scene;
    const { outcomeOf } = standIn.jobs;
    const said = "failed: 2 session(s) still use idp_b_demo after 300 s, and may write";
    const before: (readonly string[])[] = [];
    standIn.jobs.outcomeOf = (run) => {
      if (!run.command.join(" ").includes("pg_current_wal_flush_lsn")) return outcomeOf(run);
      before.push(done());
      return { isSuccess: false, lines: [said] };
    };

    const { exitCode, stderr } = await comeHome(["--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain("Somebody may still write to sql-there, so nothing is backed up");
    expect(stderr).toContain(said);
    expect(done()).toEqual(["remove in europe-west1"]);
    expect(before).toEqual([done()]);
    const [run] = standIn.jobs.runs;
    expect(run).toMatchObject({ databases: [expect.stringContaining(THERE.instance)] });
    expect(run?.environment).toMatchObject({ DB_NAME: THERE.database });
    expect([...standIn.jobs.jobs.keys()].filter((name) => name.endsWith("-restore"))).toEqual([]);

    standIn.jobs.outcomeOf = outcomeOf;
    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done().slice(1)).toContain("backup");
  });

  scenario("restores nothing if no backup is made, and can be repeated", async (scene) => {
    const { comeHome, done, standIn } = scene;
    standIn.sql.operations.failures.set("backups.createBackup", { code: "ERROR", message: "no room" });
    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 1 });
    expect(done()).not.toContain("restore");

    expect(await comeHome(["--yes"])).toMatchObject({ exitCode: 0 });
    expect(done().filter((step) => step === "restore")).toHaveLength(1);
  });
});
