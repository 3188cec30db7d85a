import { rmSync } from "node:fs";

import { type Inputs } from "../deployment/deployment";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalOptions } from "../engine/run-context";
import { type RehearsalReport } from "../engine/rehearsal-report";

export interface FolderRehearsalOptions extends Omit<RehearsalOptions, "lifecycleOnly" | "rehearsal"> {
  /** Inputs that have no default. */
  readonly inputs?: Inputs;

  /**
   * Inputs that switch off what keeps the data.
   *
   * @default - the life of a folder whose destroy is refused by a protection ends before that
   */
  readonly protectionOff?: Inputs;

  /** What is there before the first apply and has to be described, for example files in a bucket. */
  readonly prepare?: RehearsalOptions["rehearsal"]["prepare"];
}

/** What a provider, Terraform or a stack of its own says of what it will not delete. */
const PROTECTION = /deletion_protection|deletion protection|prevent_destroy|force_destroy/i;

/**
 * One life of a synthesized folder of which nothing is known: folder in, report out. What the folder does not make itself
 * is taken to be there and to work.
 */
export async function rehearseFolder(options: FolderRehearsalOptions): Promise<RehearsalReport> {
  const { inputs = {}, keep = false, onProgress, prepare, protectionOff: off } = options;
  const report = await rehearse({
    ...options,
    lifecycleOnly: true,
    rehearsal: { inputs, othersExist: true, prepare, protection: off === undefined ? undefined : { off } },
  });
  const { failure, stack, steps } = report;
  // A command that was refused, and not what is found after one that was not.
  const isRefused = /^destroy: (plan|apply)$/.test(failure?.step ?? "");
  const isProtected = isRefused && PROTECTION.test(failure?.message ?? "");
  if (failure === undefined || off !== undefined || !isProtected) return report;
  onProgress?.(
    `${stack} is protected, so it was not destroyed; inputs that switch that off are given by --protection-off FILE`,
  );
  if (!keep) rmSync(failure.folder, { recursive: true, force: true });
  return { stack, steps };
}
