import { ENTRYPOINT_COMMANDS } from "../../../lib/idp/worker-mode";
import { textsIn, type Value, membersOf } from "./terraform-value";

/** A process of the application. */
export type Process = "server" | "worker";

/** What ran after a workload had changed, or while it had nothing to run. */
export interface Moment {
  /** Type and identity of the workload. */
  readonly workload: string;
  /** Processes of everything that ran, by type and identity. */
  readonly running: ReadonlyMap<string, readonly Process[]>;
}

/** Processes that the image's entrypoint starts, by its first argument. */
const STARTED: Readonly<Record<string, readonly Process[]>> = {
  server: ["server", "worker"],
  [ENTRYPOINT_COMMANDS.allInOne]: ["server", "worker"],
  [ENTRYPOINT_COMMANDS.serverAlone]: ["server"],
  [ENTRYPOINT_COMMANDS.worker]: ["worker"],
};

/** The processes in a container of the image; its own command is the server. */
export function processesIn(container: Value): readonly Process[] {
  const args = typeof container === "object" && container !== null && "args" in container ? container.args : null;
  const [command = "server"] = textsIn(membersOf(args));
  return STARTED[command] ?? [];
}

/** Which processes of the application run, and have run at every moment so far. */
export class RunningProcesses {
  readonly moments: Moment[] = [];
  private current: ReadonlyMap<string, readonly Process[]> = new Map();

  /** A workload runs these from now on, and nothing else. */
  start(workload: string, processes: readonly Process[]): void {
    this.become(workload, [...this.others(workload), [workload, processes]]);
  }

  /** Nothing of a workload runs from now on. */
  stop(workload: string): void {
    if (this.current.has(workload)) this.become(workload, this.others(workload));
  }

  /** What a workload runs. */
  of(workload: string): readonly Process[] {
    return this.current.get(workload) ?? [];
  }

  /** Forgets the moments so far, but not what runs. */
  beginAnew(): void {
    this.moments.length = 0;
  }

  copy(): RunningProcesses {
    const copy = new RunningProcesses();
    copy.current = this.current;
    copy.moments.push(...this.moments);
    return copy;
  }

  private others(workload: string): [string, readonly Process[]][] {
    return [...this.current].filter(([other]) => other !== workload);
  }

  private become(workload: string, running: [string, readonly Process[]][]): void {
    this.current = new Map(running);
    this.moments.push({ workload, running: this.current });
  }
}
