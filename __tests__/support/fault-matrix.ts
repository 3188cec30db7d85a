import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { type Fault, type GoogleStandIn, type RecordedRequest } from "./google-stand-in";
import { programFolder, type ScriptOptions, type ScriptRun, type Shell } from "./google-stand-in-scripts";
import { ApiError, errorReason } from "./google-stand-in-services";
import { type ProgramFault, type ProgramStandIn } from "./program-stand-in";
import { temporaryFolder } from "./temporary-folder";

/**
 * Shells in which the scripts run, every second case in the other: that of a workstation, and that of a small image.
 */
const SHELLS = ["dash", "busybox"] as const satisfies readonly Shell[];

export const shellAt = (index: number): Shell => SHELLS[index % SHELLS.length] ?? "dash";

export function status(code: number, name: string, message = "Injected.", ...reasons: readonly string[]): Fault {
  const details = reasons.map((reason) => errorReason(reason));
  return { kind: "status", error: new ApiError(code, name, message, details) };
}

/** A page of a proxy or portal, or an answer that is none. */
export const page = (code: number, text: string): Fault => ({ kind: "html", status: code, page: text });

/** An answer with HTTP 200 that has the form of the API's, and none of its fields. */
export const PORTAL = page(200, '{ "message": "please sign in" }');

/** A page of a list that is empty, although more follow, as an API may answer at any time. */
export const EMPTY_PAGE = page(200, '{ "nextPageToken": "0" }');

/** No fault: the call gets its own answer. */
export const OWN_ANSWER: Fault = { kind: "slow", milliseconds: 0 };

/** The request is carried out, and its answer is lost. */
export const LOST_ANSWER: Fault = { kind: "reset", carriedOut: true };

/** What passes when the call is repeated. */
const PASSING: readonly Fault[] = [
  { kind: "service-disabled" },
  status(503, "UNAVAILABLE"),
  page(502, "<p>Bad gateway</p>"),
  PORTAL,
  { kind: "reset" },
  LOST_ANSWER,
];

/** Enough attempts for all of these, without pauses. */
const PATIENCE = { REST_TRIES: "8", REST_RETRY_BASE_SECONDS: "0" };

/** A token from gcloud, which has another one when the first has expired. */
export function renewableToken({ tokens }: GoogleStandIn): ScriptOptions {
  const asked = `${temporaryFolder()}/asked`;
  tokens.add("ya29.second");
  const gcloud = `if [ -e ${asked} ]; then echo ya29.second; else : >${asked}; echo ya29.first; fi`;
  return { programs: programFolder({ scripts: { gcloud } }), environment: { GOOGLE_OAUTH_ACCESS_TOKEN: undefined } };
}

/** A temporary folder that is full from a call of this method on, for these files, too. */
export const fullFrom =
  (method: string, ...files: readonly string[]) =>
  (standIn: GoogleStandIn): ScriptOptions => {
    const work = temporaryFolder();
    standIn.onRequest = (request) => {
      if (request.method !== method) return;
      for (const file of ["room", ...files]) symlinkSync("/dev/full", join(work, file));
    };
    return { programs: programFolder({ scripts: { mktemp: `echo '${work}'` } }) };
  };

/** What a script calls. */
interface Scene {
  readonly standIn?: GoogleStandIn;
  readonly programs?: ProgramStandIn;
}

/** The script of a matrix, in scenes of its own. */
interface Subject<S extends Scene> {
  readonly inScene: (test: (scene: S) => Promise<void>) => Promise<void>;
  readonly run: (scene: S, options: ScriptOptions) => Promise<ScriptRun>;
  /** What there is before a run. @default nothing more than in every scene */
  readonly prepare?: (scene: S) => void;
  /** Fails unless all is as it shall be after a run that has ended well. */
  readonly settled: (scene: S, run: ScriptRun) => Promise<void> | void;
  /** Words that are never printed. @default the tokens */
  readonly secrets?: readonly string[];
}

/** What becomes of a run in which one call gets other answers. */
export interface FaultRow<S extends Scene> {
  readonly what: string;
  /** What there is before. */
  readonly before?: (scene: S) => Promise<void> | void;
  /** Id of a method, or name of an API or a program. */
  readonly at: string;
  /** The first call of a program that gets another answer. @default 1 */
  readonly call?: number;
  /** One for each call in turn, and then its own. */
  readonly answers: readonly (Fault | ProgramFault)[];
  /** Whether the last answer is given for as long as the script asks. @default false */
  readonly lasts?: boolean;
  readonly options?: ScriptOptions | ((standIn: GoogleStandIn) => ScriptOptions);
  /** Sent to the script once a program hangs. */
  readonly signal?: NodeJS.Signals;
  /** Null after a kill. */
  readonly exitCode: number | null;
  readonly says?: readonly (string | RegExp)[];
  /** Looks at what is left behind. @default settled, after exit code 0 */
  readonly left?: (scene: S, run: ScriptRun) => Promise<void> | void;
}

function apisOf({ standIn }: Scene): GoogleStandIn {
  if (standIn === undefined) throw new Error("the script calls no APIs");
  return standIn;
}

function inject<S extends Scene>(scene: S, { answers, at, call = 1, lasts = false }: FaultRow<S>): void {
  if (call > 1) scene.programs?.inject(at, undefined, call - 1);
  for (const [index, answer] of answers.entries()) {
    const times = lasts && index === answers.length - 1 ? Infinity : 1;
    if ("shell" in answer) scene.programs?.inject(at, answer, times);
    else scene.standIn?.inject(at, answer, times);
  }
}

function callsTo(at: string, { programs, standIn }: Scene): number {
  const isOfApi = ({ method }: RecordedRequest) => method === at || method.startsWith(`${at}.`);
  return (programs?.callsTo(at) ?? 0) + (standIn?.requests.filter(isOfApi).length ?? 0);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended with the script.
  }
}

/** Sent with POST, although it only reads. */
const READING_POST = "logging.entries.list";

/** Counts the requests that change something, and tells the number of each. */
function onChange(standIn: GoogleStandIn, action: (number: number) => void): void {
  let changes = 0;
  standIn.onRequest = ({ httpMethod, method }: RecordedRequest) => {
    if (httpMethod === "GET" || method === READING_POST) return;
    changes += 1;
    action(changes);
  };
}

/** What a script does when calls fail and when it is killed. To be used within a `describe`. */
export class FaultMatrix<S extends Scene> {
  constructor(private readonly subject: Subject<S>) {}

  /** One test for each row, every second one in the other shell. */
  rows(rows: readonly FaultRow<S>[]): void {
    const cases = rows.map((row, index) => [row.what, shellAt(index), row] as const);
    it.concurrent.each(cases)("%s (%s)", (_, shell, row) =>
      this.inScene(async (scene) => {
        const { answers, at, left, options = {}, signal } = row;
        await row.before?.(scene);
        inject(scene, row);

        const given = typeof options === "function" ? options(apisOf(scene)) : options;
        const onStart: ScriptOptions["onStart"] = async (kill, ended) => {
          const hanging = await Promise.race([scene.programs?.hanging(), ended]);
          kill(signal ?? "SIGKILL");
          await ended;
          if (typeof hanging === "number") endProcess(hanging);
        };
        const run = await this.run(scene, shell, signal === undefined ? given : { ...given, onStart });

        expect({ exitCode: run.exitCode, stderr: run.exitCode === 0 ? run.stderr : "" }).toEqual({
          exitCode: row.exitCode,
          stderr: "",
        });
        for (const words of row.says ?? [])
          expect(run.output).toEqual(
            typeof words === "string" ? expect.stringContaining(words) : expect.stringMatching(words),
          );
        const last = answers.length === 0 ? 0 : (row.call ?? 1) - 1 + answers.length;
        expect(callsTo(at, scene)).toBeGreaterThanOrEqual(last);
        await (left ?? (row.exitCode === 0 ? this.subject.settled : () => undefined))(scene, run);
      }),
    );
  }

  /** One test for each set of calls, all of which meet all faults that pass, one after the other. */
  passing(sets: readonly (readonly string[])[]): void {
    const cases = sets.map((calls, index) => [calls.join(", "), shellAt(index), calls] as const);
    it.concurrent.each(cases)("ends well in spite of faults that pass: %s (%s)", (_, shell, calls) =>
      this.inScene(async (scene) => {
        const apis = apisOf(scene);
        for (const call of calls) for (const fault of PASSING) apis.inject(call, fault);

        const run = await this.run(scene, shell, { environment: PATIENCE });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        for (const call of calls) expect(apis.requestsTo(call).length).toBeGreaterThanOrEqual(PASSING.length);
        await this.subject.settled(scene, run);
      }),
    );
  }

  /**
   * One test for each of some changes: the script is killed when the API has the request, which is carried out all the
   * same. `then` gets what was printed, and looks at what is left or runs the script again. An undisturbed run shows
   * how many changes there are.
   */
  kills(
    changes: number,
    at: readonly number[],
    signal: "SIGKILL" | "SIGTERM",
    then: (scene: S, killed: ScriptRun, again: (options?: ScriptOptions) => Promise<ScriptRun>) => Promise<void> | void,
  ): void {
    it.concurrent(`makes ${changes} changes`, () =>
      this.inScene(async (scene) => {
        let seen = 0;
        onChange(apisOf(scene), (number) => (seen = number));
        const run = await this.run(scene, "dash", {});
        expect([run.exitCode, seen]).toEqual([0, changes]);
        await this.subject.settled(scene, run);
      }),
    );

    const cases = at.map((change, index) => [change, shellAt(index)] as const);
    it.concurrent.each(cases)(`ended by ${signal} at change %i (%s): nothing is lost or left`, (change, shell) =>
      this.inScene(async (scene) => {
        const apis = apisOf(scene);
        let kill: (signal: NodeJS.Signals) => void = () => undefined;
        onChange(apis, (number) => {
          if (number === change) kill(signal);
        });
        const killed = await this.run(scene, shell, { onStart: (end) => (kill = end) });
        apis.onRequest = () => undefined;
        // What was under way goes on without the script.
        apis.sql.operations.settle();

        expect(killed.exitCode).toBe(signal === "SIGKILL" ? null : 143);
        await then(scene, killed, (options = {}) => this.run(scene, shell, options));
      }),
    );
  }

  private inScene(test: (scene: S) => Promise<void>): Promise<void> {
    return this.subject.inScene(async (scene) => {
      this.subject.prepare?.(scene);
      await test(scene);
    });
  }

  /** Runs the script, which never prints a secret. */
  private async run(scene: S, shell: Shell, options: ScriptOptions): Promise<ScriptRun> {
    const run = await this.subject.run(scene, { ...options, shell });
    for (const secret of this.subject.secrets ?? ["ya29."]) expect(run.output).not.toContain(secret);
    return run;
  }
}
