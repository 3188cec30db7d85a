import { existsSync, readdirSync, rmSync } from "node:fs";
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
  LOST,
  lostScenario,
  MARK,
  NEW,
  SECRET,
} from "./recover-scene";
import { PROJECT, runsOf } from "./sql-scene";

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
      run.command.join(" ").includes("users: $users user")
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
