import { describeWith } from "../../support/programs";
import { DUMP_JOB, inSqlScene, INIT_JOB, INSTANCE, JOBS, PROJECT } from "./sql-scene";

/** The requests that change something, in the order in which a drill makes them, and a look at what goes on. */
const STEPS = [
  ["sqladmin.instances.clone", "SIGTERM"],
  ["sqladmin.instances.clone", "SIGKILL"],
  ["sqladmin.operations.get", "SIGTERM"],
  ["run.projects.locations.jobs.create", "SIGTERM"],
  ["run.projects.locations.jobs.run", "SIGKILL"],
  ["run.projects.locations.jobs.executions.list", "SIGTERM"],
  ["sqladmin.instances.patch", "SIGTERM"],
  ["sqladmin.instances.patch", "SIGKILL"],
  ["sqladmin.instances.delete", "SIGTERM"],
  ["sqladmin.instances.delete", "SIGKILL"],
] as const;

jest.setTimeout(300_000);

describeWith(["bash", "busybox", "curl", "dash", "jq"], "restore-drill.sh", () => {
  it.concurrent.each(STEPS)("interrupted at %s by %s: nothing that is billed stays", (step, signal) =>
    inSqlScene(async ({ run, standIn }) => {
      let kill: ((signal: NodeJS.Signals) => void) | undefined;
      let isOver = false;
      standIn.onRequest = ({ method }) => {
        if (method !== step || isOver) return;
        isOver = true;
        kill?.(signal);
      };

      const killed = await run("restore-drill", {
        onStart: (end) => {
          kill = end;
        },
      });
      if (signal === "SIGKILL") {
        expect(killed.exitCode).toBeNull();
        standIn.sql.settle();
        expect((await run("restore-drill")).exitCode).toBe(0);
      } else {
        expect(killed.exitCode).toBe(143);
      }

      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
      expect([...standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
    }),
  );

  it.concurrent("tells that a clone failed, and leaves none", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.sql.failures.set("instances.clone", { code: "PITR_FAILED", message: "No log of that time." });

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("failed: PITR_FAILED: No log of that time.");
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent("makes one clone although the first answer is lost", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.inject("sqladmin.instances.clone", { kind: "reset", carriedOut: true });

      expect(await run("restore-drill")).toMatchObject({ exitCode: 0, stderr: "" });
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent.each(["bash", "busybox"] as const)("does the same in %s", (shell) =>
    inSqlScene(async ({ run, standIn }) => {
      expect(await run("restore-drill", { shell })).toMatchObject({ exitCode: 0, stderr: "" });
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );
});
