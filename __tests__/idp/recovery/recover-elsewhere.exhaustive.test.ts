import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith } from "../../support/programs";
import {
  APPLY,
  ELSEWHERE,
  haveBackup,
  haveDump,
  haveUploads,
  KEPT,
  KEY,
  LOST,
  lostScenario,
  NEW,
} from "./recover-scene";
import { DATABASE, runsOf } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "recover-elsewhere.sh, further", () => {
  lostScenario("keeps the secret key in a secret of the new region, and prints it nowhere", async (scene) => {
    const { folder, recover, standIn } = scene;
    haveBackup(scene, 10, "us");

    const { exitCode, output } = await recover(["recover", ELSEWHERE, "--yes"]);

    expect(exitCode).toBe(0);
    expect(standIn.secrets.payloads.get(KEPT)).toBe(KEY);
    expect(standIn.secrets.regions.get(KEPT)).toEqual([ELSEWHERE]);
    const written = [output, readFileSync(join(folder, "recovery-idp-b.tfvars.json"), "utf8")].join();
    for (const form of [KEY, Buffer.from(KEY).toString("base64")]) expect(written).not.toContain(form);
  });

  lostScenario("goes on after an interruption with the secret that is there", async (scene) => {
    haveBackup(scene, 10, "us");
    scene.standIn.secrets.regions.set(KEPT, [ELSEWHERE]);
    scene.standIn.secrets.payloads.set(KEPT, KEY);

    expect(await scene.recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });

    scene.standIn.secrets.payloads.set(KEPT, "another");
    const run = await scene.recover(["recover", ELSEWHERE, "--yes", "--again"]);
    expect(run).toMatchObject({ exitCode: 1 });
    expect(run.stderr).toContain("has another value than the secret key");
  });

  lostScenario("restores the dump if that is newer", async (scene) => {
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

  lostScenario("takes what a list lacks of the lost region alone for known", async (scene) => {
    haveBackup(scene, 10, "us");
    const warning = (region: string) => ({ code: "REGION_UNREACHABLE", message: "unreachable", region });
    scene.standIn.sql.warnings = [warning(LOST)];
    expect(await scene.recover(["recover", ELSEWHERE, "--yes"])).toMatchObject({ exitCode: 0 });

    scene.standIn.sql.warnings = [warning("europe-west4")];
    const { stdout } = await scene.recover(["look", ELSEWHERE]);
    expect(stdout).toMatch(/backup +none can be listed: .*is incomplete: REGION_UNREACHABLE europe-west4/);
  });

  lostScenario("repeats only the apply once the database is restored, unless told", async (scene) => {
    const restores = () => scene.done().filter((step) => step === "the backup is restored").length;
    haveBackup(scene, 10, "us");
    haveUploads(scene);
    await scene.recover(["recover", ELSEWHERE, "--yes"]);
    const before = scene.changes().length;

    const again = await scene.recover(["recover", ELSEWHERE, "--yes"]);

    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    expect(again.stdout).toMatch(/^idp-b was restored 20\S+Z: what it has stays, and only the apply is repeated/);
    expect(scene.done().at(-1)).toBe(APPLY);
    expect(scene.changes()).toHaveLength(before);
    expect(await scene.recover(["recover", ELSEWHERE, "--yes", "--again"])).toMatchObject({ exitCode: 0 });
    expect(restores()).toBe(2);
  });
});
