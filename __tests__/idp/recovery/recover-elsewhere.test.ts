import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith } from "../../support/programs";
import {
  APPLY,
  ELSEWHERE,
  haveBackup,
  haveCopy,
  haveDump,
  haveUploads,
  IN,
  KEPT,
  LOST,
  lostScenario,
  MARK,
  NEW,
  SECRET,
} from "./recover-scene";
import { DATABASE, PROJECT, runsOf } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "recover-elsewhere.sh", () => {
  lostScenario("makes the deployment elsewhere from a backup, and names what is lost", async (scene) => {
    const { done, given, recover, standIn } = scene;
    haveBackup(scene, 700, "us");
    haveBackup(scene, 125, "us");
    haveBackup(scene, 5, LOST);
    haveUploads(scene);

    const { exitCode, stderr, stdout } = await recover(["recover", ELSEWHERE], "yes\n");

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout).toMatch(/backup +of \S+ in us: what was written in the 12\d minutes since then is lost/);
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
    expect(given()).toEqual({
      region: ELSEWHERE,
      application_name: "idp-b",
      secret_locations: [ELSEWHERE],
      dns_zone: null,
      secret_read_log: null,
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

  lostScenario("only looks, and says that all sessions end without the secret key", async (scene) => {
    haveDump(scene, 20);
    scene.standIn.secrets.payloads.delete(SECRET);

    const { exitCode, stdout } = await scene.recover(["look", ELSEWHERE]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/backup +none of \S+ outside of us-central1/);
    expect(stdout).toMatch(/dump +gs:\S+ of \S+: what was written in the 2\d minutes since then is lost/);
    expect(stdout).toMatch(/secrets +the secret key cannot be read, so all sessions and signed links end: .*404/);
    expect(stdout).toMatch(/uploads +can be read/);
    expect(scene.changes()).toEqual([]);
    expect(scene.done()).toEqual([""]);
  });

  lostScenario("says what is in the lost region alone, whether it can still be read or not", async (scene) => {
    const { recover, standIn } = scene;
    const { isLost, secrets, storage } = standIn;
    haveDump(scene, 20);
    haveUploads(scene);
    for (const bucket of ["dumps", "media"]) storage.regions.set(bucket, [LOST]);
    secrets.regions.set(SECRET, [LOST]);
    const there = "in us-central1 alone, and may stop answering at any moment";

    const readable = await recover(["look", ELSEWHERE]);

    expect(readable.stdout).toMatch(new RegExp(`dump +gs:.* minutes since then is lost; it is ${there}`));
    expect(readable.stdout).toMatch(new RegExp(`secrets +the secret key can be read: sessions stay; it is ${there}`));
    expect(readable.stdout).toMatch(new RegExp(`uploads +can be read; they are ${there}`));

    // What is said of a bucket or of a secret is kept elsewhere, too.
    standIn.isLost = (path) => isLost(path) || /\/b\/\w+\/o|:access$/.test(path);
    const unreadable = await recover(["look", ELSEWHERE]);
    expect(unreadable.stdout).toMatch(/dump +those in \S+ cannot be listed: .*503.*; they are in us-central1 alone\n/);
    expect(unreadable.stdout).toMatch(/secrets +the secret key cannot be read, .*503.*; it is in us-central1 alone\n/);
    expect(unreadable.stdout).toMatch(/uploads +cannot be read, .*503.*; they are in us-central1 alone\n/);

    standIn.isLost = isLost;
    for (const bucket of ["dumps", "media"]) storage.regions.set(bucket, [LOST, "us-east1"]);
    secrets.regions.set(SECRET, [LOST, ELSEWHERE]);
    expect((await recover(["look", ELSEWHERE])).stdout).not.toContain("alone");
  });

  lostScenario("restores what is elsewhere, although a newer dump of the lost region still answers", async (scene) => {
    const { recover, standIn } = scene;
    haveBackup(scene, 125, "us");
    haveDump(scene, 20);
    standIn.storage.regions.set("dumps", [LOST]);

    const look = await recover(["look", ELSEWHERE]);
    expect(look.stdout).toMatch(/made in europe-west1, from the backup: what was written in its last 12\d minutes/);
    const dump = `gs://dumps/latest/${DATABASE}.dump`;
    expect(look.stdout).toContain(`${dump} is newer, but in us-central1 alone: --from ${dump} takes it`);

    const named = await recover(["look", ELSEWHERE, "--from", dump]);
    expect(named.stdout).toContain("made in europe-west1, from the dump");

    standIn.isLost = () => false;
    expect((await recover(["look", ELSEWHERE])).stdout).toContain("made in europe-west1, from the dump");
  });

  lostScenario("restores the newest whole dump of all buckets, as of the time in its name", async (scene) => {
    const { recover, standIn } = scene;
    const buckets = { DUMP_COPY_BUCKET: "acme", DUMP_LOCK_BUCKET: "dumps-locked" };
    haveDump(scene, 125);
    haveCopy(scene, "acme", 95);
    const copy = haveCopy(scene, "acme", 35);
    const torn = haveCopy(scene, "acme", 5);
    const locked = haveCopy(scene, "dumps-locked", 65);
    standIn.storage.objects = standIn.storage.objects.filter(({ name }) => name !== `${torn}.sha256`);

    const { exitCode, stdout } = await recover(["recover", ELSEWHERE, "--yes"], "", buckets);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/ dump +gs:\/\/dumps\/latest\/\S+ of \S+: what was written in the 12\d minutes since then/);
    expect(stdout).toMatch(new RegExp(` copy +gs://acme/${copy} of 20\\S+Z: what was written in the 3\\d minutes`));
    expect(stdout).toMatch(new RegExp(` locked +gs://dumps-locked/${locked} of 20\\S+Z: what was .* the 6\\d minutes`));
    expect(stdout).toMatch(/from the dump: what was written in its last 3\d minutes is lost/);
    expect(stdout).not.toContain(torn);
    const copied = standIn.storage.objects.filter(({ bucket }) => bucket === "dumps-b").map(({ name }) => name);
    expect(copied).toEqual([copy, `${copy}.sha256`]);

    const named = await recover(["look", ELSEWHERE, "--from", `gs://dumps-locked/${locked}`]);
    expect(named.stdout).toMatch(/from the dump: what was written in its last 6\d minutes is lost/);
  });

  lostScenario(
    "counts the minutes of a dump from its beginning, also in the deployment's own bucket",
    async (scene) => {
      haveDump(scene, 5);
      const dump = haveCopy(scene, "dumps", 35);

      const { stdout } = await scene.recover(["look", ELSEWHERE]);

      expect(stdout).toMatch(new RegExp(` dump +gs://dumps/${dump} of 20\\S+Z: what was written in the 3\\d minutes`));
      expect(stdout).toMatch(/from the dump: what was written in its last 3\d minutes is lost/);
      expect(stdout).not.toContain("latest/");
    },
  );

  lostScenario("takes a backup whose key is lost only if nothing else is left, and says so", async (scene) => {
    const { recover } = scene;
    const key = `projects/keys/locations/${LOST}/keyRings/idp/cryptoKeys/idp`;
    haveBackup(scene, 20, "us", `${key}/cryptoKeyVersions/1`);

    const only = await recover(["look", ELSEWHERE]);
    expect(only.stdout).toMatch(/backup +of \S+ in us: what was written in the 2\d minutes since then is lost\n/);
    expect(only.stdout).toContain(`key       ${key} is in us-central1: while that is lost, the backup cannot be read`);
    expect(only.stdout).toContain("made in europe-west1, from the backup");

    haveDump(scene, 125);
    const look = await recover(["look", ELSEWHERE]);
    expect(look.stdout).toContain("made in europe-west1, from the dump");
    expect(look.stdout).toContain("The backup is newer, but its key is in us-central1: --from backup takes it");

    haveBackup(scene, 60, "us", key.replace(LOST, "us"));
    const readable = await recover(["look", ELSEWHERE]);
    expect(readable.stdout).toMatch(/from the backup: what was written in its last 6\d minutes is lost/);
    expect(readable.stdout).not.toMatch(/ key +projects/);
  });

  lostScenario(
    "counts no dump that is not whole, and says which buckets have none or cannot be read",
    async (scene) => {
      const { recover, standIn } = scene;
      const buckets = { DUMP_COPY_BUCKET: "acme", DUMP_LOCK_BUCKET: "dumps-locked" };
      haveDump(scene, 20);
      standIn.storage.objects = standIn.storage.objects.filter(({ name }) => !name.endsWith(".sha256"));
      const isLost = standIn.isLost;
      standIn.isLost = (path) => isLost(path) || path.includes("/b/dumps-locked/");

      const { exitCode, stderr, stdout } = await recover(["look", ELSEWHERE], "", buckets);

      expect(stdout).toMatch(/ dump +gs:\/\/dumps\/latest\/\S+ cannot be read: .*sha256.*404/);
      expect(stdout).toMatch(/ copy +no whole dump in gs:\/\/acme\/dumps\/\n/);
      expect(stdout).toMatch(/ locked +those in gs:\/\/dumps-locked\/dumps\/ cannot be listed: .*503/);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("Nothing is left of the database");
    },
  );

  lostScenario("makes nothing if nothing is left, or nobody says yes", async (scene) => {
    const nothing = await scene.recover(["recover", ELSEWHERE, "--yes"]);
    expect(nothing).toMatchObject({ exitCode: 1 });
    expect(nothing.stderr).toContain("Nothing is left of the database");

    haveBackup(scene, 10, "us");
    expect(await scene.recover(["recover", ELSEWHERE], "no\n")).toMatchObject({ exitCode: 1 });
    expect(scene.changes()).toEqual([]);
    expect(existsSync(join(scene.folder, "recovery-idp-b.tfvars.json"))).toBe(false);
  });

  lostScenario(
    "repeats only the apply, also on another machine, and restores anew once that is destroyed",
    async (scene) => {
      const { done, folder, given, haveServers, recover, restores, standIn } = scene;
      haveBackup(scene, 10, "us");
      expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });
      const inputs = given();
      for (const file of readdirSync(folder).filter((name) => /recovery|terraform/.test(name)))
        rmSync(join(folder, file), { recursive: true });
      haveServers();

      const again = await recover(["recover", ELSEWHERE, "--yes"]);

      expect(again).toMatchObject({ exitCode: 0, stderr: "" });
      expect(again.stdout).toMatch(/^idp-b was restored 20\S+Z: what it has stays, and only the apply is repeated/);
      expect(done().at(-1)).toBe(APPLY);
      expect(given()).toEqual(inputs);
      expect(restores()).toBe(1);

      // Destroyed, and made again.
      const made = standIn.sql.make(PROJECT, NEW.instance, { [NEW.database]: 1 });
      made.createTime = "2026-12-01T00:00:00Z";
      standIn.jobs.servers.clear();
      expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });
      expect(restores()).toBe(2);
    },
  );

  lostScenario("overwrites no deployment with users that it has not restored, unless told", async (scene) => {
    const { changes, haveServers, recover, restores } = scene;
    haveBackup(scene, 10, "us");
    haveServers();

    const refused = await recover(["recover", ELSEWHERE, "--yes"]);

    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain(
      "idp-b has servers in europe-west1, and nothing says that this script has restored",
    );
    expect(refused.stderr).toContain("its database has 7 user(s)");
    expect([...scene.standIn.jobs.jobs.keys()].filter((name) => name.endsWith("-restore"))).toEqual([]);
    expect(changes().filter((method) => !/jobs[.](create|run|delete)$|entries/.test(method))).toEqual([]);
    expect(await recover(["recover", ELSEWHERE, "--yes", "--again"])).toMatchObject({ exitCode: 0 });
    expect(restores()).toBe(1);
  });

  lostScenario("overwrites a deployment without users, and goes on where it has begun itself", async (scene) => {
    const { haveServers, recover, restores, standIn } = scene;
    haveBackup(scene, 10, "us");
    haveServers();
    const { outcomeOf } = standIn.jobs;
    standIn.jobs.outcomeOf = (run) =>
      run.command.join(" ").includes("counts the users")
        ? { isSuccess: false, lines: ["failed: the database has no user"] }
        : outcomeOf(run);
    standIn.sql.operations.failures.set("instances.restoreBackup", { code: "ERROR", message: "no room" });

    expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 1 });
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "begun", instance: NEW.instance });

    standIn.jobs.outcomeOf = outcomeOf;
    haveServers();
    expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "restored" });
    expect(standIn.secrets.regions.get(MARK)).toEqual([ELSEWHERE]);
    expect(restores()).toBe(2);
  });

  lostScenario("stops if another run has gone on since it has read the mark", async (scene) => {
    const { haveServers, recover, restores, standIn } = scene;
    haveBackup(scene, 10, "us");
    haveServers();
    const { createTime } = standIn.sql.instances.get(`${PROJECT}/${NEW.instance}`) ?? {};
    const mark = { state: "begun", time: "2026-11-29T12:00:00Z", instance: NEW.instance, created: createTime };
    standIn.secrets.regions.set(MARK, [ELSEWHERE]);
    const log = standIn.onRequest;
    for (const [moment, state] of [
      ["objects.list", "restored"],
      ["addVersion", "restored"],
      ["services.delete", "filled"],
    ] as const) {
      standIn.secrets.annotations.set(MARK, mark);
      standIn.onRequest = (request) => {
        log(request);
        if (request.method.endsWith(moment)) standIn.secrets.annotations.set(MARK, { ...mark, state });
      };

      const { exitCode, stderr } = await recover(["recover", ELSEWHERE], "yes\n");

      expect({ exitCode, stderr }).toMatchObject({ exitCode: 1 });
      expect(stderr).toContain("Another run has gone on with idp-b since this one has looked");
      expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state });
    }
    expect(restores()).toBe(0);
  });

  lostScenario("adds only uploads once the database is in, and replaces none that is newer", async (scene) => {
    const { done, haveServers, recover, restores, standIn } = scene;
    haveBackup(scene, 10, "us");
    haveUploads(scene);
    const { isLost } = standIn;
    standIn.isLost = (path) => isLost(path) || path.includes("/rewriteTo/");
    expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 1 });
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "filled", instance: NEW.instance });

    standIn.isLost = isLost;
    haveServers();
    const steps = done().length;
    const newer = { bucket: "media-b", name: "reports/1.csv", generation: "9", updated: "2099-01-01T00:00:00.001Z" };
    standIn.storage.objects = [...standIn.storage.objects, newer];
    const again = await recover(["recover", ELSEWHERE, "--yes"]);

    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    expect(again.stdout).toMatch(/^The database of idp-b was restored 20\S+Z, and stays; only uploads are added\./);
    expect(again.stdout).toContain("Copied 1 upload(s) to media-b; 1 that are there stay as they are.");
    expect(restores()).toBe(1);
    expect(done().slice(steps).at(-1)).toBe(APPLY);
    expect(done().slice(steps)).not.toContain("the service is removed");
    const there = standIn.storage.objects.filter(({ bucket }) => bucket === "media-b");
    expect(there.map(({ generation, name }) => `${name} ${generation}`)).toEqual([
      "reports/1.csv 9",
      "media/public/a b.png 1",
    ]);
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "restored" });
  });

  lostScenario("takes what it has begun for its own only if the mark names the instance", async (scene) => {
    const { folder, haveServers, recover, restores, standIn } = scene;
    haveBackup(scene, 10, "us");
    standIn.secrets.regions.set(MARK, [ELSEWHERE]);
    standIn.secrets.annotations.set(MARK, { state: "begun", time: "2026-11-29T12:00:00Z" });
    haveServers();
    const refused = await recover(["recover", ELSEWHERE, "--yes"]);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("its database has 7 user(s)");

    standIn.jobs.servers.clear();
    writeFileSync(join(folder, "refuses"), "");
    expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 1 });
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ state: "begun", instance: NEW.instance });

    rmSync(join(folder, "refuses"));
    haveServers();
    expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });
    expect(restores()).toBe(1);
  });

  lostScenario("keeps a deployment in its region, and its secrets in theirs", async (scene) => {
    const { changes, done, folder, given, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    const file = "elsewhere.tfvars.json";
    const secret_locations = [ELSEWHERE, "us-east1"];
    writeFileSync(join(folder, file), JSON.stringify({ secret_locations }));
    const words = ["recover", ELSEWHERE, "--yes", "--var-file", file];
    expect(await recover(words)).toMatchObject({ exitCode: 0 });
    const [before, steps, inputs] = [changes().length, done().length, given()];

    const region = await recover(["recover", "us-east4", "--yes", "--again"]);
    expect(region).toMatchObject({ exitCode: 1 });
    expect(region.stderr).toContain("idp-b is in europe-west1, not in us-east4, and would be replaced");

    const forgotten = await recover(["recover", ELSEWHERE, "--yes"]);
    expect(forgotten).toMatchObject({ exitCode: 1 });
    expect(forgotten.stderr).toContain(`idp-b was made with --var-file ${file}, and its secrets are in`);

    writeFileSync(join(folder, file), JSON.stringify({ secret_locations: [ELSEWHERE] }));
    const moved = await recover(words);
    expect(moved).toMatchObject({ exitCode: 1 });
    expect(moved.stderr).toContain("The secrets of idp-b are in europe-west1 us-east1, not in europe-west1");
    expect(changes()).toHaveLength(before);
    expect(done()).toHaveLength(steps);
    expect(given()).toEqual(inputs);

    writeFileSync(join(folder, file), JSON.stringify({ secret_locations: [...secret_locations].reverse() }));
    expect(await recover(words)).toMatchObject({ exitCode: 0 });
    expect(standIn.secrets.annotations.get(MARK)).toMatchObject({ region: ELSEWHERE });
  });

  lostScenario("keeps the secret key that an earlier run has copied, although the first one is gone", async (scene) => {
    const { given, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    standIn.sql.operations.failures.set("instances.restoreBackup", { code: "ERROR", message: "no room" });
    expect(await recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 1 });
    const { isLost } = standIn;
    standIn.isLost = (path) => isLost(path) || path.includes(`${SECRET}/`);

    const { exitCode, stdout } = await recover(["recover", ELSEWHERE, "--yes"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain("secrets   idp-b-recovered-secret-key has the secret key: sessions stay");
    expect(given()).toMatchObject({ existing_secrets: { secret_key: { secret_id: "idp-b-recovered-secret-key" } } });
  });

  lostScenario("makes nothing unasked while the former instance answers, unless told", async (scene) => {
    const { changes, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    standIn.isLost = () => false;

    const refused = await recover(["recover", ELSEWHERE, "--yes"]);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("idp-demo-abc123 answers, so its users may go on");
    expect(refused.stderr).toContain("add --force");
    expect(changes()).toEqual([]);

    expect(await recover(["recover", ELSEWHERE], "no\n")).toMatchObject({ exitCode: 1 });
    expect(await recover(["recover", ELSEWHERE, "--yes", "--force"])).toMatchObject({ exitCode: 0 });
  });

  lostScenario("says how to make the secret of the mark if Google refuses that", async (scene) => {
    haveBackup(scene, 10, "us");
    const { isLost } = scene.standIn;
    scene.standIn.isLost = (path) => isLost(path) || path.endsWith(`/projects/${PROJECT}/secrets`);

    const { exitCode, stderr } = await scene.recover(["recover", ELSEWHERE, "--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain("The secret idp-b-recovery cannot be created in europe-west1.");
    expect(stderr).toContain("create it there without a version, for example with a key of yours, and run the same");
  });

  lostScenario("does nothing if the mark cannot be read", async (scene) => {
    const { changes, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    const { isLost } = standIn;
    standIn.isLost = (path) => isLost(path) || path.includes(MARK);

    const { exitCode, stderr } = await recover(["recover", ELSEWHERE, "--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain("How far the recovery of idp-b is cannot be read, so nothing is done.");
    expect(changes()).toEqual([]);
  });

  lostScenario("leaves a backup plan of the lost region behind, and says what backs up instead", async (scene) => {
    haveBackup(scene, 10, "us");
    scene.haveInputs("existing_backup_plan");
    const further = { BACKUP_PLAN: "projects/demo-project/locations/us-central1/backupPlans/daily" };

    const { exitCode, stdout } = await scene.recover(["recover", ELSEWHERE, "--yes"], "", further);

    expect(exitCode).toBe(0);
    expect(scene.given()).toMatchObject({ existing_backup_plan: null });
    expect(stdout).toMatch(/plan +stays behind: Cloud SQL itself makes the backups in europe-west1/);
  });

  lostScenario("makes a standby that the file of the operator has, with the secrets in both regions", async (scene) => {
    const { folder, given, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    scene.haveInputs("standby");
    const [hcl, json] = ["elsewhere.tfvars", "elsewhere.tfvars.json"];
    const standby = `standby = { region = "europe-west4" }\n`;
    const locations = `secret_locations = [ # both\n  "${ELSEWHERE}",\n  "europe-west4", // later "us-east1"\n]\n`;

    writeFileSync(join(folder, hcl), standby);
    const refused = await recover(["recover", ELSEWHERE, "--yes", "--var-file", hcl]);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain("has standby without secret_locations");
    expect(refused.stderr).toContain('secret_locations = ["europe-west1", "REGION OF THE STANDBY"]');
    expect(standIn.requests).toEqual([]);

    writeFileSync(join(folder, hcl), standby + locations);
    expect(await recover(["recover", ELSEWHERE, "--yes", "--var-file", hcl])).toMatchObject({ exitCode: 0 });
    expect(standIn.secrets.regions.get(KEPT)).toEqual([ELSEWHERE, "europe-west4"]);
    for (const name of ["secret_locations", "standby"]) expect(given()).not.toHaveProperty(name);

    writeFileSync(join(folder, json), JSON.stringify({ standby: { region: "europe-west3" } }));
    const other = ["--name", "idp-c", "--var-file", json];
    expect(await recover(["recover", ELSEWHERE, "--yes", ...other])).toMatchObject({ exitCode: 0 });
    const there = KEPT.replace("idp-b", "idp-c");
    expect(standIn.secrets.regions.get(there)).toEqual([ELSEWHERE, "europe-west3"]);
    expect(given("idp-c")).toMatchObject({ secret_locations: [ELSEWHERE, "europe-west3"] });
  });

  lostScenario("makes no standby of itself, and stores secrets where the file of the operator says", async (scene) => {
    const { folder, given, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    scene.haveInputs("standby");
    const file = "elsewhere.tfvars";
    writeFileSync(join(folder, file), `#standby = {}\nsecret_locations = ["${ELSEWHERE}", "us-east1"]\n`);

    expect(await recover(["recover", ELSEWHERE, "--yes", "--var-file", file])).toMatchObject({ exitCode: 0 });

    expect(given()).toMatchObject({ standby: null });
    expect(given()).not.toHaveProperty("secret_locations");
    expect(standIn.secrets.regions.get(KEPT)).toEqual([ELSEWHERE, "us-east1"]);
  });

  lostScenario("refuses a kept secret key that a region of the secrets lacks, and wrong regions", async (scene) => {
    const { folder, recover, standIn } = scene;
    haveBackup(scene, 10, "us");
    standIn.secrets.regions.set(KEPT, [ELSEWHERE]);
    const file = "elsewhere.tfvars.json";
    const recoverWith = (regions: readonly string[]) => {
      writeFileSync(join(folder, file), JSON.stringify({ secret_locations: regions }));
      return recover(["recover", ELSEWHERE, "--yes", "--var-file", file]);
    };

    const lacking = await recoverWith([ELSEWHERE, "europe-west4"]);
    expect(lacking).toMatchObject({ exitCode: 1 });
    expect(lacking.stderr).toContain("The secret idp-b-recovered-secret-key is not in europe-west4");

    const wrong = await recoverWith([ELSEWHERE, "moon"]);
    expect(wrong).toMatchObject({ exitCode: 2 });
    expect(wrong.stderr).toContain('names "europe-west1 moon" as regions of secrets');
  });

  lostScenario(
    "brings the uploads of a lost bucket once it is back, and replaces none that are newer",
    async (scene) => {
      const { done, recover, standIn } = scene;
      haveBackup(scene, 10, "us");
      haveUploads(scene);
      const isLost = standIn.isLost;
      standIn.isLost = (path) => isLost(path) || path.includes("/b/media/");
      const { exitCode, stdout } = await recover(["recover", ELSEWHERE, "--yes"]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        /uploads +cannot be read, and stay away until recover-elsewhere.sh uploads brings them: .*503/,
      );
      const there = () =>
        standIn.storage.objects
          .filter(({ bucket }) => bucket === "media-b")
          .map(({ generation, name }) => `${name} ${generation}`);
      expect(there()).toEqual([]);
      const steps = done().length;

      standIn.isLost = isLost;
      const newer = { bucket: "media-b", name: "reports/1.csv", generation: "9" };
      standIn.storage.objects = [...standIn.storage.objects, newer];
      const brought = await recover(["uploads", ELSEWHERE]);

      expect(brought).toMatchObject({ exitCode: 0, stderr: "" });
      expect(brought.stdout).toContain("Copied 1 upload(s) to media-b; 1 that are there stay as they are.");
      expect(there()).toEqual(["reports/1.csv 9", "media/public/a b.png 1"]);
      expect(done()).toHaveLength(steps);
    },
  );

  lostScenario("brings no uploads to a deployment that was not made", async (scene) => {
    const { exitCode, stderr } = await scene.recover(["uploads", ELSEWHERE, "--name", "idp-c"]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain("There is no .terraform-idp-c here");
    expect(scene.standIn.requests).toEqual([]);
  });

  lostScenario("refuses wrong words and settings, all at once", async (scene) => {
    const words = ["recover", LOST, "--from", "tape", "--name", "idp", "--var-file", "missing.tfvars", "--loud"];

    const { exitCode, stderr } = await scene.recover(words);

    expect(exitCode).toBe(2);
    for (const part of [
      '"--loud" is not an option',
      "REGION is us-central1, the region of the deployment that is gone",
      'FROM is "tape"',
      "NAME is idp, the name of the deployment that is gone",
      "There is no file missing.tfvars",
    ])
      expect(stderr).toContain(part);
    expect(scene.standIn.requests).toEqual([]);
  });
});
