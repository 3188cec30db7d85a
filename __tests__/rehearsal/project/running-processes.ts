import { ENTRYPOINT_COMMANDS } from "../../../lib/idp/worker-mode";
import { textsIn, type Value, membersOf } from "./terraform-value";

/** A process of the application. */
export type Process = "server" | "worker";

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
