import { parseStateBackend, type StateBackend } from "../lib/core/state-backend";

/** What the stacks take from the environment of whoever synthesizes; everything else is an input of Terraform. */
export interface Settings {
  readonly backend: StateBackend;
}

/** The one setting: where all stacks keep their state. */
const STATE_BACKEND = "STATE_BACKEND";

/**
 * Reads the settings.
 *
 * @throws RulesBrokenError when the value is not understood
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  return Object.freeze({ backend: parseStateBackend(STATE_BACKEND, environment[STATE_BACKEND]) });
}
