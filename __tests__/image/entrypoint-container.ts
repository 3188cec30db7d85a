import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { STOP_SECONDS } from "../../lib/idp/contract";
import { type EntrypointScene, UPSTREAM_LISTENERS } from "./entrypoint-scene";
import { eventually, groupOf } from "./processes";

/** The processes of a container, from start to stop. */
export function describeContainer(scene: EntrypointScene, { thorough }: { thorough: boolean }): void {
  describe("a running container", () => {
    it("gives the worker listeners and a temporary folder of its own, and the server none of them", async () => {
      const container = await scene.startContainer({ AUTHENTIK_LISTEN__HTTP: "0.0.0.0:9000" });
      const worker = await scene.firstWorker(container);
      const temporary = `${scene.environment.TMPDIR ?? ""}/co-located-worker.${container.server.parentPid}`;
      expect(existsSync(temporary)).toBe(true);
      await container.stop();
      const { environment: serverEnvironment } = container.server;
      expect(serverEnvironment).toMatchObject({
        AUTHENTIK_LISTEN__HTTP: "0.0.0.0:9000",
        AUTHENTIK_SECRET_KEY: "the-key",
        TMPDIR: scene.environment.TMPDIR,
      });
      expect(Object.keys(serverEnvironment).filter((name) => name.includes("LISTEN"))).toEqual([
        "AUTHENTIK_LISTEN__HTTP",
      ]);
      expect(worker.arguments).toEqual(["worker"]);
      expect(worker.environment).toEqual({
        ...serverEnvironment,
        ...UPSTREAM_LISTENERS,
        TMPDIR: temporary,
      });
    });

    it("ends on SIGTERM with the server's exit code when the worker has finished too, with TERM to each", async () => {
      const container = await scene.startContainer({
        STUB_SERVER_STOP_CODE: "3",
        STUB_WORKER_STOP_CODE: "4",
        STUB_WORKER_STOP_SECONDS: "0.5",
      });
      await scene.firstWorker(container);
      expect(await container.stop()).toBe(3);
      for (const name of ["worker", "server"]) {
        expect(container.starts(name)).toMatchObject([{ ended: true, signals: ["TERM"] }]);
      }
      expect(container.output()).not.toMatch(/starts again|container ends/);
    });

    it("reads nothing in the trap that notices the end of a process, which some shells never return from", async () => {
      const script = scene.copyScript();
      const trap = "  trap notice_supervisions CHLD\n";
      const text = readFileSync(script, "utf8");
      expect(text.split(trap)).toHaveLength(2);
      writeFileSync(script, text.replace(trap, `${trap}  read() { exit 9; }\n`));
      const container = await scene.startContainer({ STUB_WORKER_STOP_SECONDS: "0" }, { script });
      await scene.firstWorker(container);
      process.kill(container.server.pid, "SIGTERM");
      expect(await container.ended).toBe(0);
    });

    if (thorough) {
      it("ends what has not finished before the serverless platform would", async () => {
        scene.replaceProgram("sleep", [`echo "$1" >>"${scene.folder}/pauses"`, "exec /bin/sleep 0.05"]);
        const container = await scene.startContainer({
          K_SERVICE: "idp",
          STUB_WORKER_CHILD: "1",
          STUB_WORKER_STOP_SECONDS: "600",
        });
        await scene.firstWorker(container);
        expect(await container.stop()).toBe(0);
        expect(container.starts("worker")[0]?.signals).toEqual(["TERM"]);
        const waits = readFileSync(join(scene.folder, "pauses"), "utf8")
          .split("\n")
          .filter((seconds) => seconds === "0.1");
        // One shell waits for the other, and that for the worker.
        expect(waits.length).toBeGreaterThanOrEqual(STOP_SECONDS.serverless * 10);
      });

      it("ends when the server ends by itself, after the worker has finished", async () => {
        const container = await scene.startContainer({ STUB_WORKER_STOP_SECONDS: "0.3" });
        await scene.firstWorker(container);
        process.kill(container.server.pid, "SIGKILL");
        expect(await container.ended).toBe(128 + constants.signals.SIGKILL);
        expect(container.starts("worker")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
        expect(container.output()).toMatch(
          /^cloud-entrypoint: server ended with exit code 137, so the container ends$/m,
        );
      });

      it("ends with an error and a clean shutdown of the server when the supervision of the worker is killed", async () => {
        const container = await scene.startContainer();
        const worker = await scene.firstWorker(container);
        process.kill(worker.parentPid, "SIGKILL");
        expect(await container.ended).toBe(1);
        expect(container.starts("server")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
        expect(container.output()).toMatch(
          /^cloud-entrypoint: the supervision of the worker ended with exit code 137, so the container ends$/m,
        );
      });

      it("leaves nothing of a killed worker behind", async () => {
        scene.replaceProgram("sleep", []);
        const container = await scene.startContainer({ STUB_WORKER_CHILD: "yes" });
        for (const count of [1, 2, 3]) {
          const workers = await eventually("a worker", () => {
            const found = container.starts("worker");
            return found.length === count && found;
          });
          const alive = workers.filter(({ pid }) => groupOf(pid) === pid);
          expect(alive).toHaveLength(1);
          process.kill(alive[0]?.pid ?? 0, "SIGKILL");
        }
        await eventually("the fourth worker", () => container.starts("worker").length === 4);
        // A signal has been sent to all of them; they are gone a moment later.
        await eventually("the end of all but the last", () => {
          const groups = new Set(scene.running().map(groupOf));
          return container.starts("worker").filter(({ pid }) => groups.has(pid)).length === 1;
        });
        await container.stop();
      });

      it("restarts a killed worker, in an emptied temporary folder", async () => {
        scene.replaceProgram("sleep", [`echo "$1" >>"${scene.folder}/pauses"`]);
        const container = await scene.startContainer();
        const first = await scene.firstWorker(container);
        const leftover = join(first.environment.TMPDIR ?? "", "authentik.sock");
        writeFileSync(leftover, "");
        process.kill(first.pid, "SIGKILL");
        await eventually("another worker", () => container.starts("worker").length === 2);
        expect(existsSync(leftover)).toBe(false);
        expect(readFileSync(join(scene.folder, "pauses"), "utf8")).toBe("1\n");
        expect(container.output()).toMatch(
          /^cloud-entrypoint: worker ended with exit code 137 after [01] s, starts again in 1 s$/m,
        );
        expect(scene.running()).toContain(container.server.pid);
        await container.stop();
      });
    }
  });
}
