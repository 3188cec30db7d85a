import { type JobRun } from "./google-stand-in-jobs";

/** Identity of the database that a job has filled. */
export const RESTORED_ID = "16411";

/** What a job writes when it has done what it is for, its last word at the end. */
export function linesOfRestore({ command, environment }: JobRun): readonly string[] {
  const { ACTION = "", DB_CLOSE_OTHER, DRILL_USERS } = environment;
  const words: Readonly<Record<string, string>> = {
    clear: "cleared: it is empty",
    swap: "exchanged: it is the restored one",
    "drop-former": "dropped: it is gone",
    rename: "renamed: it has the name",
  };
  if (DRILL_USERS !== undefined) return ["recorded: 2026-11-22T12:00:00Z"];
  if (command.join(" ").includes("pg_current_wal_flush_lsn")) return ["caught up: nobody uses it any more, after 0 s"];
  const isFill = command.join(" ").includes("pg_restore --no-owner");
  const counted = isFill ? `users: 7 in database ${RESTORED_ID}` : "users: 7 user(s)";
  const prepared = DB_CLOSE_OTHER === "true" ? "done: of its logins, only one can use it" : "done: it can be used";
  return ["a line before", words[ACTION] ?? (command[1] === "-c" ? counted : prepared)];
}
