import { status } from "../../support/fault-matrix";
import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import {
  AWAY,
  applyWithoutPromoted,
  expectAway,
  expectHome,
  expectHomeClosed,
  haveEnterprisePlus,
  haveHomeBack,
  HOME,
  instanceOf,
  loseHome,
  NEVER,
  promoteScenario,
  SECRET_KEY,
  setActivation,
  STANDBY,
} from "./promote-scene";
import { DUMP_JOB, INSTANCE, JOBS, PROJECT } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "promote.sh", () => {
  promoteScenario(
    "sends users to the standby, and closes the primary for new connections before it promotes",
    async (scene) => {
      loseHome(scene);

      const { exitCode, stderr, stdout } = await scene.promote(["now"], { input: "yes\n" });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(scene.done()).toEqual([
        "stop servers standby",
        "users",
        "grants",
        "promotion",
        "backups standby",
        "start servers standby",
        "start workers standby",
      ]);
      expectAway(scene);
      expect(stdout).toMatch(/primary +\S+ in us-central1 does not answer: .*503/);
      expect(stdout).toContain(
        "at 2026-11-22T12:00:00Z it was 4 s behind: what was written after about 2026-11-22T11:59:56Z",
      );
      expect(stdout).toContain(`  standby = { region = "${AWAY}", promoted = true }`);
      expect(stdout).toContain("As soon as it is back, and before anything else, run promote.sh now again");
    },
  );

  promoteScenario("closes home when it is run again once the region is back", async (scene) => {
    loseHome(scene);
    await scene.promote(["now", "--yes"]);
    const before = scene.done().length;
    haveHomeBack(scene);

    const again = await scene.promote(["now", "--yes"]);

    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scene.done().slice(before)).toEqual(["stop servers home", "stop workers home", "NEVER home"]);
    expectAway(scene);
    expectHomeClosed(scene);
    expect(again.stdout).not.toContain("run promote.sh now again");
    expect(await scene.promote(["now", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scene.done()).toHaveLength(before + 3);
  });

  promoteScenario("promotes nothing while the primary answers, unless told", async (scene) => {
    const refused = await scene.promote(["now", "--yes"]);

    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("The primary answers, so nothing is promoted");
    expect(scene.changes()).toEqual([]);

    expect(await scene.promote(["now", "--force", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scene.done()).not.toContain("job");
    expectAway(scene);
    expectHomeClosed(scene);
  });

  promoteScenario("waits in a drill until nobody writes and the standby has everything", async (scene) => {
    const { exitCode, stderr, stdout } = await scene.promote(["now", "--planned", "--yes"]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(scene.done()).toEqual([
      "stop servers standby",
      "users",
      "stop servers home",
      "stop workers home",
      "grants",
      "job",
      "grants",
      "NEVER home",
      "promotion",
      "backups standby",
      "start servers standby",
      "start workers standby",
    ]);
    expectAway(scene);
    expectHomeClosed(scene);
    const [job] = scene.standIn.jobs.runs;
    expect(job?.databases).toEqual([`${PROJECT}:${HOME}:${INSTANCE}`, `${PROJECT}:${AWAY}:${STANDBY}`]);
    expect(stdout).toContain("minutes; nothing is lost.");
    expect([...scene.standIn.jobs.jobs.keys()].filter((name) => name.endsWith("-restore"))).toEqual([]);
  });

  promoteScenario("lets nobody but the comparing job connect before it compares in a drill", async (scene) => {
    const { outcomeOf } = scene.standIn.jobs;
    const seen: (readonly string[])[] = [];
    scene.standIn.jobs.outcomeOf = (run) => {
      seen.push(scene.accountsOf(INSTANCE));
      return outcomeOf(run);
    };

    expect(await scene.promote(["now", "--planned", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(seen).toEqual([["idp-init"]]);
    expect(scene.accountsOf(INSTANCE)).toEqual([]);
  });

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

  promoteScenario("gives back at home what it withdrew of others, also by another run", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const name = `resource.name == "projects/${PROJECT}/instances/${INSTANCE}"`;
    const expression = `${name} && request.time < timestamp("2030-01-01T00:00:00Z")`;
    const members = ["serviceAccount:etl@other.iam.gserviceaccount.com", "user:analyst@example.com"];
    const grant = { role: "roles/cloudsql.client", members, condition: { title: "Analysts", expression } };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);
    loseHome(scene);
    const theirs = () => bindings.get(PROJECT)?.filter(({ condition }) => condition?.title === "Analysts");

    const away = await scene.promote(["now", "--yes"]);
    haveHomeBack(scene);
    const again = await scene.promote(["now", "--yes"]);

    expectAway(scene);
    for (const { exitCode, stdout } of [away, again]) {
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/promote\.sh home gives the right back also to: .*idp-dump@\S+ \(Only idp-demo-abc123\)/);
      for (const member of members) expect(stdout).toContain(`${member} (Analysts)`);
    }
    expect(theirs()).toEqual([{ ...grant, condition: { title: "Analysts", expression: `${NEVER}${expression})` } }]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(theirs()).toEqual([grant]);
    expect(scene.accountsOf(INSTANCE)).toEqual(["idp-dump", "idp-init", "idp"]);
  });

  promoteScenario("gives at home no right to whom others let connect to the standby alone", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const expression = `resource.name == "projects/${PROJECT}/instances/${STANDBY}"`;
    const members = ["user:analyst@example.com"];
    const grant = { role: "roles/cloudsql.client", members, condition: { title: "Analysts", expression } };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);
    loseHome(scene);
    await scene.promote(["now", "--yes"]);
    haveHomeBack(scene);
    await scene.promote(["now", "--yes"]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(bindings.get(PROJECT)?.filter(({ condition }) => condition?.title === "Analysts")).toEqual([grant]);
    expect(scene.accountsOf(INSTANCE)).toEqual(["idp-dump", "idp-init", "idp"]);
  });

  promoteScenario("refuses a condition that it could not end, before it moves anybody", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const name = `resource.name == "projects/${PROJECT}/instances/${INSTANCE}"`;
    const days = Array.from({ length: 12 }, (_, day) => `request.time.getDayOfWeek() != ${day}`);
    const condition = { title: "Some days", expression: [name, ...days].join(" && ") };
    const grant = { role: "roles/cloudsql.client", members: ["user:analyst@example.com"], condition };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);
    loseHome(scene);

    const refused = await scene.promote(["now", "--yes"]);

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("user:analyst@example.com (Some days)");
    expect(scene.done()).toEqual([]);

    const forced = await scene.promote(["now", "--force", "--yes"]);

    expect(forced.stderr).toContain("removed for good, as --force says; write them down: user:analyst@example.com");
    expect(bindings.get(PROJECT)?.filter((each) => each.condition?.title === "Some days")).toEqual([]);
  });

  promoteScenario("leaves a right alone at home whose condition it could not end", async (scene) => {
    const { bindings } = scene.standIn.policies;
    await scene.promote(["now", "--planned", "--yes"]);
    const name = `resource.name == "projects/${PROJECT}/instances/${INSTANCE}"`;
    const days = Array.from({ length: 12 }, (_, day) => `request.time.getDayOfWeek() != ${day}`);
    const condition = { title: "Some days", expression: [name, ...days].join(" && ") };
    const grant = { role: "roles/cloudsql.client", members: ["user:analyst@example.com"], condition };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(bindings.get(PROJECT)?.filter((each) => each.condition?.title === "Some days")).toEqual([grant]);
  });

  promoteScenario("lets only the jobs that restore connect while the data come home", async (scene) => {
    const during: (readonly string[])[] = [];
    scene.also(({ method }) => {
      if (method.endsWith("restoreBackup")) during.push(scene.accountsOf(INSTANCE));
    });
    loseHome(scene);
    await scene.promote(["now", "--yes"]);
    haveHomeBack(scene);
    await scene.promote(["now", "--yes"]);

    const { exitCode, stdout } = await scene.promote(["home", "--yes"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`and let only the jobs that restore connect to ${INSTANCE}`);
    expect(during).toEqual([["idp-init"]]);
    expect(scene.accountsOf(INSTANCE)).toEqual(["idp-dump", "idp-init", "idp"]);
  });

  promoteScenario("keeps what others change in the policy of the project meanwhile", async (scene) => {
    loseHome(scene);
    scene.standIn.policies.overtaken = 2;

    expect(await scene.promote(["now", "--yes"])).toMatchObject({ exitCode: 0 });

    expectAway(scene);
    const roles = (scene.standIn.policies.bindings.get(PROJECT) ?? []).map(({ members, role }) => [role, ...members]);
    expect(roles).toContainEqual(["roles/owner", "user:owner@example.com"]);
    expect(roles.filter(([role]) => role === "roles/viewer")).toHaveLength(2);
  });

  promoteScenario("promotes nothing if the servers could still connect to the primary", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const members = [`serviceAccount:${scene.standIn.jobs.account}`];
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), { role: "roles/cloudsql.client", members }]);
    loseHome(scene);

    const { exitCode, stderr } = await scene.promote(["now", "--yes"]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${members[0] ?? ""} by roles/cloudsql.client on projects/${PROJECT}`);
    expect(scene.changes()).toEqual([]);
  });

  promoteScenario("promotes nothing if a folder, a custom role or a broad condition lets connect", async (scene) => {
    const { policies } = scene.standIn;
    const member = "serviceAccount:idp-dump@demo-project.iam.gserviceaccount.com";
    const own = policies.bindings.get(PROJECT) ?? [];
    const custom = `projects/${PROJECT}/roles/connector`;
    const reader = `projects/${PROJECT}/roles/reader`;
    const expression = `resource.name.startsWith("projects/${PROJECT}/instances/")`;
    const condition = { title: "All", expression };
    policies.ancestors = ["folders/12", "organizations/34"];
    policies.bindings.set("folders/12", [{ role: "roles/cloudsql.client", members: [member] }]);
    policies.roles.set(custom, ["cloudsql.instances.connect", "cloudsql.instances.get"]);
    policies.roles.set(reader, ["cloudsql.instances.get"]);
    policies.bindings.set(PROJECT, [
      ...own,
      { role: custom, members: [member] },
      { role: reader, members: [member] },
      { role: "roles/cloudsql.editor", members: ["user:somebody@example.com"] },
      { role: "roles/cloudsql.client", members: [member], condition },
    ]);
    const grants = [
      `${member} by ${custom} on projects/${PROJECT}`,
      `${member} by roles/cloudsql.client on folders/12`,
      `${member} by roles/cloudsql.client on projects/${PROJECT}`,
    ].join(", ");

    expect((await scene.promote(["look"])).stdout).toContain(`can be reached also after the promotion: ${grants}\n`);
    const refused = await scene.promote(["now", "--planned", "--yes"]);

    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain(`so nothing is promoted: ${grants}\n`);
    expect(scene.changes()).toEqual([]);
    loseHome(scene);
    expect(await scene.promote(["now", "--force", "--yes"])).toMatchObject({ exitCode: 0 });
  });

  promoteScenario("says which policies and roles it could not read, and goes on", async (scene) => {
    const { policies } = scene.standIn;
    policies.ancestors = ["folders/12"];
    const role = "organizations/34/roles/unknown";
    const members = [`serviceAccount:${scene.standIn.jobs.account}`];
    policies.bindings.set(PROJECT, [...(policies.bindings.get(PROJECT) ?? []), { role, members }]);
    scene.standIn.inject("cloudresourcemanager.folders.getIamPolicy", status(403, "PERMISSION_DENIED"));

    const { exitCode, stdout } = await scene.promote(["look"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`is granted here is not known: folders/12 (HTTP 403), ${role} (HTTP 403)`);
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

  promoteScenario("brings users home with all that the standby was told, once nobody writes", async (scene) => {
    await scene.promote(["now", "--planned", "--yes"]);
    const before = scene.done().length;

    const { exitCode, stderr, stdout } = await scene.promote(["home"], { input: "yes\n" });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(
      scene
        .done()
        .slice(before)
        .filter((step) => step !== "job"),
    ).toEqual([
      "stop servers standby",
      "stop workers standby",
      "ALWAYS home",
      "grants",
      "backup",
      "restore",
      "NEVER standby",
      "grants",
      "users",
      "start servers home",
      "start workers home",
    ]);
    // A job sees that nobody writes any more.
    const afterwards = scene.done().slice(before);
    expect(afterwards.indexOf("job")).toBeGreaterThan(afterwards.indexOf("stop workers standby"));
    expect(afterwards.indexOf("job")).toBeLessThan(afterwards.indexOf("backup"));
    expectHome(scene);
    const backups = [...scene.standIn.sql.backups.values()];
    expect(backups.map(({ instance }) => instance)).toEqual([STANDBY]);
    const restores = scene.standIn.requests.filter(({ method }) => method.endsWith("restoreBackup"));
    expect(restores.map(({ body, path }) => [path.includes(`/instances/${INSTANCE}/`), body])).toEqual([
      [true, { backup: backups[0]?.name }],
    ]);
    expect(stdout).toContain("the next number as N");
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

  promoteScenario("restores nothing at home while somebody still uses the standby's database", async (scene) => {
    await scene.promote(["now", "--planned", "--yes"]);
    const before = scene.done().length;
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false, lines: ["failed: 1 session(s) still use idp_demo"] });
    expect(await scene.promote(["home", "--yes"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("Whether anybody still writes to") as string,
    });
    expect(scene.done().slice(before)).not.toEqual(expect.arrayContaining(["backup"]));
    expect(scene.done().slice(before)).not.toEqual(expect.arrayContaining(["restore"]));
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

  promoteScenario("never restores over what users have written at home since", async (scene) => {
    await scene.promote(["now", "--planned", "--yes"]);
    await scene.promote(["home", "--yes"]);
    const before = scene.done().length;

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scene.done()).toHaveLength(before);
    const again = await scene.promote(["now", "--planned", "--yes"]);

    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toContain("what it had is home: its data are old, nothing is done");
    expectHome(scene);
  });

  promoteScenario("sends users back to a home that has kept its data, if nothing was promoted", async (scene) => {
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false, lines: ["failed: it does not"] });
    await scene.promote(["now", "--planned", "--yes"]);
    expect(scene.led()).toEqual([AWAY]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(scene.done()).not.toContain("restore");
    expect(instanceOf(scene, STANDBY)?.primary).toBe(INSTANCE);
    expectHome(scene);
  });

  promoteScenario("asks for an apply after the way home only if a job's account lacks its right", async (scene) => {
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false, lines: ["failed: it does not"] });
    await scene.promote(["now", "--planned", "--yes"]);

    // The failed comparison has given all rights back.
    const complete = await scene.promote(["home", "--yes"]);

    expect(complete).toMatchObject({ exitCode: 0, stderr: "" });
    expect(complete.stdout).not.toContain("Apply once");
    const { bindings } = scene.standIn.policies;
    const dumper = (member: string) => member.startsWith("serviceAccount:idp-dump@");
    bindings.set(
      PROJECT,
      (bindings.get(PROJECT) ?? []).map((each) => ({
        ...each,
        members: each.members.filter((member) => !dumper(member)),
      })),
    );
    const lacking = await scene.promote(["home", "--yes"]);
    expect(lacking.stdout).toMatch(/Apply once, which gives these the right .* back: serviceAccount:idp-dump@\S+\n/);
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

  promoteScenario("promotes nothing if the second region lacks a secret of its servers, unless told", async (scene) => {
    scene.standIn.secrets.regions.set(`projects/${PROJECT}/secrets/${SECRET_KEY}`, [HOME]);
    const looked = await scene.promote(["look"]);
    expect(looked.exitCode).toBe(0);
    const missing = "no server can start in europe-west1 without these, which are not there: secret-key";
    expect(looked.stdout).toContain(missing);

    const planned = await scene.promote(["now", "--planned", "--yes"]);
    loseHome(scene);
    const lost = await scene.promote(["now", "--yes"]);

    for (const { exitCode, stderr } of [planned, lost]) {
      expect(exitCode).toBe(1);
      expect(stderr).toContain("they are not there: secret-key. Nothing is promoted.");
      expect(stderr).toContain("To fix: make the deployment again with the input standby");
    }
    expect(scene.changes()).toEqual([]);
    expect(await scene.promote(["now", "--force", "--yes"])).toMatchObject({ exitCode: 0 });
    expectAway(scene);
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

  promoteScenario("only looks, and asks before it does anything", async (scene) => {
    const { exitCode, stdout } = await scene.promote(["look"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/primary +\S+ in us-central1: answers \(RUNNABLE/);
    expect(stdout).toMatch(/secrets +those of the standby are in europe-west1/);
    expect(stdout).toMatch(/users +the load balancer sends them to: home/);
    loseHome(scene);
    expect(await scene.promote(["now"], { input: "no\n" })).toMatchObject({ exitCode: 1 });
    expect(scene.changes()).toEqual([]);
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

  promoteScenario("prints the steps that it is going to take, and asks before the first", async (scene) => {
    haveEnterprisePlus(scene);
    const stepsOf = async (action: "home" | "now", ...words: readonly string[]) => {
      const { stdout } = await scene.promote([action, ...words], { input: "no\n" });
      return stdout.split("\n").filter((line) => /^ {2}\d\. /.test(line));
    };
    const places =
      `  3. let ${INSTANCE} and ${STANDBY} change places, for which the latter first becomes the disaster recovery ` +
      "replica of the former; nothing is lost";
    const servers = `  2. stop the servers in ${HOME}, `;
    const right = `withdraw the right to connect to ${INSTANCE}`;
    const comparison = `wait until jobs have ended and ${STANDBY} has everything`;

    const switched = await stepsOf("now", "--switchover");
    expect(switched[1]).toBe(`${servers}and ${right}`);
    expect(switched[2]).toBe(places);
    const compared = await stepsOf("now", "--planned", "--switchover");
    expect(compared[1]).toBe(`${servers}${right}, and ${comparison}`);
    expect(compared[2]).toBe(places);
    const planned = await stepsOf("now", "--planned");
    expect(planned[1]).toBe(`${servers}${right}, ${comparison}, and stop ${INSTANCE}`);
    expect(planned[2]).toBe(`  3. promote ${STANDBY}; nothing is lost`);
    const forced = await stepsOf("now", "--force");
    expect(forced[1]).toBe(`${servers}${right}, and stop ${INSTANCE}`);
    expect(forced[2]).toMatch(new RegExp(`^ {2}3\\. promote ${STANDBY}; what was written last is lost: at `));
    expect(scene.changes()).toEqual([]);

    await scene.promote(["now", "--switchover", "--yes"]);
    const again = await stepsOf("now", "--switchover");
    expect(again[1]).toBe(`${servers}and ${right}`);
    expect(again[2]).toBe(`  3. leave ${STANDBY} promoted; nothing more is lost: it has been promoted before`);
    const back = await stepsOf("home", "--switchover");
    expect(back[1]).toBe(`  2. give the right to connect to ${INSTANCE} back`);
    expect(back[2]).toBe(
      `  3. let ${STANDBY} and ${INSTANCE} change places, for which the latter first becomes the disaster recovery ` +
        "replica of the former; nothing is lost",
    );
  });

  promoteScenario("refuses the way home without the settings of the restoration, before any change", async (scene) => {
    const environment = { ADMINISTRATOR_SECRET: "" };
    const refusal = "ADMINISTRATOR_SECRET is not set";

    const { exitCode, stderr } = await scene.promote(["home", "--yes"], { environment });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(refusal);
    expect(scene.standIn.requests).toEqual([]);
    for (const words of [["look"], ["home", "--switchover", "--yes"]])
      expect((await scene.promote(words, { environment })).stderr).not.toContain(refusal);
  });

  promoteScenario("refuses wrong words and settings, all at once", async (scene) => {
    const { exitCode, stderr } = await scene.promote(["now", "--planned", "--force", "--quick"], {
      environment: { STANDBY_REGION: "" },
    });
    expect(exitCode).toBe(2);
    for (const part of ['"--quick" is not an option', "choose one of them", "STANDBY_REGION is not set"])
      expect(stderr).toContain(part);
    expect(scene.standIn.requests).toEqual([]);
  });
});
