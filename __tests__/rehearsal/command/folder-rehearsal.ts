import { type Inputs } from "../deployment/deployment";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalOptions, type RehearsalReport } from "../engine/run-context";

interface FolderRehearsalOptions extends Omit<RehearsalOptions, "parts" | "rehearsal"> {
  /** Inputs that switch off the protection, if there is any. */
  readonly protectionOff?: Inputs;

  /** Prepares what must exist before the first apply, for example files in a bucket. */
  readonly prepare?: RehearsalOptions["rehearsal"]["prepare"];
}

/**
 * Rehearses one life of any synthesized folder. Assumes that everything that the folder does not create exists and works.
 */
export function rehearseFolder(options: FolderRehearsalOptions): Promise<RehearsalReport> {
  const { prepare, protectionOff: off } = options;
  const protection = off === undefined ? undefined : { off };
  return rehearse({
    ...options,
    parts: ["life"],
    rehearsal: { inputs: {}, externalResourcesExist: true, prepare, protection },
  });
}
