import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { UPSTREAM_PREFIX, WORKER_LISTENERS } from "../../lib/idp/contract";
import { describeWith, programPath } from "../support/programs";
import { coreutilsPath } from "./coreutils";
import { type RecordedStart, eventually, groupMembers, groupOf, killAll, parentOf, recordedStarts } from "./processes";

const ENTRYPOINT = join(__dirname, "../../image/cloud-entrypoint.sh");

/** What the entrypoint and the stub application may call; nothing else is on their PATH. */
const COREUTILS = ["cat", "date", "env", "id", "mkdir", "mv", "rm", "sleep", "tr"] as const;

const EXIT_CODE_REFUSED = 78;

const DATABASE = { DB_HOST: "/sockets/db", DB_NAME: "the-name", DB_PASSWORD: "the-password", DB_USER: "the-user" };

const UPSTREAM_LISTENERS = Object.fromEntries(
  Object.entries(WORKER_LISTENERS).map(([name, address]) => [name.replace(/^IDP_/, UPSTREAM_PREFIX), address]),
);

const COMMANDS = {
  dash: () => [programPath("dash")],
  bash: () => [programPath("bash")],
  busybox: () => [programPath("busybox"), "sh"],
} as const;

interface Run {
  readonly exitCode: number | null;
  readonly output: string;
  /** Starts of the stub application, by command. */
  readonly starts: (command: string) => RecordedStart[];
}

interface Container {
  /** dumb-init's. */
  readonly pid: number;
  readonly server: RecordedStart;
  readonly output: () => string;
  readonly starts: (command: string) => RecordedStart[];
  /** Sends SIGTERM and resolves with the exit code when no process is left. */
  readonly stop: () => Promise<number | null>;
}

/** What the script does, whichever shell runs it. */
export function describeEntrypoint(program: keyof typeof COMMANDS): void {
  const command = COMMANDS[program];
  describeWith([program, "dash", "dumb-init"], `cloud-entrypoint.sh under ${program}`, () => {
    let folder: string;
    let records: string;
    let media: string;
    let environment: Record<string, string>;
    let startedGroups: { parentPid: number; groupId: number }[];

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "cloud-entrypoint-"));
      const programs = join(folder, "bin");
      records = join(folder, "records");
      media = join(folder, "media");
      for (const path of [programs, records, media, join(folder, "tmp")]) mkdirSync(path);
      // Some tests run as another user.
      for (const path of [folder, records, join(folder, "tmp")]) chmodSync(path, 0o777);
      for (const name of COREUTILS) {
        symlinkSync(program === "busybox" ? programPath("busybox") : coreutilsPath(name), join(programs, name));
      }
      copyFileSync(join(__dirname, "stub-ak.sh"), join(programs, "ak"));
      chmodSync(join(programs, "ak"), 0o755);
      environment = {
        IDP_STORAGE__FILE__PATH: media,
        PATH: programs,
        STUB_RECORDS: records,
        TMPDIR: join(folder, "tmp"),
        UPSTREAM_PREFIX,
      };
      startedGroups = [];
    });

    afterEach(() => {
      for (const { parentPid, groupId } of startedGroups) {
        if (parentOf(groupId) === parentPid) killAll([parentPid]);
        killAll(groupMembers(groupId));
      }
      rmSync(folder, { recursive: true, force: true });
    });

    /** Runs to the end; for everything but a server that stays. */
    const run = (
      args: readonly string[],
      variables: Readonly<Record<string, string>> = {},
      options: { wrapper?: readonly string[]; userId?: number; script?: string } = {},
    ): Promise<Run> =>
      new Promise((resolve, reject) => {
        const [file = "", ...rest] = [...(options.wrapper ?? []), ...command(), options.script ?? ENTRYPOINT, ...args];
        const child = spawn(file, rest, {
          env: { ...environment, ...variables },
          stdio: ["ignore", "pipe", "pipe"],
          ...(options.userId === undefined ? {} : { uid: options.userId, gid: options.userId }),
        });
        let output = "";
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
        }
        child.on("error", reject);
        child.on("close", (exitCode) => {
          resolve({ exitCode, output, starts: (name) => recordedStarts(records, name) });
        });
      });

    /** The environment in which the application starts, given what the platform injects. */
    const applicationEnvironment = async (
      variables: Readonly<Record<string, string>>,
      wrapper: readonly string[] = [],
    ): Promise<Record<string, string>> => {
      const { exitCode, output, starts } = await run(["dump_config"], variables, { wrapper });
      const [start] = starts("dump_config");
      if (exitCode !== 0 || start === undefined) throw new Error(`ended with ${exitCode}: ${output}`);
      rmSync(join(records, `dump_config.${start.pid}`), { recursive: true });
      return start.environment;
    };

    /** Starts a server the way the image does and resolves when it runs. */
    const startContainer = async (variables: Readonly<Record<string, string>> = {}): Promise<Container> => {
      const child = spawn(programPath("dumb-init"), ["--", ...command(), ENTRYPOINT, "server"], {
        env: { ...environment, ...DATABASE, IDP_SECRET_KEY: "the-key", ...variables },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      }
      const ended = new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("exit", resolve);
      });
      const starts = (name: string) => recordedStarts(records, name);
      const server = await eventually("the server", () => starts("server")[0]);
      const { pid } = child;
      if (pid === undefined) throw new Error("dumb-init has no process id");
      startedGroups.push({ parentPid: pid, groupId: server.pid });
      return {
        pid,
        server,
        output: () => output,
        starts,
        stop: async () => {
          process.kill(pid, "SIGTERM");
          const exitCode = await ended;
          await eventually("the end of every process", () => groupMembers(server.pid).length === 0);
          return exitCode;
        },
      };
    };

    /** Puts a script in the place of a program. */
    const replaceProgram = (name: string, lines: readonly string[]): void => {
      const path = join(folder, "bin", name);
      rmSync(path, { force: true });
      writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
    };

    const firstWorker = (container: Container) => eventually("a worker", () => container.starts("worker")[0]);

    describe("the database variables", () => {
      it("reach the application under both prefixes", async () => {
        const variables = { ...DATABASE, DB_PORT: "5433" };
        const actual = await applicationEnvironment(variables);
        for (const prefix of ["IDP_", "AUTHENTIK_"]) {
          expect(actual).toMatchObject({
            [`${prefix}POSTGRESQL__HOST`]: "/sockets/db",
            [`${prefix}POSTGRESQL__PORT`]: "5433",
            [`${prefix}POSTGRESQL__NAME`]: "the-name",
            [`${prefix}POSTGRESQL__USER`]: "the-user",
            [`${prefix}POSTGRESQL__PASSWORD`]: "the-password",
          });
        }
      });

      it.each(["explicit", ""])("never replace a target that is set to %j in either prefix", async (value) => {
        for (const part of ["HOST", "PORT", "NAME", "USER", "PASSWORD"]) {
          environment[`DB_${part}`] = "injected";
        }
        const actual = await applicationEnvironment({
          IDP_POSTGRESQL__HOST: value,
          IDP_POSTGRESQL__PORT: value,
          AUTHENTIK_POSTGRESQL__NAME: value,
          AUTHENTIK_POSTGRESQL__USER: value,
          AUTHENTIK_POSTGRESQL__PASSWORD: value,
        });
        expect(actual).toMatchObject({
          AUTHENTIK_POSTGRESQL__HOST: value,
          AUTHENTIK_POSTGRESQL__PORT: value,
          AUTHENTIK_POSTGRESQL__NAME: value,
          AUTHENTIK_POSTGRESQL__USER: value,
          AUTHENTIK_POSTGRESQL__PASSWORD: value,
        });
        for (const name of ["NAME", "USER", "PASSWORD"]) expect(actual).not.toHaveProperty(`IDP_POSTGRESQL__${name}`);
      });

      it("say nothing when they are empty", async () => {
        const actual = await applicationEnvironment({ ...DATABASE, DB_PORT: "" });
        expect(actual).not.toHaveProperty("IDP_POSTGRESQL__PORT");
        expect(actual).not.toHaveProperty("AUTHENTIK_POSTGRESQL__PORT");
      });
    });

    describe("the SSL mode", () => {
      it.each([
        ["disable", { DB_HOST: "localhost" }],
        ["disable", { DB_HOST: "10.0.0.3", AUTHENTIK_POSTGRESQL__HOST: "localhost" }],
        ["disable", { IDP_POSTGRESQL__HOST: "10.0.0.3", AUTHENTIK_POSTGRESQL__HOST: "localhost" }],
        ["require", { DB_HOST: "10.0.0.3" }],
        ["require", { DB_HOST: "env://HOST", HOST: "localhost" }],
        ["disable", { DB_HOST: "env://HOST", HOST: "localhost", IDP_POSTGRESQL__SSLMODE: "disable" }],
        ["require", { DB_HOST: "localhost", IDP_POSTGRESQL__HOST: "10.0.0.3" }],
        ["verify-full", { DB_HOST: "localhost", IDP_POSTGRESQL__SSLMODE: "verify-full" }],
        ["prefer", { DB_HOST: "10.0.0.3", AUTHENTIK_POSTGRESQL__SSLMODE: "prefer" }],
        ["", { DB_HOST: "10.0.0.3", IDP_POSTGRESQL__SSLMODE: "" }],
        [undefined, {}],
      ])("is %s with %j", async (mode, variables: Record<string, string>) => {
        expect((await applicationEnvironment(variables)).AUTHENTIK_POSTGRESQL__SSLMODE).toBe(mode);
      });
    });

    describe("the storage path", () => {
      it.each([
        ["/media", {}],
        ["/elsewhere", { IDP_STORAGE__FILE__PATH: "/elsewhere" }],
        ["/elsewhere", { AUTHENTIK_STORAGE__FILE__PATH: "/elsewhere" }],
        ["", { IDP_STORAGE__FILE__PATH: "" }],
      ])("is %j with %j", async (path, variables) => {
        delete environment.IDP_STORAGE__FILE__PATH;
        expect((await applicationEnvironment(variables)).AUTHENTIK_STORAGE__FILE__PATH).toBe(path);
      });
    });

    describe("the translation to the upstream prefix", () => {
      it("keeps a variable that is set in the upstream prefix", async () => {
        const actual = await applicationEnvironment({
          AUTHENTIK_EMPTY: "",
          AUTHENTIK_LOG_LEVEL: "debug",
          IDP_EMPTY: "full",
          IDP_LOG_LEVEL: "info",
        });
        expect(actual).toMatchObject({ AUTHENTIK_EMPTY: "", AUTHENTIK_LOG_LEVEL: "debug", IDP_LOG_LEVEL: "info" });
      });

      it("follows the image's prefix, which is AUTHENTIK_ when the image has none", async () => {
        expect(await applicationEnvironment({ IDP_X: "1", UPSTREAM_PREFIX: "OTHER_" })).toMatchObject({ OTHER_X: "1" });
        expect(await applicationEnvironment({ IDP_X: "1", UPSTREAM_PREFIX: "" })).toMatchObject({ AUTHENTIK_X: "1" });
        delete environment.UPSTREAM_PREFIX;
        expect(await applicationEnvironment({ IDP_X: "1" })).toMatchObject({ AUTHENTIK_X: "1" });
      });

      it.each(["1X_", "A-B_", "X;exit 0;", "$(exit 0)"])("refuses %j as a prefix", async (prefix) => {
        const { exitCode, output, starts } = await run(["dump_config"], { UPSTREAM_PREFIX: prefix });
        expect({ exitCode, started: starts("dump_config").length }).toEqual({
          exitCode: EXIT_CODE_REFUSED,
          started: 0,
        });
        expect(output).toBe(
          "cloud-entrypoint: not starting: no variable name can begin with the UPSTREAM_PREFIX of this image; " +
            "build it with letters, digits and _\n",
        );
      });

      it("is not fooled by a value whose next line looks like a variable", async () => {
        const value = "first\nIDP_FAKE=1\n\nexport IDP_FAKE='1'\n";
        const actual = await applicationEnvironment({ IDP_REAL: value });
        expect(actual.AUTHENTIK_REAL).toBe(value);
        expect(actual).not.toHaveProperty("AUTHENTIK_FAKE");
      });

      it("ignores names that no shell variable can have", async () => {
        const actual = await applicationEnvironment({
          IDP_: "bare prefix",
          "IDP_A-B": "hyphen",
          "IDP_A.B": "dot",
          "IDP_A B": "blank",
          "IDP_A\nIDP_FAKE": "line break",
          "IDP_$(exit 3)": "command",
          IDP_É: "letter beyond ASCII",
          MYIDP_X: "prefix inside",
          IDPX: "no underscore",
        });
        expect(Object.keys(actual).filter((name) => name.startsWith("AUTHENTIK_"))).toEqual([
          "AUTHENTIK_STORAGE__FILE__PATH",
        ]);
      });

      it("keeps every value byte for byte", async () => {
        const awkward = fc.constantFrom("", "\n", " ", "'", '"', "$HOME", "`id`", "\\", "\\n", "*", "=", "IDP_FAKE=1");
        const value = fc
          .array(fc.oneof(awkward, fc.string({ unit: "binary", maxLength: 20 })), { maxLength: 5 })
          .map((parts) => parts.join("").replaceAll("\0", ""));
        const name = fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/);
        const variables = fc.dictionary(name, value, { minKeys: 10, maxKeys: 30 });
        await fc.assert(
          fc.asyncProperty(variables, async (values) => {
            const entries = Object.entries(values).map(([suffix, text]) => [`T_${suffix}`, text] as const);
            const actual = await applicationEnvironment(
              Object.fromEntries(entries.map(([suffix, text]) => [`IDP_${suffix}`, text])),
            );
            const expected = Object.fromEntries(
              entries.map(([suffix, text]) => [`AUTHENTIK_${suffix}`, Buffer.from(text).toString("latin1")]),
            );
            expect(actual).toMatchObject(expected);
            const translated = Object.keys(actual).filter((key) => key.startsWith("AUTHENTIK_"));
            expect(translated.sort()).toEqual([...Object.keys(expected), "AUTHENTIK_STORAGE__FILE__PATH"].sort());
          }),
          { numRuns: 6 },
        );
      });

      it("keeps bytes that are no text in any encoding", async () => {
        const bytes = Array.from({ length: 255 }, (_, index) => index + 1);
        const octal = bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
        // Node can only pass text.
        const script = `IDP_BYTES=$(printf '${octal}.'); export IDP_BYTES; exec "$@"`;
        const actual = await applicationEnvironment({}, [programPath("dash"), "-c", script, "wrapper"]);
        expect(actual.AUTHENTIK_BYTES).toBe(`${Buffer.from(bytes).toString("latin1")}.`);
      });
    });

    describe("its own output", () => {
      it("is one line with the names of what it mapped", async () => {
        const { output } = await run(["dump_config"], { ...DATABASE, IDP_POSTGRESQL__USER: "explicit" });
        expect(output).toBe(
          "cloud-entrypoint: mapped: DB_HOST DB_NAME DB_PASSWORD; by default: IDP_POSTGRESQL__SSLMODE=disable\n",
        );
      });

      it("says so when there was nothing to map", async () => {
        expect((await run(["dump_config"])).output).toBe("cloud-entrypoint: mapped: nothing; by default: nothing\n");
      });

      it("never holds a value, not even when it refuses to start or restarts a worker", async () => {
        const secrets = { DB_PASSWORD: "s3cret-password", DB_USER: "s3cret-user", IDP_SECRET_KEY: "s3cret-key" };
        const refused = await run(["server"], secrets);
        const container = await startContainer({ ...DATABASE, ...secrets, STUB_WORKER_EXIT_CODE: "1" });
        await eventually("the worker's end", () => container.output().includes("starts again"));
        await container.stop();
        expect(`${refused.output}${container.output()}`).not.toContain("s3cret");
        expect(refused.exitCode).toBe(EXIT_CODE_REFUSED);
      });
    });

    describe("a server that cannot work", () => {
      const refusal = (missing: string, prefix = "AUTHENTIK_") =>
        `cloud-entrypoint: not starting: ${missing} missing or empty; the platform injects the DB_ variables with the ` +
        `database and IDP_SECRET_KEY from the secret store (the IDP_POSTGRESQL__ and ${prefix} spellings count as well)`;
      const complete = { ...DATABASE, IDP_SECRET_KEY: "the-key" };

      it.each([
        ["DB_HOST, DB_NAME, DB_USER, DB_PASSWORD, IDP_SECRET_KEY", {}],
        ["DB_NAME, DB_PASSWORD", { DB_HOST: "localhost", AUTHENTIK_POSTGRESQL__USER: "x", IDP_SECRET_KEY: "the-key" }],
        ["DB_HOST", { ...complete, DB_HOST: "" }],
        ["DB_HOST", { ...complete, IDP_POSTGRESQL__HOST: "" }],
        ["DB_PASSWORD", { ...complete, DB_PASSWORD: "" }],
        ["IDP_SECRET_KEY", { ...complete, AUTHENTIK_SECRET_KEY: "" }],
      ])("starts nothing and names %s, given %j", async (missing, variables) => {
        const { exitCode, output, starts } = await run(["server"], variables);
        expect(exitCode).toBe(EXIT_CODE_REFUSED);
        expect(output.trimEnd().split("\n").slice(1)).toEqual([refusal(missing)]);
        expect([...starts("server"), ...starts("worker")]).toEqual([]);
      });

      it.each([
        ["the platform's", complete],
        [
          "the neutral",
          {
            IDP_POSTGRESQL__HOST: "localhost",
            IDP_POSTGRESQL__NAME: "n",
            IDP_POSTGRESQL__USER: "u",
            IDP_POSTGRESQL__PASSWORD: "",
            IDP_SECRET_KEY: "the-key",
          },
        ],
        [
          "the upstream's",
          {
            AUTHENTIK_POSTGRESQL__HOST: "localhost",
            AUTHENTIK_POSTGRESQL__NAME: "n",
            AUTHENTIK_POSTGRESQL__USER: "u",
            AUTHENTIK_POSTGRESQL__PASSWORD: "p",
            AUTHENTIK_SECRET_KEY: "the-key",
          },
        ],
      ])("is not one whose variables all have %s spelling", async (_, variables) => {
        const { exitCode, starts } = await run(
          ["server"],
          { ...variables, STUB_SERVER_EXIT_CODE: "5" },
          { wrapper: [programPath("dumb-init"), "--"] },
        );
        const [server] = starts("server");
        startedGroups.push({ parentPid: server?.parentPid ?? 0, groupId: server?.pid ?? 0 });
        expect(exitCode).toBe(5);
      });

      it.each(["is missing", "is a file", "belongs to somebody else"])(
        "starts nothing when the storage folder %s",
        async (situation) => {
          let userId = process.getuid?.();
          if (situation === "is missing") rmSync(media, { recursive: true });
          if (situation === "is a file") {
            rmSync(media, { recursive: true });
            writeFileSync(media, "");
          }
          if (situation === "belongs to somebody else") {
            chmodSync(media, 0o555);
            // For root every folder is writable.
            if (userId === 0) userId = 1000;
          }
          // The checkout may be closed to that user.
          const script = join(folder, "cloud-entrypoint.sh");
          copyFileSync(ENTRYPOINT, script);
          const { exitCode, output, starts } = await run(["server"], complete, {
            script,
            ...(userId === process.getuid?.() ? {} : { userId }),
          });
          expect(exitCode).toBe(EXIT_CODE_REFUSED);
          expect(output.trimEnd().split("\n").slice(1)).toEqual([
            `cloud-entrypoint: not starting: ${media} is not a directory that user ${userId ?? ""} may write, so uploads ` +
              "of application icons and flow backgrounds would fail; mount it read-write with uid=1000,gid=1000",
          ]);
          expect([...starts("server"), ...starts("worker")]).toEqual([]);
        },
      );
    });

    describe("a running container", () => {
      it("has the entrypoint's process as server, below dumb-init", async () => {
        const container = await startContainer();
        expect(container.server.arguments).toEqual(["server"]);
        expect(container.server.parentPid).toBe(container.pid);
        expect(parentOf(container.server.pid)).toBe(container.pid);
        expect(groupOf(container.server.pid)).toBe(container.server.pid);
        await container.stop();
      });

      it("gives listeners and a temporary folder of their own to the worker and nothing of it to the server", async () => {
        const container = await startContainer({ AUTHENTIK_LISTEN__HTTP: "0.0.0.0:9000" });
        const worker = await firstWorker(container);
        const temporary = `${environment.TMPDIR ?? ""}/co-located-worker`;
        expect(existsSync(temporary)).toBe(true);
        await container.stop();
        const { environment: serverEnvironment } = container.server;
        expect(serverEnvironment).toMatchObject({
          AUTHENTIK_LISTEN__HTTP: "0.0.0.0:9000",
          AUTHENTIK_SECRET_KEY: "the-key",
          TMPDIR: environment.TMPDIR,
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

      it("ends completely on SIGTERM, after the worker has finished and with one signal to each", async () => {
        const container = await startContainer({ STUB_SERVER_STOPS_LAST: "yes", STUB_WORKER_STOP_SECONDS: "0.1" });
        await firstWorker(container);
        expect(await container.stop()).toBe(0);
        // dumb-init does not wait for the worker, which on a busy machine writes its last record a moment later.
        await eventually("the worker's end", () => container.starts("worker").every(({ ended }) => ended));
        expect(container.starts("worker")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
        expect(container.starts("server")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
        expect(container.output()).not.toContain("starts again");
      });

      it("ends at once on SIGTERM while the next worker is waited for", async () => {
        const container = await startContainer({ STUB_WORKER_EXIT_CODE: "1" });
        await eventually("the worker's end", () => container.output().includes("starts again in 1 s"));
        expect(await container.stop()).toBe(0);
        expect(container.starts("worker")).toHaveLength(1);
      });

      it("ends when the server ends by itself", async () => {
        const container = await startContainer();
        await firstWorker(container);
        process.kill(container.server.pid, "SIGKILL");
        await eventually("the end of every process", () => groupMembers(container.server.pid).length === 0);
        expect(container.starts("worker")).toHaveLength(1);
      });

      it("starts a killed worker again, in an emptied temporary folder", async () => {
        replaceProgram("sleep", [`echo "$1" >>"${folder}/pauses"`]);
        const container = await startContainer();
        const first = await firstWorker(container);
        const leftover = join(environment.TMPDIR ?? "", "co-located-worker", "authentik.sock");
        writeFileSync(leftover, "");
        process.kill(first.pid, "SIGKILL");
        await eventually("another worker", () => container.starts("worker").length === 2);
        expect(existsSync(leftover)).toBe(false);
        expect(readFileSync(join(folder, "pauses"), "utf8")).toBe("1\n");
        expect(container.output()).toMatch(
          /^cloud-entrypoint: worker ended with exit code 137 after [01] s, starts again in 1 s$/m,
        );
        expect(groupMembers(container.server.pid)).toContain(container.server.pid);
        await container.stop();
      });

      it("waits longer after each short run of the worker and little after a long one", async () => {
        replaceProgram("sleep", ["exit 0"]);
        const clock = [...Array<string>(7).fill("100 100"), "100 250", "300 300"].join(" ");
        writeFileSync(join(folder, "clock"), `${clock}\n`);
        replaceProgram("date", [
          `read -r now later <"${folder}/clock" || now=0`,
          `printf '%s\\n' "\${later:-0 0}" >"${folder}/clock"`,
          'echo "$now"',
        ]);
        const container = await startContainer({ STUB_WORKER_EXIT_CODE: "3" });
        const pattern = /worker ended with exit code 3 after (\d+) s, starts again in (\d+) s\n/g;
        const restarts = await eventually("nine restarts", () => {
          const found = [...container.output().matchAll(pattern)];
          return found.length >= 9 && found.slice(0, 9);
        });
        await container.stop();
        expect(restarts.map(([, lastedSeconds, pauseSeconds]) => `${lastedSeconds} → ${pauseSeconds}`)).toEqual([
          "0 → 1",
          "0 → 2",
          "0 → 4",
          "0 → 8",
          "0 → 16",
          "0 → 30",
          "0 → 30",
          "150 → 1",
          "0 → 2",
        ]);
      });

      it("keeps trying when the worker's temporary folder cannot be made", async () => {
        replaceProgram("sleep", ["exit 0"]);
        const container = await startContainer({ TMPDIR: join(folder, "not-there") });
        await eventually("two tries", () => (container.output().match(/starts again/g) ?? []).length >= 2);
        mkdirSync(join(folder, "not-there"));
        await firstWorker(container);
        await container.stop();
      });
    });

    describe("the command", () => {
      it("is server when none is given", async () => {
        expect((await run([])).exitCode).toBe(EXIT_CODE_REFUSED);
      });

      it.each([["worker"], ["dump_config"], ["shell", "-c", "print('a  b')\n", ""]])(
        "%s runs alone, with its arguments and the same environment",
        async (...args) => {
          const [name = ""] = args;
          const { exitCode, starts } = await run(args, { ...DATABASE, STUB_WORKER_EXIT_CODE: "4" });
          expect(exitCode).toBe(name === "worker" ? 4 : 0);
          expect(starts(name)).toHaveLength(1);
          expect(starts(name)[0]?.arguments).toEqual(args);
          expect(starts(name)[0]?.environment).toMatchObject({
            AUTHENTIK_POSTGRESQL__HOST: "/sockets/db",
            TMPDIR: environment.TMPDIR,
          });
          expect(starts(name)[0]?.environment).not.toHaveProperty("AUTHENTIK_LISTEN__HTTP");
          if (name !== "worker") expect(starts("worker")).toEqual([]);
        },
      );
    });
  });
}
