import { oneOf } from "../core/checked-value";
import { BASELINE_ENVIRONMENT } from "./contract";

/** Variable of the log level. */
export const LOG_LEVEL_VARIABLE = "IDP_LOG_LEVEL" satisfies keyof typeof BASELINE_ENVIRONMENT;

export const DEFAULT_LOG_LEVEL = BASELINE_ENVIRONMENT[LOG_LEVEL_VARIABLE];

/** How much the application logs. */
export const LOG_LEVEL = oneOf(["trace", "debug", "info", "warning", "error"], {
  remedy: `use ${DEFAULT_LOG_LEVEL}`,
});
