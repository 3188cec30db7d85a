import { cpSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Files of a real deployment in the folder: its state, and what an init has left. */
const OWNERS_FILES = /^\.terraform|\.tfstate(\.backup)?$/;

/** Overrides the folder's backend, so that a rehearsal never writes there. */
const OWN_STATE = JSON.stringify({ terraform: { backend: { local: {} } } });

/** Copies a synthesized folder to an empty folder, where it has its own state. */
export function copyFolder(source: string, target: string): void {
  cpSync(source, target, { recursive: true, filter: (path) => !OWNERS_FILES.test(basename(path)) });
  writeFileSync(join(target, "rehearsal_override.tf.json"), OWN_STATE);
}
