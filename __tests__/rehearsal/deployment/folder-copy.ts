import { cpSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What the owner of a folder has there of a real project: its state, and what an init has left. */
const OWNERS_FILES = /^\.terraform|\.tfstate(\.backup)?$/;

/** Whatever backend a folder names, nothing of a rehearsal goes there. */
const OWN_STATE = JSON.stringify({ terraform: { backend: { local: {} } } });

/** Copies a synthesized folder to an empty place, where it has a state of its own. */
export function copyFolder(source: string, target: string): void {
  cpSync(source, target, { recursive: true, filter: (path) => !OWNERS_FILES.test(basename(path)) });
  writeFileSync(join(target, "rehearsal_override.tf.json"), OWN_STATE);
}
