import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith } from "../../support/programs";
import {
  ELSEWHERE,
  haveBackup,
  haveCopy,
  haveDump,
  KEPT,
  LOST,
  lostScenario,
  MARK,
  NEW,
  SECRET,
} from "./recover-scene";
import { DATABASE, PROJECT } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "recover-elsewhere.sh, with whatever is left", () => {
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

  const PLAN = { BACKUP_PLAN: "projects/demo-project/locations/us-central1/backupPlans/daily" };
  const settled = (nullable: string) => `variable "existing_backup_plan" {\n  type     = string\n${nullable}}\n`;

  lostScenario("says that nothing backs up where a folder for one deployment has the plan for good", async (scene) => {
    const { folder, given, recover } = scene;
    haveBackup(scene, 10, "us");
    const variable = { existing_backup_plan: { nullable: false } };
    const lookIn = async (file: string, text: string) => {
      rmSync(join(folder, "cdk.tf.json"), { force: true });
      writeFileSync(join(folder, file), text);
      const { stdout } = await recover(["look", ELSEWHERE], "", PLAN);
      return /^ *plan +(\w+ \w+)/m.exec(stdout)?.[1];
    };

    expect(await lookIn("variables.tf", settled("  nullable = false\n"))).toBe("would follow");
    expect(await lookIn("variables.tf", settled("  default  = null\n"))).toBe("stays behind");
    // Synthesized again without the plan, which the settings of the lost deployment still name.
    expect(await lookIn("variables.tf", 'variable "region" {\n  nullable = false\n}\n')).toBe("stays behind");
    expect(await lookIn("cdk.tf.json", JSON.stringify({ variable }))).toBe("would follow");

    await recover(["recover", ELSEWHERE, "--yes"], "", PLAN);
    expect(given()).not.toHaveProperty("existing_backup_plan");
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
});
