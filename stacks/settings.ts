import { type DeploymentSettings } from "../lib/core/inputs/settled-inputs";
import { parseStateBackend, type StateBackend } from "../lib/core/state-backend";

/** Settings that a synthesis reads from environment variables; everything else is a Terraform input. */
export interface Settings {
  readonly backend: StateBackend;
}

/** The only setting: the backend for the state of all stacks. */
export const STATE_BACKEND = "STATE_BACKEND";

/** Reads the settings. @throws RulesBrokenError when the value is invalid */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  return Object.freeze({ backend: parseStateBackend(STATE_BACKEND, environment[STATE_BACKEND]) });
}

/** Props of a stack. */
export interface StackSettings extends Partial<Settings> {
  /** Settings for a folder with only the parts of one deployment. @default - a folder for any deployment */
  readonly deployment?: DeploymentSettings;
}
