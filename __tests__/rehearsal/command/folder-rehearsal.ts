import { rmSync } from "node:fs";

import { type Inputs } from "../deployment/deployment";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalOptions, type RehearsalReport } from "../engine/run-context";

export interface FolderRehearsalOptions extends Omit<RehearsalOptions, "parts" | "rehearsal"> {
  /** Inputs that have no default. */
  readonly inputs?: Inputs;

  /** Inputs that switch off the protection; without them, a refused destroy is the end of the rehearsal. */
  readonly protectionOff?: Inputs;

  /** Prepares what must exist before the first apply, for example files in a bucket. */
  readonly prepare?: RehearsalOptions["rehearsal"]["prepare"];
}

/** Refusals to delete, by a provider, Terraform or a stack itself. */
const PROTECTION = /deletion_protection|deletion protection|prevent_destroy|force_destroy/i;

/**
 * Rehearses one life of any synthesized folder. Assumes that everything that the folder does not create exists and works.
 */
export async function rehearseFolder(options: FolderRehearsalOptions): Promise<RehearsalReport> {
  const { inputs = {}, keep = false, onProgress, prepare, protectionOff: off } = options;
  const report = await rehearse({
    ...options,
    parts: ["life"],
    rehearsal: { inputs, externalResourcesExist: true, prepare, protection: off === undefined ? undefined : { off } },
  });
  const { failure, stack, steps } = report;
  // Only a refused command counts, not a failed check after a successful one.
  const isRefused = /^destroy: (plan|apply)$/.test(failure?.step ?? "");
  const isProtected = isRefused && PROTECTION.test(failure?.message ?? "");
  if (failure === undefined || off !== undefined || !isProtected) return report;
  onProgress?.(`${stack} is protected, so it was not destroyed`);
  if (!keep) rmSync(failure.folder, { recursive: true, force: true });
  return { stack, steps };
}
