import { describeWith } from "../../support/programs";
import {
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
  STANDBY,
} from "./promote-scene";
import { INSTANCE, PROJECT } from "./sql-scene";

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
