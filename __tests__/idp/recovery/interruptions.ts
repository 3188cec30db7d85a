import { type ScriptName, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";
import { DUMP_JOB, INIT_JOB, INSTANCE, JOBS, PROJECT, type SqlScene } from "./sql-scene";

/** Where a script is ended, and how. */
interface End {
  /** Number of the request, from 1, which the service carries out all the same. */
  readonly request: number;

  readonly signal: "SIGKILL" | "SIGTERM";

  /** Whether requests that only read are not counted. @default false */
  readonly onlyChanges?: boolean;
}

/** The numbers from 1 on. */
export const numbersTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Runs a script and ends it at one of its requests. */
export async function runUntil(
  { run, standIn }: SqlScene,
  script: ScriptName,
  { onlyChanges = false, request, signal }: End,
  options: ScriptOptions = {},
): Promise<ScriptRun> {
  let kill: ((signal: NodeJS.Signals) => void) | undefined;
  let seen = 0;
  standIn.onRequest = ({ httpMethod }) => {
    if (onlyChanges && httpMethod === "GET") return;
    seen += 1;
    if (seen === request) kill?.(signal);
  };
  const ended = await run(script, {
    ...options,
    onStart: (end) => {
      kill = end;
    },
  });
  standIn.onRequest = () => undefined;
  // What was under way goes on without the script.
  standIn.sql.settle();
  return ended;
}

/**
 * Fails if anything is left that a script has made, but for a clone that it has named: one whose run was killed before the
 * clone had its label could be anybody's.
 */
export function expectNothingLeft({ standIn }: SqlScene, said = ""): void {
  const named = /^The clone (\S+) is protected or has no label copy-for/m.exec(said)?.[1] ?? "";
  expect(standIn.sql.billed.filter((name) => name !== `${PROJECT}/${named}`)).toEqual([`${PROJECT}/${INSTANCE}`]);
  expect([...standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
}
