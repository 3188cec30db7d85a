import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import {
  applyWithoutPromoted,
  AWAY,
  expectAway,
  expectHome,
  expectHomeClosed,
  haveEnterprisePlus,
  haveHomeBack,
  HOME,
  instanceOf,
  loseHome,
  promoteScenario,
  SECRET_KEY,
  setActivation,
  STANDBY,
} from "./promote-scene";
import { DUMP_JOB, INSTANCE, JOBS, PROJECT } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "promote.sh, in whatever state the deployment is", () => {
  promoteScenario("compares in a drill once jobs that use the primary have ended", async (scene) => {
    const { jobs } = scene.standIn;
    const { outcomeOf } = jobs;
    const job = jobs.startBySchedule(`${JOBS}/${DUMP_JOB}`);
    let isEnded = false;
    let looks = 0;
    scene.also(({ method, path }) => {
      if (!method.endsWith("executions.list") || !path.includes(`/${DUMP_JOB}/`)) return;
      looks += 1;
      if (looks < 3) return;
      isEnded = true;
      job.end();
    });
    const seen: boolean[] = [];
    jobs.outcomeOf = (run) => {
      seen.push(isEnded);
      return outcomeOf(run);
    };

    const { exitCode, stderr, stdout } = await scene.promote(["now", "--planned", "--yes"], {
      environment: { SCALE_SECONDS: "60" },
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(`${DUMP_JOB}: running, and may write to ${INSTANCE}`);
    expect(seen).toEqual([true]);
    expectAway(scene);
  });

  promoteScenario("compares again in a drill if a job has begun meanwhile", async (scene) => {
    const { jobs } = scene.standIn;
    const { outcomeOf } = jobs;
    let runs = 0;
    jobs.outcomeOf = (run) => {
      runs += 1;
      if (runs === 1) jobs.startBySchedule(`${JOBS}/${DUMP_JOB}`).end();
      return outcomeOf(run);
    };

    expect(await scene.promote(["now", "--planned", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(runs).toBe(2);
    expectAway(scene);
  });

  promoteScenario("takes the fence away again in a drill whose comparison fails", async (scene) => {
    const before = scene.accountsOf(INSTANCE);
    scene.standIn.jobs.startBySchedule(`${JOBS}/${DUMP_JOB}`);

    const { exitCode, stderr } = await scene.promote(["now", "--planned", "--yes"], {
      environment: { SCALE_SECONDS: "20" },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${DUMP_JOB} has not ended after 20 s (SCALE_SECONDS), and may write to ${INSTANCE}`);
    expect(stderr).toContain(`Whoever could connect to ${INSTANCE} before can connect again.`);
    expect(scene.done()).not.toContain("job");
    expect(before).toEqual(["idp-dump", "idp-init", "idp"]);
    expect(scene.accountsOf(INSTANCE)).toEqual(before);
  });

  promoteScenario("promotes nothing in a drill if the standby does not get everything", async (scene) => {
    const accounts = scene.accountsOf(INSTANCE);
    const outcomeOf = scene.standIn.jobs.outcomeOf;
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false, lines: ["failed: the replica does not have 0/3"] });

    const { exitCode, stderr } = await scene.promote(["now", "--planned", "--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain("failed: the replica does not have 0/3");
    expect(stderr).toContain("To let home serve users again instead: promote.sh home");
    expect(scene.done()).not.toContain("promotion");
    expect(instanceOf(scene, STANDBY)?.primary).toBe(INSTANCE);
    expect(scene.accountsOf(INSTANCE)).toEqual(accounts);
    scene.standIn.jobs.outcomeOf = outcomeOf;
    expect(await scene.promote(["now", "--planned", "--yes"])).toMatchObject({ exitCode: 0 });
    expectAway(scene);
  });

  promoteScenario(
    "stops a primary after the promotion that cannot be stopped while it has a replica",
    async (scene) => {
      scene.standIn.sql.keepsPrimaries = true;

      expect(await scene.promote(["now", "--planned", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

      const order = scene.done().filter((step) => ["NEVER home", "promotion", "grants"].includes(step));
      expect(order).toEqual(["grants", "grants", "NEVER home", "promotion", "NEVER home"]);
      expectAway(scene);
      expectHomeClosed(scene);
    },
  );

  promoteScenario("names the limit of a primary that takes too long to stop", async (scene) => {
    scene.standIn.sql.operations.callsUntilDone = 1e6;

    const { exitCode, stderr } = await scene.promote(["now", "--planned", "--yes"], {
      environment: { STOP_SECONDS: "1" },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain("is not done after 1 s; it goes on by itself. To wait longer, raise STOP_SECONDS.");
    expect(scene.done()).not.toContain("promotion");
  });

  promoteScenario("lets primary and replica change places only with Enterprise Plus", async (scene) => {
    const refused = await scene.promote(["now", "--switchover", "--yes"]);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("--switchover needs the edition Enterprise Plus, and this is ENTERPRISE");
    expect(scene.changes()).toEqual([]);

    haveEnterprisePlus(scene);
    expect(await scene.promote(["now", "--switchover", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
    expectAway(scene);
    expect(scene.done()).not.toContain("promotion");
    expect(scene.done().slice(0, 2)).toEqual(["designation home", "stop servers standby"]);
    expect(instanceOf(scene, INSTANCE)?.primary).toBe(STANDBY);
  });

  promoteScenario("makes no change if the standby cannot become the disaster recovery replica", async (scene) => {
    haveEnterprisePlus(scene);
    const primary = instanceOf(scene, INSTANCE);
    if (primary !== undefined) primary.settings = { ...primary.settings, backupConfiguration: { enabled: true } };

    const { exitCode, stderr } = await scene.promote(["now", "--switchover", "--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `${STANDBY} cannot become the disaster recovery replica of ${INSTANCE}, so nothing is done.`,
    );
    expect(stderr).toContain("needs point-in-time recovery");
    expect(scene.done()).toEqual(["designation home"]);
  });

  promoteScenario("lets the promoted instance be deleted once its data are home, if that is meant", async (scene) => {
    const isProtected = () => instanceOf(scene, STANDBY)?.settings.deletionProtectionEnabled;
    await scene.promote(["now", "--planned", "--yes"]);
    const kept = await scene.promote(["home", "--yes"]);
    expect(kept.stdout).toContain(`${STANDBY} is kept, and billed.`);
    expect(isProtected()).toBe(true);

    expect(await scene.promote(["home", "--discard", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(isProtected()).toBe(false);
    expect(instanceOf(scene, INSTANCE)?.settings.deletionProtectionEnabled).toBe(true);
    expectHome(scene);
  });

  promoteScenario("takes nothing as home where an apply has sent users back to old data", async (scene) => {
    await scene.promote(["now", "--planned", "--yes"]);
    applyWithoutPromoted(scene);
    const before = scene.done().length;
    for (const words of [
      ["home", "--discard", "--yes"],
      ["home", "--yes"],
      ["now", "--yes"],
    ]) {
      const { exitCode, stderr } = await scene.promote(words);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining("Users are at home, whose data are old") as string,
      });
    }
    expect(scene.done().slice(before)).toEqual([]);
    expect(instanceOf(scene, STANDBY)?.settings.deletionProtectionEnabled).toBe(true);
  });

  promoteScenario("promotes nothing while users are answered, whatever fails of Google's interfaces", async (scene) => {
    scene.standIn.isLost = (path) => path.includes(`/locations/${HOME}/services/`);
    const { exitCode, stderr } = await scene.promote(["now", "--yes"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("answers, so nothing is promoted: home may still serve users") as string,
    });
    expect(scene.done()).toEqual([]);
    expect(await scene.promote(["now", "--force", "--yes"])).toMatchObject({ exitCode: 0 });
    expectAway(scene);
  });

  promoteScenario(
    "starts a primary that was stopped, to see in a drill that the standby has everything",
    async (scene) => {
      setActivation(scene.standIn, "NEVER");
      expect(await scene.promote(["now", "--planned", "--yes"])).toMatchObject({ exitCode: 0 });
      const done = scene.done().filter((step) => ["ALWAYS home", "job", "NEVER home", "promotion"].includes(step));
      expect(done).toEqual(["ALWAYS home", "job", "NEVER home", "promotion"]);
    },
  );

  promoteScenario("keeps the protection of an instance whose data are not home", async (scene) => {
    const early = await scene.promote(["home", "--discard", "--yes"]);
    expect(early.stdout).toContain("the standby is ready again");
    await scene.promote(["now", "--planned", "--yes"]);
    scene.standIn.sql.operations.failures.set("backups.createBackup", { code: "ERROR", message: "no room" });
    expect(await scene.promote(["home", "--discard", "--yes"])).toMatchObject({ exitCode: 1 });
    expect(instanceOf(scene, STANDBY)?.settings.deletionProtectionEnabled).toBe(true);
  });

  promoteScenario("gives a promoted instance backups of its own where a plan of others makes those", async (scene) => {
    const primary = instanceOf(scene, INSTANCE);
    if (primary !== undefined)
      primary.settings = { ...primary.settings, backupConfiguration: { enabled: false, location: "us" } };
    const environment = { BACKUP_PLAN: "projects/backups/locations/us-central1/backupPlans/databases" };

    expect(await scene.promote(["now", "--planned", "--yes"], { environment })).toMatchObject({ exitCode: 0 });
    const own = { enabled: true, pointInTimeRecoveryEnabled: true };
    expect(instanceOf(scene, STANDBY)?.settings.backupConfiguration).toEqual(own);

    expect(await scene.promote(["home", "--yes"], { environment })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scene.done()).toContain("restore");
    expectHome(scene);
  });

  promoteScenario("says that the instance at home is gone, or ails", async (scene) => {
    await scene.promote(["now", "--planned", "--yes"]);
    const before = scene.done().length;
    const primary = instanceOf(scene, INSTANCE);
    if (primary !== undefined) primary.state = "MAINTENANCE";
    expect((await scene.promote(["home", "--yes"])).stderr).toContain(`${INSTANCE} is not RUNNABLE, so users stay`);
    scene.standIn.sql.instances.delete(`${PROJECT}/${INSTANCE}`);

    const { exitCode, stderr } = await scene.promote(["home", "--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${INSTANCE} does not exist any more, so there is nothing to bring users home to.`);
    expect(stderr).not.toContain("is not back");
    expect(scene.done()).toHaveLength(before);
  });

  promoteScenario("stays away while the region is gone, and if no backup is made", async (scene) => {
    loseHome(scene);
    await scene.promote(["now", "--yes"]);
    const before = scene.done().length;
    const early = await scene.promote(["home", "--yes"]);
    expect(early).toMatchObject({ exitCode: 1 });
    expect(early.stderr).toContain("us-central1 is not back, so users stay where they are");
    expect(scene.done()).toHaveLength(before);

    haveHomeBack(scene);
    scene.standIn.sql.operations.failures.set("backups.createBackup", { code: "ERROR", message: "no room" });
    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 1 });
    expect(scene.done()).not.toContain("restore");
    expect(scene.led()).toEqual([AWAY]);
    // Those of before the region was lost may still have been running.
    expect(scene.done().slice(before)).toContain("stop workers home");

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0 });
    expectHome(scene);
  });

  promoteScenario("changes places once more after a switchover, and restores nothing", async (scene) => {
    haveEnterprisePlus(scene);
    await scene.promote(["now", "--switchover", "--yes"]);
    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 1 });

    expect(await scene.promote(["home", "--switchover", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(scene.done()).not.toContain("restore");
    expect(scene.done().filter((step) => step.startsWith("designation"))).toEqual(["designation home"]);
    expect(instanceOf(scene, STANDBY)?.primary).toBe(INSTANCE);
    const backups = { enabled: true, pointInTimeRecoveryEnabled: true, location: "us" };
    expect(instanceOf(scene, INSTANCE)?.settings.backupConfiguration).toEqual(backups);
    expectHome(scene);
  });

  promoteScenario(
    "promotes nothing if the uploads, which servers mount, are gone with the region, unless told",
    async (scene) => {
      const { promote, standIn } = scene;
      standIn.storage.regions.set("media", [HOME]);
      const early = await promote(["look"]);
      expect(early.stdout).toMatch(
        /uploads +media is in us-central1 alone: when that is gone, no server can start in eu/,
      );

      loseHome(scene);
      const { isLost } = standIn;
      standIn.isLost = (path) => isLost(path) || path.includes("/b/media/o");
      const looked = await promote(["look"]);
      expect(looked.exitCode).toBe(0);
      expect(looked.stdout).toMatch(/uploads +media does not answer, and is in us-central1 alone: .*503/);
      const { exitCode, stderr } = await promote(["now", "--yes"]);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/Servers mount the uploads of media, which .*, so none can start in europe-west1/);
      expect(scene.changes()).toEqual([]);
      expect(await promote(["now", "--force", "--yes"])).toMatchObject({ exitCode: 0 });
      expectAway(scene);
    },
  );

  promoteScenario("promotes although the uploads are slow, where they are in both regions", async (scene) => {
    const { promote, standIn } = scene;
    standIn.storage.regions.set("media", [HOME, AWAY]);
    loseHome(scene);
    const { isLost } = standIn;
    standIn.isLost = (path) => isLost(path) || path.includes("/b/media/o");

    const { exitCode, stdout } = await promote(["now", "--yes"]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/uploads +media does not answer: .*503/);
    expectAway(scene);
  });

  promoteScenario("says that it cannot tell where a secret is, and goes on", async (scene) => {
    scene.standIn.secrets.regions.delete(`projects/${PROJECT}/secrets/${SECRET_KEY}`);
    loseHome(scene);

    const { exitCode, stdout } = await scene.promote(["now", "--yes"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain("whether these can be read in europe-west1 is not known: secret-key (HTTP 404)");
  });

  promoteScenario("says at its beginning and its end what it could not check without an address", async (scene) => {
    const programs = programFolder({ scripts: { terraform: "exit 1" } });
    const without = { programs };
    const last = (stdout: string) => stdout.trimEnd().split("\n").at(-1);
    loseHome(scene);

    const away = await scene.promote(["now", "--yes"], without);
    haveHomeBack(scene);
    await scene.promote(["now", "--yes"], without);
    const home = await scene.promote(["home", "--yes"], without);

    for (const { exitCode, stdout } of [away, home]) {
      expect(exitCode).toBe(0);
      expect(last(stdout)).toMatch(/^Not checked: whether users are answered, because neither SERVICE_URL nor a state/);
      expect(stdout).not.toContain("serves users after");
    }
    expect(away.stdout).toMatch(/ address +not checked, because neither SERVICE_URL nor a state says it/);
    expectHome(scene);
    expect(last((await scene.promote(["home", "--yes"])).stdout)).not.toContain("Not checked");
  });
});
