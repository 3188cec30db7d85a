import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { temporaryFolder } from "./temporary-folder";

/** What a program does at a call; its own work follows, unless that ends it. The real program is `"$program" "$@"`. */
export interface ProgramFault {
  readonly shell: string;
}

/** Prints words and exits. */
export const exits = (code: number, words = ""): ProgramFault => ({
  shell: `printf '%s' '${words && `${words}\n`}' >&2; exit ${code}`,
});

/** The real program does its work, but reports a failure. */
export const LOST: ProgramFault = { shell: '"$program" "$@" >/dev/null; exit 1' };

/** The script that has started it is told to end. */
export const STOPS: ProgramFault = { shell: "kill -TERM $PPID" };

/** The real program gets what this command makes of the input, as if that were all. */
export const receives = (filter: string): ProgramFault => ({
  shell: `${filter} | "$program" "$@"; cat >/dev/null; exit`,
});

/** Hangs, after a part of its work; `ProgramStandIn.hanging` tells when. */
export const hangs = (after = ":"): ProgramFault => ({
  shell: `${after}; exec >/dev/null 2>&1; echo $$ >"\${0%/*}/hanging"; exec sleep 3600`,
});

/** Programs that give other answers at some calls, and do their own work at all others. */
export class ProgramStandIn {
  private readonly folder = temporaryFolder();
  private readonly faults = new Map<string, { readonly fault?: ProgramFault; readonly until: number }[]>();

  /** @param own shell text of programs whose own work is not that of the real ones. */
  constructor(private readonly own: Readonly<Record<string, string>> = {}) {
    for (const program of Object.keys(own)) this.write(program);
  }

  /** Gives the next `times` calls another answer, or with undefined the program's own. */
  inject(program: string, fault: ProgramFault | undefined, times = 1): void {
    const faults = this.faults.get(program) ?? [];
    this.faults.set(program, [...faults, { fault, until: (faults.at(-1)?.until ?? 0) + times }]);
    this.write(program);
  }

  /** How often a program was called in which there are faults, or that is the test's. */
  callsTo(program: string): number {
    return Number(this.note(`${program}.calls`));
  }

  /** A search path with these programs before the others. */
  before(path: string): string {
    return `${this.folder}${delimiter}${path}`;
  }

  /** Process id of a program that hangs, once one does. */
  async hanging(): Promise<number> {
    while (!this.note("hanging").endsWith("\n")) await pause(5, undefined, { ref: false });
    return Number(this.note("hanging"));
  }

  private note(name: string): string {
    const path = join(this.folder, name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  private write(program: string): void {
    const answers = (this.faults.get(program) ?? []).map(({ fault, until }) => {
      const isNow = until === Infinity ? ":" : `[ "$call" -le ${until} ]`;
      return `elif ${isNow}; then\n${fault?.shell ?? ":"}\n`;
    });
    const text = `#!/bin/sh
PATH=\${PATH#*:} program=${program}
read -r call <"$0.calls"
call=$((call + 1))
echo "$call" >"$0.calls"
if false; then :
${answers.join("")}fi
${this.own[program] ?? 'exec "$program" "$@"'}
`;
    writeFileSync(join(this.folder, `${program}.calls`), "0\n");
    writeFileSync(join(this.folder, program), text);
    chmodSync(join(this.folder, program), 0o755);
  }
}
