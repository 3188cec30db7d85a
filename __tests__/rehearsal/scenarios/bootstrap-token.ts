import { type ChangeScenario } from "../engine/journey";
import { withInputs } from "./every-stack";

/** Inputs with a token. */
export const WITH_TOKEN = { bootstrap_token: true };

const SECRET = "google_secret_manager_secret.secrets_bootstrap_token[0]";
const VERSION = "google_secret_manager_secret_version.secrets_bootstrap_token_version[0]";

/** A token for the application's API, whose value nothing but the container and the secret store may know. */
export const bootstrapToken = (others: ChangeScenario["expected"]): ChangeScenario => ({
  name: "a token for the application's API",
  change: withInputs(WITH_TOKEN),
  expected: { [SECRET]: "create", [VERSION]: "create", ...others },
});
