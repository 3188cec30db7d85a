import { constants } from "node:os";

import { ENTRYPOINT_COMMANDS } from "../../lib/idp/worker";
import { type Container, DATABASE, type EntrypointScene, EXIT_CODE_REFUSED } from "./entrypoint-scene";
import { eventually } from "./processes";

/** Workers that the entrypoint does not supervise, and other commands. */
export function describeWorkerModes(scene: EntrypointScene, { thorough }: { thorough: boolean }): void {
  describe("a container whose worker is not the entrypoint's", () => {
    const { allInOne, serverAlone, worker } = ENTRYPOINT_COMMANDS;
    const forms = [
      [serverAlone, ["server"]],
      [worker, ["worker"]],
      [allInOne, ["server", "worker"]],
    ] as const;

    /** Starts one and resolves when all that it has runs. */
    const startForm = async (argument: string, parts: readonly string[], variables = {}) => {
      const container = await scene.startContainer(variables, { argument, first: parts[0] });
      for (const part of parts) await eventually(`the ${part}`, () => container.starts(part)[0]);
      return container;
    };

    const linesOf = ({ output }: Container) => output().match(/^cloud-entrypoint: .*$/gm) ?? [];

    it.each(forms)(
      "runs, as %s, %j and nothing else, with the same settings and listeners",
      async (argument, parts) => {
        const container = await startForm(argument, parts, { IDP_LISTEN__HTTP: "0.0.0.0:9000" });
        for (const part of ["server", "worker"]) {
          expect(container.starts(part)).toMatchObject(
            (parts as readonly string[]).includes(part)
              ? [
                  {
                    arguments: [part],
                    environment: {
                      AUTHENTIK_LISTEN__HTTP: "0.0.0.0:9000",
                      AUTHENTIK_POSTGRESQL__HOST: "/sockets/db",
                      AUTHENTIK_SECRET_KEY: "the-key",
                      TMPDIR: scene.environment.TMPDIR,
                    },
                  },
                ]
              : [],
          );
        }
        const first = argument === allInOne ? allInOne : parts[0];
        await eventually("its first process", () => container.starts(first)[0]);
        expect(container.starts(first)).toMatchObject([{ parentPid: container.pid }]);
        await container.stop();
      },
    );

    it.each(forms)("starts nothing, as %s, without what the platform must inject", async (argument) => {
      const { exitCode, output, starts } = await scene.run([argument], { ...DATABASE });
      expect(exitCode).toBe(EXIT_CODE_REFUSED);
      expect(output).toContain("not starting: IDP_SECRET_KEY missing or empty");
      expect([...starts("server"), ...starts("worker"), ...starts(allInOne)]).toEqual([]);
    });

    if (thorough) {
      it.each([
        [serverAlone, "server", ["server"], 128 + constants.signals.SIGKILL],
        [worker, "worker", ["worker"], 128 + constants.signals.SIGKILL],
        [allInOne, "server", ["server", "worker"], 1],
        [allInOne, "worker", ["server", "worker"], 1],
      ] as const)(
        "ends, as %s, when its %s is killed, so that the platform starts another one",
        async (argument, part, parts, exitCode) => {
          const container = await startForm(argument, parts);
          process.kill(container.starts(part)[0]?.pid ?? 0, "SIGKILL");
          expect(await container.ended).toBe(exitCode);
          await eventually("the end of every process", () => scene.running().length === 0);
          expect(container.starts(part)).toHaveLength(1);
          // The platform's own line tells the exit code; what starts again is the container, and not its worker.
          expect(linesOf(container)).toEqual([expect.stringMatching(/^cloud-entrypoint: mapped: /)]);
        },
      );
    }
  });

  describe("the command", () => {
    it("is server when none is given", async () => {
      expect((await scene.run([])).exitCode).toBe(EXIT_CODE_REFUSED);
    });

    it.each([["worker"], ["dump_config"], ["shell", "-c", "print('a  b')\n", ""]])(
      "%s runs alone, with its arguments and the same environment",
      async (...args) => {
        const [name = ""] = args;
        const variables = { ...DATABASE, IDP_SECRET_KEY: "the-key", STUB_WORKER_EXIT_CODE: "4" };
        const { exitCode, starts } = await scene.run(args, variables);
        expect(exitCode).toBe(name === "worker" ? 4 : 0);
        expect(starts(name)).toHaveLength(1);
        expect(starts(name)[0]?.arguments).toEqual(args);
        expect(starts(name)[0]?.environment).toMatchObject({
          AUTHENTIK_POSTGRESQL__HOST: "/sockets/db",
          TMPDIR: scene.environment.TMPDIR,
        });
        expect(starts(name)[0]?.environment).not.toHaveProperty("AUTHENTIK_LISTEN__HTTP");
        if (name !== "worker") expect(starts("worker")).toEqual([]);
      },
    );
  });
}
