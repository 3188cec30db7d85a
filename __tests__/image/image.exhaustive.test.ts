import { spawn } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { ENTRYPOINT_COMMANDS, WORKER_PROCESSES, WORKER_THREADS } from "../../lib/idp/worker-mode";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { followed } from "../support/process-run";
import { documentedCommand } from "./operations-page";
import {
  type RecordedStart,
  commandLine,
  eventually,
  killAll,
  parentOf,
  processesWith,
  recordedStarts,
} from "./processes";
import {
  type BuildahStorage,
  type ImageConfiguration,
  STAND_IN_PROGRAMS,
  buildah,
  buildahEnvironment,
  buildahOrFail,
  createBuildahStorage,
  createStandInBase,
  imageConfiguration,
  printedIn,
  removeBuildahStorage,
} from "./stand-in-base";

const CONTEXT = join(__dirname, "../../image");
const IMAGE = "localhost/idp:under-test";

/** Exit code of what was killed. */
const KILLED = 128 + constants.signals.SIGKILL;

const { allInOne, serverAlone, worker } = ENTRYPOINT_COMMANDS;

describeWith(
  STAND_IN_PROGRAMS,
  "the wrapper image",
  () => {
    let storage: BuildahStorage;
    let configuration: ImageConfiguration;
    let base: string;
    let container: string;

    const buildArguments = (values: Readonly<Record<string, string>>) =>
      Object.entries(values).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);

    beforeAll(async () => {
      storage = createBuildahStorage();
      base = (await createStandInBase(storage, ["2026.5.4", "1.2.3"])).image;
      const values = {
        APP_VERSION: "1.2.3",
        IDP_VERSION: "2026.5.4",
        UPSTREAM_IMAGE: base,
        UPSTREAM_PREFIX: "AUTHENTIK_",
      };
      await buildahOrFail(storage, ["bud", ...buildArguments(values), "--tag", IMAGE, CONTEXT]);
      configuration = await imageConfiguration(storage, IMAGE);
      container = (await buildahOrFail(storage, ["from", "--pull-never", IMAGE])).trim();
    });

    afterAll(async () => {
      await removeBuildahStorage(storage);
    });

    const inContainer = async (script: string) => (await printedIn(storage, container, ["sh", "-c", script])).trimEnd();

    it("takes the base whose tag is IDP_VERSION although APP_VERSION names another one", () => {
      expect(configuration.environment.STAND_IN_TAG).toBe("2026.5.4");
    });

    it.each(["UPSTREAM_IMAGE", "IDP_VERSION", "UPSTREAM_PREFIX"])("is not built without %s", async (forgotten) => {
      const values = { IDP_VERSION: "2026.5.4", UPSTREAM_IMAGE: base, UPSTREAM_PREFIX: "AUTHENTIK_" };
      const rest = Object.fromEntries(Object.entries(values).filter(([name]) => name !== forgotten));
      const { exitCode } = await buildah(storage, ["bud", "--pull-never", ...buildArguments(rest), CONTEXT]);
      expect(exitCode).not.toBe(0);
    });

    it("passes the prefix to the entrypoint", () => {
      expect(configuration.environment.UPSTREAM_PREFIX).toBe("AUTHENTIK_");
    });

    it("starts the entrypoint under dumb-init with the command server", () => {
      expect(configuration.entrypoint).toEqual(["dumb-init", "--", "/cloud-entrypoint.sh"]);
      expect(configuration.command).toEqual(["server"]);
    });

    it("runs as user 1000 of the base", async () => {
      expect(configuration.user).toBe("1000");
      expect(await inContainer("id -u; id -g")).toBe("1000\n1000");
    });

    it("stores uploads, as user 1000, where the server looks for them", async () => {
      const upload = "mkdir -p /media/media/public && echo icon >/media/media/public/icon";
      expect(await inContainer(`${upload} && cat /data/media/public/icon`)).toBe("icon");
    });

    it("serves reports from where they are stored, too", async () => {
      const report = "mkdir -p /media/reports/public && echo rows >/media/reports/public/export";
      expect(await inContainer(`${report} && cat /data/reports/public/export`)).toBe("rows");
    });

    it("stores on the mount itself, without which the application offers no uploads", async () => {
      expect(await inContainer("[ -d /media ] && [ ! -L /media ] && [ -w /media ] && echo yes")).toBe("yes");
    });

    // The application imports data.user_settings, as a module or a package, from the folder it starts in.
    it("keeps what is in the bucket from being imported", async () => {
      const files =
        "mkdir -p /media/user_settings && : >/media/user_settings.py && : >/media/user_settings/__init__.py";
      expect(await inContainer(`${files} && cd / && echo data/*`)).toBe("data/media data/reports");
      expect(await inContainer("id -u && [ ! -w /data ] && ! rm /data/media 2>/dev/null && echo closed")).toBe(
        "1000\nclosed",
      );
    });

    it("keeps the entrypoint out of reach of the user that runs it", async () => {
      expect(await inContainer("[ -x /cloud-entrypoint.sh ] && [ ! -w /cloud-entrypoint.sh ] && echo yes")).toBe("yes");
    });

    describe("running", () => {
      let folder: string;
      let records: string;
      let environment: Record<string, string>;

      beforeEach(() => {
        folder = temporaryFolder();
        records = join(folder, "records");
        mkdirSync(records);
        chmodSync(folder, 0o755);
        chmodSync(records, 0o777);
        environment = {
          DB_HOST: "/cloudsql/project:region:instance",
          DB_NAME: "idp",
          DB_PASSWORD: "correct horse",
          DB_USER: "idp",
          IDP_SECRET_KEY: "battery staple",
          STUB_RECORDS: "/records",
          STUB_RUN: folder,
          STUB_WORKER_STOP_SECONDS: "1",
          // This kind of isolation shares the machine's /dev/shm.
          TMPDIR: "/tmp",
        };
      });

      afterEach(() => {
        killAll(processesWith("STUB_RUN", folder));
      });

      const inNewContainer = (command: readonly string[]) => [
        "run",
        ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
        ...["--volume", `${records}:/records`, container, "--", ...command],
      ];

      /** Runs the image with these arguments, its own without any; resolves when all parts run. */
      const start = async (args: readonly string[], parts: readonly string[]) => {
        const command = [...configuration.entrypoint, ...(args.length > 0 ? args : configuration.command)];
        const run = spawn(programPath("buildah"), inNewContainer(command), {
          env: buildahEnvironment(storage),
          stdio: ["ignore", "pipe", "pipe"],
        });
        const { ended, printed } = followed(run);
        const started: RecordedStart[] = [];
        for (const part of parts) started.push(await eventually(`the ${part}`, () => recordedStarts(records, part)[0]));
        return { command, ended, output: () => printed.output, started };
      };

      const nothingIsLeft = () =>
        eventually("the end of every process", () => processesWith("STUB_RUN", folder).length === 0);

      it("holds a server and a worker below dumb-init, runs the command of the operations page, and stops cleanly on SIGTERM", async () => {
        const { command: own, ended, output, started } = await start([], ["server", "worker"]);
        const [server, worker] = started as [RecordedStart, RecordedStart];

        const initPid = parentOf(server.parentPid) ?? 0;
        const [program, ...rest] = commandLine(initPid);
        expect([basename(program ?? ""), ...rest]).toEqual(own);
        expect(server.arguments).toEqual(["server"]);
        expect(server.environment).toMatchObject({
          AUTHENTIK_POSTGRESQL__HOST: "/cloudsql/project:region:instance",
          AUTHENTIK_POSTGRESQL__NAME: "idp",
          AUTHENTIK_POSTGRESQL__PASSWORD: "correct horse",
          AUTHENTIK_POSTGRESQL__SSLMODE: "disable",
          AUTHENTIK_POSTGRESQL__USER: "idp",
          AUTHENTIK_SECRET_KEY: "battery staple",
          AUTHENTIK_STORAGE__FILE__PATH: "/media",
          TMPDIR: "/tmp",
        });
        expect(worker.arguments).toEqual(["worker"]);
        expect(worker.environment).toEqual({
          ...server.environment,
          AUTHENTIK_LISTEN__HTTP: "127.0.0.1:9001",
          AUTHENTIK_LISTEN__HTTPS: "127.0.0.1:9444",
          AUTHENTIK_LISTEN__METRICS: "127.0.0.1:9301",
          TMPDIR: `/tmp/co-located-worker.${server.parentPid}`,
        });

        const command = documentedCommand();
        await buildahOrFail(storage, inNewContainer(command));
        expect(recordedStarts(records, command[1] ?? "")).toMatchObject([
          { arguments: command.slice(1), environment: { AUTHENTIK_SECRET_KEY: "battery staple" } },
        ]);

        process.kill(initPid, "SIGTERM");
        expect(await ended).toBe(0);
        await nothingIsLeft();
        expect(recordedStarts(records, "worker")).toHaveLength(1);
        expect(recordedStarts(records, "worker")[0]?.ended).toBe(true);
        expect(output()).not.toMatch(/correct horse|battery staple/);
      });

      it("restarts a dead worker, and ends with its server", async () => {
        const { ended, output, started } = await start([], ["server", "worker"]);
        const [server, worker] = started as [RecordedStart, RecordedStart];
        killAll([worker.pid]);
        await eventually("another worker", () => recordedStarts(records, "worker").length === 2);
        killAll([server.pid]);
        expect(await ended).toBe(KILLED);
        await nothingIsLeft();
        expect(output()).toMatch(/worker ended with exit code 137 after \d+ s, starts again in 1 s\n/);
        expect(output()).toMatch(/server ended with exit code 137, so the container ends\n/);
      });

      describe.each<[argument: string, parts: readonly string[], exitCode: number]>([
        [serverAlone, ["server"], KILLED],
        [worker, ["worker"], KILLED],
        [allInOne, ["server", "worker"], 1],
      ])("as %s", (argument, parts, exitCode) => {
        const others = ["server", "worker"].filter((part) => !parts.includes(part));

        it(`holds ${parts.join(" and ")} below dumb-init and nothing else, and stops cleanly on SIGTERM`, async () => {
          environment = { ...environment, [WORKER_PROCESSES.variable]: "3", [WORKER_THREADS.variable]: "5" };
          const { command, ended, output, started } = await start([argument], parts);
          const [first] = started;
          const topPid = argument === allInOne ? first?.parentPid : first?.pid;
          const initPid = parentOf(topPid ?? 0) ?? 0;
          const [program, ...rest] = commandLine(initPid);
          expect([basename(program ?? ""), ...rest]).toEqual(command);
          for (const part of started) {
            expect(part.environment).toMatchObject({
              AUTHENTIK_POSTGRESQL__HOST: "/cloudsql/project:region:instance",
              AUTHENTIK_SECRET_KEY: "battery staple",
              AUTHENTIK_WORKER__PROCESSES: "3",
              AUTHENTIK_WORKER__THREADS: "5",
              TMPDIR: "/tmp",
            });
          }

          process.kill(initPid, "SIGTERM");
          expect(await ended).toBe(0);
          await nothingIsLeft();
          for (const part of parts)
            expect(recordedStarts(records, part)).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          for (const part of others) expect(recordedStarts(records, part)).toEqual([]);
          expect(output()).not.toMatch(/correct horse|battery staple/);
        });

        it.each(parts)(
          "ends when its %s is killed, with an exit code that makes the platform start another one",
          async (part) => {
            const { ended, output, started } = await start([argument], parts);
            killAll([started[parts.indexOf(part)]?.pid ?? 0]);
            expect(await ended).toBe(exitCode);
            await nothingIsLeft();
            expect(recordedStarts(records, part)).toHaveLength(1);
            expect(output()).not.toContain("starts again");
          },
        );
      });
    });
  },
  { root: true },
);
