import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { knownSettings } from "../../lib/idp/known-settings";
import { mailSettings } from "../../lib/idp/mail-settings";
import { TEST_MAIL_COMMAND } from "../../lib/idp/smtp";
import { STOP_SECONDS, UPSTREAM_PREFIX, WORKER_LISTENERS } from "../../lib/idp/contract";
import { ENTRYPOINT_COMMANDS, WORKER_PROCESSES, WORKER_THREADS } from "../../lib/idp/worker-mode";
import { describeWith, programPath } from "../support/programs";
import { coreutilsPath } from "./coreutils";
import { documentedCommand } from "./operations-page";
import {
  type RecordedStart,
  commandLine,
  eventually,
  groupOf,
  killAll,
  parentOf,
  processesWith,
  recordedStarts,
} from "./processes";

const ENTRYPOINT = join(__dirname, "../../image/cloud-entrypoint.sh");

/** What the entrypoint and the stub application may call; nothing else is on their PATH. */
const COREUTILS = ["cat", "date", "env", "id", "mkdir", "mv", "rm", "setsid", "sleep", "tr"] as const;

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
  /** The process that was waited for, a server unless said otherwise. */
  readonly server: RecordedStart;
  readonly output: () => string;
  readonly starts: (command: string) => RecordedStart[];
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
  /** Sends a signal and resolves with the exit code when no process is left. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** What the script does, whichever shell runs it; `thorough` has also what takes seconds each. */
export function describeEntrypoint(program: keyof typeof COMMANDS, { thorough }: { thorough: boolean }): void {
  const command = COMMANDS[program];
  describeWith([program, "dash", "dumb-init"], `cloud-entrypoint.sh under ${program}`, () => {
    let folder: string;
    let records: string;
    let media: string;
    let environment: Record<string, string>;

    /** Started by the test; what runs to its end leaves no process. */
    let containers: number;

    beforeEach(() => {
      containers = 0;
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
    });

    afterEach(() => {
      if (containers > 0) killAll(running());
      rmSync(folder, { recursive: true, force: true });
    });

    const running = () => processesWith("STUB_RECORDS", records);

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

    /** Starts a container the way the image does and resolves when it runs what it is to run. */
    const startContainer = async (
      variables: Readonly<Record<string, string>> = {},
      userId?: number,
      { argument = "server", first = "server" } = {},
    ): Promise<Container> => {
      containers += 1;
      // The checkout may be closed to another user.
      const script = join(folder, "cloud-entrypoint.sh");
      copyFileSync(ENTRYPOINT, script);
      const child = spawn(programPath("dumb-init"), ["--", ...command(), script, argument], {
        env: { ...environment, ...DATABASE, IDP_SECRET_KEY: "the-key", ...variables },
        stdio: ["ignore", "pipe", "pipe"],
        ...(userId === undefined ? {} : { uid: userId, gid: userId }),
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
      const server = await eventually("the first process", () => starts(first)[0]);
      const { pid } = child;
      if (pid === undefined) throw new Error("dumb-init has no process id");
      return {
        pid,
        server,
        output: () => output,
        starts,
        ended,
        stop: async (signal = "SIGTERM") => {
          process.kill(pid, signal);
          const exitCode = await ended;
          await eventually("the end of every process", () => running().length === 0);
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

      it("gives every setting that the pinned release knows to the application, under the upstream's name", async () => {
        const settings = knownSettings().map((name) => name.replaceAll("*", "ANY"));
        const given = Object.fromEntries(settings.map((name, index) => [name, `value ${index}`]));
        const upstream = Object.entries(given).map(([name, value]) => [name.replace(/^IDP_/, "AUTHENTIK_"), value]);
        expect(upstream.length).toBeGreaterThan(100);
        expect(await applicationEnvironment(given)).toMatchObject(Object.fromEntries(upstream) as object);
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
        // The unit "binary" of fast-check takes longer to prepare than all these runs.
        const character = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
        const value = fc
          .array(fc.oneof(awkward, fc.string({ unit: character, maxLength: 20 })), { maxLength: 5 })
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
          { numRuns: thorough ? 6 : 2 },
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

    describe("the mail server", () => {
      const { environment: mail } = mailSettings({
        host: "smtp.example.com",
        port: 465,
        encryption: "tls",
        from: "Sign-in <idp@example.com>",
        username: "123456",
        passwordSecret: { secretId: "smtp-password", version: 1 },
        timeout: 30,
      });
      /** As the platform injects it, the password from its secret. */
      const injected = { ...mail.baseline, IDP_EMAIL__PASSWORD: 'p"a$s%s {word}' };
      const read = {
        AUTHENTIK_EMAIL__HOST: "smtp.example.com",
        AUTHENTIK_EMAIL__PORT: "465",
        AUTHENTIK_EMAIL__USERNAME: '"123456"',
        AUTHENTIK_EMAIL__PASSWORD: 'p"a$s%s {word}',
        AUTHENTIK_EMAIL__USE_TLS: "false",
        AUTHENTIK_EMAIL__USE_SSL: "true",
        AUTHENTIK_EMAIL__TIMEOUT: "30",
        AUTHENTIK_EMAIL__FROM: "Sign-in <idp@example.com>",
      };
      const mailOf = (variables: Readonly<Record<string, string>>) =>
        Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith("AUTHENTIK_EMAIL__")));

      it("reaches the command that sends a test mail, with its arguments and the database", async () => {
        const args = [TEST_MAIL_COMMAND, "you@example.com"];
        const { exitCode, starts } = await run(args, { ...DATABASE, ...injected, IDP_SECRET_KEY: "the-key" });
        expect(exitCode).toBe(0);
        expect(starts(TEST_MAIL_COMMAND)).toMatchObject([
          { arguments: args, environment: { ...read, AUTHENTIK_POSTGRESQL__HOST: "/sockets/db" } },
        ]);
        expect(starts("worker")).toEqual([]);
      });

      it("is none when there is none", async () => {
        expect(mailOf(await applicationEnvironment({}))).toEqual({});
      });

      if (thorough) {
        it("reaches server and worker under the upstream's names, and nothing else of mail does", async () => {
          const container = await startContainer(injected);
          expect(mailOf(container.server.environment)).toEqual(read);
          expect(mailOf((await firstWorker(container)).environment)).toEqual(read);
          expect(container.output()).not.toContain("word}");
          await container.stop();
        });
      }
    });

    if (thorough) {
      it("leaves alone what happens to be called like a variable of a script", async () => {
        const names = [...readFileSync(ENTRYPOINT, "utf8").matchAll(/\b([a-z]\w*)(?==)|\bfor (\w+) in/g)]
          .map(([, assigned, counted]) => assigned ?? counted ?? "")
          .map((name) => name.replace(/^ce_/, ""));
        expect(names).toEqual(
          expect.arrayContaining(["value", "source", "child", "stopping", "name", "target", "usage"]),
        );
        const exported = Object.fromEntries([...names, "host", "mode"].map((name) => [name, "mine"]));
        const container = await startContainer(exported);
        const worker = await firstWorker(container);
        expect(container.server.environment).toMatchObject(exported);
        expect(worker.environment).toMatchObject(exported);
        await container.stop();
      });
    }

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

      if (thorough) {
        it("never holds a value, not even when it refuses to start or restarts a worker", async () => {
          const secrets = { DB_PASSWORD: "s3cret-password", DB_USER: "s3cret-user", IDP_SECRET_KEY: "s3cret-key" };
          const refused = await run(["server"], secrets);
          const container = await startContainer({ ...DATABASE, ...secrets, STUB_WORKER_EXIT_CODE: "1" });
          await eventually("the worker's end", () => container.output().includes("starts again"));
          await container.stop();
          expect(`${refused.output}${container.output()}`).not.toContain("s3cret");
          expect(refused.exitCode).toBe(EXIT_CODE_REFUSED);
        });
      }
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
        ["IDP_POSTGRESQL__HOST", { ...complete, IDP_POSTGRESQL__HOST: "" }],
        ["AUTHENTIK_POSTGRESQL__USER", { ...complete, AUTHENTIK_POSTGRESQL__USER: "" }],
        ["IDP_SECRET_KEY", { ...complete, IDP_SECRET_KEY: "" }],
        ["AUTHENTIK_SECRET_KEY", { ...complete, AUTHENTIK_SECRET_KEY: "" }],
      ])("starts nothing and names %s, given %j", async (missing, variables) => {
        const { exitCode, output, starts } = await run(["server"], variables);
        expect(exitCode).toBe(EXIT_CODE_REFUSED);
        expect(output.trimEnd().split("\n").slice(1)).toEqual([refusal(missing)]);
        expect([...starts("server"), ...starts("worker")]).toEqual([]);
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

      it("starts nothing when its temporary folder cannot be made", async () => {
        const temporary = join(media, "file", "tmp");
        writeFileSync(join(media, "file"), "");
        const { exitCode, output, starts } = await run(["server"], { ...complete, TMPDIR: temporary });
        expect(exitCode).toBe(EXIT_CODE_REFUSED);
        expect(output.trimEnd().split("\n").slice(1)).toEqual([
          `cloud-entrypoint: not starting: TMPDIR is ${temporary}, which is not a directory that user ` +
            `${process.getuid?.() ?? ""} may write and cannot be made one; leave TMPDIR out or mount a memory-backed ` +
            "volume there",
        ]);
        expect([...starts("server"), ...starts("worker")]).toEqual([]);
      });

      if (thorough) {
        const startAndEnd = async (variables: Readonly<Record<string, string>>) => {
          const wrapper = [programPath("dumb-init"), "--"];
          return (await run(["server"], { ...variables, STUB_SERVER_EXIT_CODE: "5" }, { wrapper })).exitCode;
        };

        it.each([
          ["the platform's", complete],
          ["the platform's, the password being empty,", { ...complete, DB_PASSWORD: "" }],
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
          expect(await startAndEnd(variables)).toBe(5);
        });

        it.each([
          ["all files go elsewhere", 5, { IDP_STORAGE__BACKEND: "s3" }],
          [
            "each kind of files goes elsewhere",
            5,
            { AUTHENTIK_STORAGE__MEDIA__BACKEND: "s3", AUTHENTIK_STORAGE__REPORTS__BACKEND: "s3" },
          ],
          ["one kind of files still goes there", EXIT_CODE_REFUSED, { AUTHENTIK_STORAGE__MEDIA__BACKEND: "s3" }],
          [
            "one kind of files comes back",
            EXIT_CODE_REFUSED,
            { IDP_STORAGE__BACKEND: "s3", AUTHENTIK_STORAGE__REPORTS__BACKEND: "file" },
          ],
          [
            "each kind has its own folder",
            5,
            { AUTHENTIK_STORAGE__MEDIA__FILE__PATH: "/", AUTHENTIK_STORAGE__REPORTS__FILE__PATH: "/" },
          ],
          ["the application looks the folder up", 5, { IDP_STORAGE__FILE__PATH: "env://FOLDER" }],
        ])("asks for no storage folder that is not used: when %s it ends with %d", async (_, exitCode, variables) => {
          rmSync(media, { recursive: true });
          expect(await startAndEnd({ ...complete, ...variables })).toBe(exitCode);
        });
      }
    });

    describe("a running container", () => {
      it("gives listeners and a temporary folder of their own to the worker and nothing of it to the server", async () => {
        const container = await startContainer({ AUTHENTIK_LISTEN__HTTP: "0.0.0.0:9000" });
        const worker = await firstWorker(container);
        const temporary = `${environment.TMPDIR ?? ""}/co-located-worker.${container.server.parentPid}`;
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

      it.each(thorough ? (["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const) : (["SIGTERM"] as const))(
        "ends on %s with the server's exit code when the worker has finished, too, and with TERM to each",
        async (signal) => {
          const container = await startContainer({
            STUB_SERVER_STOP_CODE: "3",
            STUB_WORKER_STOP_CODE: "4",
            STUB_WORKER_STOP_SECONDS: "0.5",
          });
          await firstWorker(container);
          expect(await container.stop(signal)).toBe(3);
          for (const name of ["worker", "server"]) {
            expect(container.starts(name)).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          }
          expect(container.output()).not.toMatch(/starts again|container ends/);
        },
      );

      if (thorough) {
        it("gives the worker what blueprints read by its own name, and the token by the upstream's", async () => {
          const folder = join(__dirname, "../../image/blueprints");
          const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
          const names = texts.flatMap((text) => text.match(/(?<=!Env \[?)\w+/g) ?? []);
          const variables = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
          const container = await startContainer({ ...variables, IDP_BOOTSTRAP_TOKEN: "the-token" });
          const { environment: actual } = await firstWorker(container);
          expect(names.length).toBeGreaterThan(3);
          expect(actual).toMatchObject({ ...variables, AUTHENTIK_BOOTSTRAP_TOKEN: "the-token" });
          await container.stop();
        });

        it("has a copy of the entrypoint as server, in a process group of its own", async () => {
          const container = await startContainer();
          const { arguments: given, parentPid, pid } = container.server;
          expect(given).toEqual(["server"]);
          expect(commandLine(parentPid)).toEqual([...command(), join(folder, "cloud-entrypoint.sh"), "server"]);
          expect(parentOf(parentPid)).toBe(container.pid);
          expect(groupOf(pid)).toBe(pid);
          await container.stop();
        });

        it("lets server and worker finish with one TERM each, however often the container is told to stop", async () => {
          const container = await startContainer({ STUB_SERVER_STOP_SECONDS: "2", STUB_WORKER_STOP_SECONDS: "2" });
          const worker = await firstWorker(container);
          for (let time = 0; time < 100; time += 1) {
            killAll([container.pid, worker.parentPid], "SIGTERM");
            await delay(5);
          }
          expect(await container.ended).toBe(0);
          for (const name of ["worker", "server"]) {
            expect(container.starts(name)).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          }
        });

        it("ends what has not finished before the serverless platform would", async () => {
          replaceProgram("sleep", [`echo "$1" >>"${folder}/pauses"`, "exec /bin/sleep 0.05"]);
          const container = await startContainer({
            K_SERVICE: "idp",
            STUB_WORKER_CHILD: "1",
            STUB_WORKER_STOP_SECONDS: "600",
          });
          await firstWorker(container);
          expect(await container.stop()).toBe(0);
          expect(container.starts("worker")[0]?.signals).toEqual(["TERM"]);
          const waits = readFileSync(join(folder, "pauses"), "utf8")
            .split("\n")
            .filter((seconds) => seconds === "0.1");
          // Two shells wait for each other and a third one for the worker.
          expect(waits.length).toBeGreaterThanOrEqual(STOP_SECONDS.serverless * 10);
        });

        it("hands a stop to the worker while the server still takes its time", async () => {
          const container = await startContainer({ STUB_SERVER_STOP_SECONDS: "1" });
          await firstWorker(container);
          process.kill(container.pid, "SIGINT");
          await eventually("the worker's end", () => container.starts("worker")[0]?.ended);
          expect(container.starts("server")[0]?.ended).toBe(false);
          expect(await container.ended).toBe(0);
          expect(container.starts("server")[0]?.ended).toBe(true);
        });

        it("ends at once on SIGTERM while the next worker is waited for", async () => {
          const container = await startContainer({ STUB_WORKER_EXIT_CODE: "1" });
          await eventually("the worker's end", () => container.output().includes("starts again in 1 s"));
          expect(await container.stop()).toBe(0);
          expect(container.starts("worker")).toHaveLength(1);
        });

        it("ends when the server ends by itself, after the worker has finished", async () => {
          const container = await startContainer({ STUB_WORKER_STOP_SECONDS: "0.3" });
          await firstWorker(container);
          process.kill(container.server.pid, "SIGKILL");
          expect(await container.ended).toBe(128 + constants.signals.SIGKILL);
          expect(container.starts("worker")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          expect(container.output()).toMatch(
            /^cloud-entrypoint: server ended with exit code 137, so the container ends$/m,
          );
        });

        it("ends, the server in good order, when the supervision of the worker is killed", async () => {
          const container = await startContainer({ STUB_SERVER_STOP_CODE: "3" });
          const worker = await firstWorker(container);
          process.kill(worker.parentPid, "SIGKILL");
          expect(await container.ended).toBe(3);
          expect(container.starts("server")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          expect(container.output()).toMatch(
            /^cloud-entrypoint: the supervision of the worker ended with exit code 137, so the container ends$/m,
          );
        });

        it("ends when the shell that waits for the server is killed", async () => {
          const container = await startContainer();
          process.kill(container.server.parentPid, "SIGKILL");
          expect(await container.ended).toBe(128 + constants.signals.SIGKILL);
        });

        it("ends when the supervision cannot start another process", async () => {
          chmodSync(media, 0o777);
          // The limit counts all processes of a user and spares the administrator.
          const userId = process.getuid?.() === 0 ? 54321 : undefined;
          const container = await startContainer({}, userId);
          const worker = await firstWorker(container);
          execFileSync(coreutilsPath("prlimit"), ["--pid", String(worker.parentPid), "--nproc=1"], {
            uid: userId,
            gid: userId,
          });
          process.kill(worker.pid, "SIGKILL");
          expect(await container.ended).toBe(0);
          expect(container.starts("server")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          expect(container.starts("worker")).toHaveLength(1);
        }, 60_000);

        it.each(["SIGUSR1", "SIGUSR2"] as const)("keeps the worker running after %s", async (signal) => {
          replaceProgram("sleep", []);
          const container = await startContainer();
          const worker = await firstWorker(container);
          process.kill(container.pid, signal);
          process.kill(worker.pid, "SIGKILL");
          await eventually("another worker", () => container.starts("worker").length === 2);
          expect(await container.stop()).toBe(0);
          expect(container.starts("server")).toMatchObject([{ signals: ["TERM"] }]);
        });

        it("leaves nothing of a killed worker behind", async () => {
          replaceProgram("sleep", []);
          const container = await startContainer({ STUB_WORKER_CHILD: "yes" });
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
          const groups = new Set(running().map(groupOf));
          expect(container.starts("worker").filter(({ pid }) => groups.has(pid))).toHaveLength(1);
          await container.stop();
        });

        it("is not disturbed by a second start of the entrypoint", async () => {
          const leftover = join(environment.TMPDIR ?? "", "co-located-worker.4194304");
          mkdirSync(leftover);
          const container = await startContainer();
          const worker = await firstWorker(container);
          expect(existsSync(leftover)).toBe(false);
          const socket = join(worker.environment.TMPDIR ?? "", "authentik.sock");
          writeFileSync(socket, "");
          const second = await run([], { ...DATABASE, IDP_SECRET_KEY: "the-key", STUB_SERVER_EXIT_CODE: "5" });
          expect(second.exitCode).toBe(5);
          expect(existsSync(socket)).toBe(true);
          expect(await container.stop()).toBe(0);
        });

        it("runs the command of the operations page with all settings and without another worker", async () => {
          const [entrypoint, ...args] = documentedCommand();
          expect(entrypoint).toBe("/cloud-entrypoint.sh");
          const container = await startContainer();
          await firstWorker(container);
          const { exitCode, starts } = await run(args, { ...DATABASE, IDP_SECRET_KEY: "the-key" });
          expect(exitCode).toBe(0);
          expect(starts(args[0] ?? "")).toMatchObject([
            {
              arguments: args,
              environment: { AUTHENTIK_POSTGRESQL__HOST: "/sockets/db", AUTHENTIK_SECRET_KEY: "the-key" },
            },
          ]);
          expect(starts("worker")).toHaveLength(1);
          await container.stop();
        });

        it("makes a temporary folder that does not exist", async () => {
          const temporary = join(folder, "not", "there");
          const container = await startContainer({ TMPDIR: temporary });
          const worker = await firstWorker(container);
          expect(worker.environment.TMPDIR).toBe(`${temporary}/co-located-worker.${container.server.parentPid}`);
          await container.stop();
        });

        it("starts a killed worker again, in an emptied temporary folder", async () => {
          replaceProgram("sleep", [`echo "$1" >>"${folder}/pauses"`]);
          const container = await startContainer();
          const first = await firstWorker(container);
          const leftover = join(first.environment.TMPDIR ?? "", "authentik.sock");
          writeFileSync(leftover, "");
          process.kill(first.pid, "SIGKILL");
          await eventually("another worker", () => container.starts("worker").length === 2);
          expect(existsSync(leftover)).toBe(false);
          expect(readFileSync(join(folder, "pauses"), "utf8")).toBe("1\n");
          expect(container.output()).toMatch(
            /^cloud-entrypoint: worker ended with exit code 137 after [01] s, starts again in 1 s$/m,
          );
          expect(running()).toContain(container.server.pid);
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
      }
    });

    describe("a container whose worker is not the entrypoint's", () => {
      const { allInOne, serverAlone, worker } = ENTRYPOINT_COMMANDS;
      const forms = [
        [serverAlone, ["server"]],
        [worker, ["worker"]],
        [allInOne, ["server", "worker"]],
      ] as const;

      /** Starts one and resolves when all that it has runs. */
      const startForm = async (argument: string, parts: readonly string[], variables = {}) => {
        const container = await startContainer(variables, undefined, { argument, first: parts[0] });
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
                        TMPDIR: environment.TMPDIR,
                      },
                    },
                  ]
                : [],
            );
          }
          const top = container.starts(argument === allInOne ? allInOne : parts[0]);
          expect(top).toMatchObject([{ parentPid: container.pid }]);
          await container.stop();
        },
      );

      it.each(forms)("starts nothing, as %s, without what the platform must inject", async (argument) => {
        const { exitCode, output, starts } = await run([argument], { ...DATABASE });
        expect(exitCode).toBe(EXIT_CODE_REFUSED);
        expect(output).toContain("not starting: IDP_SECRET_KEY missing or empty");
        expect([...starts("server"), ...starts("worker"), ...starts(allInOne)]).toEqual([]);
      });

      if (thorough) {
        it.each(forms)("ends, as %s, with 0 on SIGTERM, after %j have come to their end", async (argument, parts) => {
          const container = await startForm(argument, parts, {
            STUB_SERVER_STOP_SECONDS: "0.2",
            STUB_WORKER_STOP_SECONDS: "0.2",
          });
          expect(await container.stop()).toBe(0);
          for (const part of parts) expect(container.starts(part)).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          expect(linesOf(container)).toHaveLength(1);
        });

        it.each([
          [serverAlone, "server", { STUB_SERVER_STOP_CODE: "3" }, 3],
          [worker, "worker", { STUB_WORKER_STOP_CODE: "4" }, 4],
        ] as const)("ends, as %s, on SIGTERM as its %s does", async (argument, part, variables, exitCode) => {
          const container = await startForm(argument, [part], variables);
          expect(await container.stop()).toBe(exitCode);
        });

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
            await eventually("the end of every process", () => running().length === 0);
            expect(container.starts(part)).toHaveLength(1);
            // The platform's own line tells the exit code; what starts again is the container, and not its worker.
            expect(linesOf(container)).toEqual([expect.stringMatching(/^cloud-entrypoint: mapped: /)]);
          },
        );

        it.each([
          [serverAlone, { STUB_SERVER_EXIT_CODE: "5" }, 5],
          [worker, { STUB_WORKER_EXIT_CODE: "6" }, 6],
        ] as const)("hands the exit code on, as %s, of what ends by itself", async (argument, variables, exitCode) => {
          const complete = { ...DATABASE, IDP_SECRET_KEY: "the-key" };
          expect((await run([argument], { ...complete, ...variables })).exitCode).toBe(exitCode);
        });

        it("goes on serving, as server-alone, while the worker of another one is replaced", async () => {
          const server = await startForm(serverAlone, ["server"]);
          const first = await startForm(worker, ["worker"]);
          process.kill(first.starts("worker")[0]?.pid ?? 0, "SIGKILL");
          expect(await first.ended).toBe(128 + constants.signals.SIGKILL);
          const second = await startContainer({}, undefined, { argument: worker, first: "worker" });
          await eventually("another worker", () => second.starts("worker").length === 2);
          expect(running()).toContain(server.server.pid);
          process.kill(server.pid, "SIGTERM");
          expect(await server.ended).toBe(0);
          expect(second.starts("worker").filter(({ ended }) => ended)).toEqual([]);
          expect(await second.stop()).toBe(0);
        });

        it.each([
          ["server", "server"],
          [worker, "worker"],
          [allInOne, "server"],
        ] as const)(
          "gives its worker, as %s, the size that is asked for, by the upstream's names",
          async (argument, first) => {
            const variables = { [WORKER_PROCESSES.variable]: "3", [WORKER_THREADS.variable]: "5" };
            const container = await startContainer(variables, undefined, { argument, first });
            const { environment: actual } = await firstWorker(container);
            expect(actual).toMatchObject({ AUTHENTIK_WORKER__PROCESSES: "3", AUTHENTIK_WORKER__THREADS: "5" });
            await container.stop();
          },
        );
      }
    });

    describe("the command", () => {
      it("is server when none is given", async () => {
        expect((await run([])).exitCode).toBe(EXIT_CODE_REFUSED);
      });

      it.each([["worker"], ["dump_config"], ["shell", "-c", "print('a  b')\n", ""]])(
        "%s runs alone, with its arguments and the same environment",
        async (...args) => {
          const [name = ""] = args;
          const variables = { ...DATABASE, IDP_SECRET_KEY: "the-key", STUB_WORKER_EXIT_CODE: "4" };
          const { exitCode, starts } = await run(args, variables);
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
