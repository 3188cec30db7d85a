import { describeWith } from "../../support/programs";
import { DATABASE, DUMP_JOB, INIT_JOB, scenario, JOBS, runsOf } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "restore.sh", () => {
  scenario("dump: fills an empty database from the dump and exchanges the two", async (scene) => {
    const { exitCode, stderr, stdout } = await scene.run("restore", {
      arguments: ["dump", "latest"],
      input: "yes\n",
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(runsOf(scene)).toEqual([
      `puts clear ${DATABASE}`,
      `db-init ${DATABASE}_restored`,
      `dump: restores ${DATABASE}_restored`,
      `puts swap ${DATABASE}`,
    ]);
    expect(scene.standIn.jobs.runs[2]?.command[2]).toMatch(
      /^# shellcheck shell=sh\n[^]*\nDUMP_FILE=\$DUMP_FOLDER\/latest\/idp_demo\.dump\n#!\/bin\/sh\n/,
    );
    expect(stdout).toContain(`The previous data is in the database ${DATABASE}_former`);
    expect([...scene.standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
  });

  scenario("refuses invalid arguments, all at once", async ({ run, standIn }) => {
    const { exitCode, stderr } = await run("restore", {
      arguments: ["point-in-time", "yesterday", "--force"],
      environment: { INSTANCE: "", ADMINISTRATOR_SECRET: "a b" },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('"--force" is not an option');
    expect([...stderr.matchAll(/^ {2}- (\w+) is /gm)].map(([, name]) => name)).toEqual([
      ...["TIME", "INSTANCE", "ADMINISTRATOR_SECRET"],
    ]);
    expect(standIn.requests).toEqual([]);
  });
});
