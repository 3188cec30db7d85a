import { describeWith } from "../../support/programs";
import { expectNothingLeft, numbersTo, runUntil } from "./interruptions";
import { inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

/** Requests of a drill that nothing interrupts. */
const REQUESTS = 19;

const ENDS = numbersTo(REQUESTS).flatMap((request) => [[request, "SIGTERM"] as const, [request, "SIGKILL"] as const]);

jest.setTimeout(300_000);

describeWith(["bash", "busybox", "curl", "dash", "jq"], "restore-drill.sh", () => {
  it("makes as many requests as it is ended at below", () =>
    inSqlScene(async ({ run, standIn }) => {
      expect((await run("restore-drill")).exitCode).toBe(0);
      expect(standIn.requests).toHaveLength(REQUESTS);
    }));

  it.concurrent.each(ENDS)("ended at request %i by %s: nothing that is billed stays", (request, signal) =>
    inSqlScene(async (scene) => {
      const ended = await runUntil(scene, "restore-drill", { request, signal });
      if (signal === "SIGKILL") {
        expect(ended.exitCode).toBeNull();
        // What a killed one leaves, the next one deletes when it is told that nobody else uses it.
        expect(await scene.run("restore-drill", { arguments: ["--take-over"] })).toMatchObject({ exitCode: 0 });
      } else {
        expect(ended.exitCode).toBe(143);
      }

      expectNothingLeft(scene);
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
