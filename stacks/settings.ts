import { type DeploymentSettings } from "../lib/core/inputs/settled-inputs";
import { parseStateBackend, type StateBackend } from "../lib/core/state-backend";

/** Settings that a synthesis reads from environment variables; everything else is a Terraform input. */
export interface Settings {
  readonly backend: StateBackend;
}

/** The only setting: where all stacks keep their state. */
export const STATE_BACKEND = "STATE_BACKEND";

/** Reads the settings. @throws RulesBrokenError when the value is invalid */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  return Object.freeze({ backend: parseStateBackend(STATE_BACKEND, environment[STATE_BACKEND]) });
}

/** Props of a stack. */
export interface StackSettings extends Partial<Settings> {
  /** For a folder with nothing but what one deployment needs. @default - all that its inputs allow */
  readonly deployment?: DeploymentSettings;
}
