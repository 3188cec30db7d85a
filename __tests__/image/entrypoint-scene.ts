import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { UPSTREAM_PREFIX, WORKER_LISTENERS } from "../../lib/idp/contract";
import { shellAt } from "../support/fault-matrix";
import { shellCommand } from "../support/google-stand-in-scripts";
import { followed, runOf } from "../support/process-run";
import { programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { coreutilsPath } from "./coreutils";
import { eventually, killAll, processesWith, type RecordedStart, recordedStarts } from "./processes";

const ENTRYPOINT = join(__dirname, "../../image/cloud-entrypoint.sh");

/** What the entrypoint and the stub application may call; nothing else is on their PATH. */
const PROGRAMS = "cat date env id mkdir mkfifo mv python3 rm setsid sleep tr".split(" ");

export const EXIT_CODE_REFUSED = 78;

export const DATABASE = {
  DB_HOST: "/sockets/db",
  DB_NAME: "the-name",
  DB_PASSWORD: "the-password",
  DB_USER: "the-user",
};

export const UPSTREAM_LISTENERS = Object.fromEntries(
  Object.entries(WORKER_LISTENERS).map(([name, address]) => [name.replace(/^IDP_/, UPSTREAM_PREFIX), address]),
);

interface Run {
  readonly exitCode: number | null;
  readonly output: string;
  /** Starts of the stub application, by command. */
  readonly starts: (command: string) => RecordedStart[];
}

export interface Container {
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

/** A folder with the programs of a container, made anew for each test, and ways to run the entrypoint in it. */
export type EntrypointScene = ReturnType<typeof entrypointScene>;

/** To be called within a `describe`, whose tests it prepares. */
export function entrypointScene() {
  const place = { folder: "", media: "", environment: {} as Record<string, string> };
  let records: string;

  /** That of the image, or that of a smaller base, always the same for a test. */
  let shell: readonly string[];

  /** Started by the test; what runs to its end leaves no process. */
  let containers: number;

  beforeEach(() => {
    shell = shellCommand(shellAt(expect.getState().currentTestName?.length ?? 0));
    containers = 0;
    const folder = temporaryFolder();
    const programs = join(folder, "bin");
    records = join(folder, "records");
    const media = join(folder, "media");
    for (const path of [programs, records, media, join(folder, "tmp")]) mkdirSync(path);
    // Some tests run as another user.
    for (const path of [folder, records, join(folder, "tmp")]) chmodSync(path, 0o777);
    for (const name of PROGRAMS) symlinkSync(coreutilsPath(name), join(programs, name));
    copyFileSync(join(__dirname, "stub-ak.sh"), join(programs, "ak"));
    chmodSync(join(programs, "ak"), 0o755);
    const environment = {
      IDP_STORAGE__FILE__PATH: media,
      PATH: programs,
      STUB_RECORDS: records,
      TMPDIR: join(folder, "tmp"),
      UPSTREAM_PREFIX,
    };
    Object.assign(place, { folder, media, environment });
  });

  afterEach(() => {
    if (containers > 0) killAll(running());
  });

  const running = () => processesWith("STUB_RECORDS", records);

  /** Runs the script until it ends. */
  const run = async (
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
    options: { wrapper?: readonly string[]; userId?: number; script?: string } = {},
  ): Promise<Run> => {
    const [file = "", ...rest] = [...(options.wrapper ?? []), ...shell, options.script ?? ENTRYPOINT, ...args];
    const child = spawn(file, rest, {
      env: { ...place.environment, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.userId === undefined ? {} : { uid: options.userId, gid: options.userId }),
    });
    const { exitCode, output } = await runOf(child);
    return { exitCode, output, starts: (name) => recordedStarts(records, name) };
  };

  /** The environment in which the application starts, given what the platform injects. */
  const applicationEnvironment = async (
    variables: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> => {
    const { exitCode, output, starts } = await run(["dump_config"], variables);
    const [start] = starts("dump_config");
    if (exitCode !== 0 || start === undefined) throw new Error(`ended with ${exitCode}: ${output}`);
    rmSync(join(records, `dump_config.${start.pid}`), { recursive: true });
    return start.environment;
  };

  /** Starts a container the way the image does and resolves when it runs what it is to run. */
  const startContainer = async (
    variables: Readonly<Record<string, string>> = {},
    { argument = "server", first = "server", script = ENTRYPOINT } = {},
  ): Promise<Container> => {
    containers += 1;
    const child = spawn(programPath("dumb-init"), ["--", ...shell, script, argument], {
      env: { ...place.environment, ...DATABASE, IDP_SECRET_KEY: "the-key", ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { printed } = followed(child);
    // What outlives it may hold its output open.
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const starts = (name: string) => recordedStarts(records, name);
    const server = await eventually("the first process", () => starts(first)[0]);
    const { pid } = child;
    if (pid === undefined) throw new Error("dumb-init has no process id");
    return {
      pid,
      server,
      output: () => printed.output,
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

  /**
   * Starts a server as the image does, sends a TERM some time after its first line, and resolves when no process is
   * left.
   *
   * Not before that line: dumb-init loses a signal that comes before its child has a group of its own.
   */
  const stoppedAfter = async (milliseconds: number, variables: Readonly<Record<string, string>>): Promise<void> => {
    containers += 1;
    const child = spawn(programPath("dumb-init"), ["--", ...shell, ENTRYPOINT, "server"], {
      env: { ...place.environment, ...DATABASE, IDP_SECRET_KEY: "the-key", ...variables },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = once(child, "exit");
    await once(child.stderr, "data");
    await setTimeout(milliseconds);
    child.kill("SIGTERM");
    await ended;
    await eventually("the end of every process", () => running().length === 0);
  };

  /** Puts a script in the place of a program. */
  const replaceProgram = (name: string, lines: readonly string[]): void => {
    const path = join(place.folder, "bin", name);
    rmSync(path, { force: true });
    writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
  };

  /** Copies the script and what it needs into the folder of the test, and returns the copy's path. */
  const copyScript = (): string => {
    for (const name of ["cloud-entrypoint.sh", "connection-pool.sh", "watch-worker.py"]) {
      copyFileSync(join(dirname(ENTRYPOINT), name), join(place.folder, name));
    }
    return join(place.folder, "cloud-entrypoint.sh");
  };

  const firstWorker = (container: Container) => eventually("a worker", () => container.starts("worker")[0]);

  const ways = {
    applicationEnvironment,
    copyScript,
    firstWorker,
    replaceProgram,
    run,
    running,
    startContainer,
    stoppedAfter,
  };
  return Object.assign(place, ways);
}
