import { type Fault, GoogleStandIn } from "../../support/google-stand-in";
import { runScript, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";
import { ApiError, errorReason } from "../../support/google-stand-in-services";

export const READ_STATE = "serviceusage.services.get";

export function refusal(code: number, status: string, message: string, ...reasons: readonly string[]): Fault {
  return {
    kind: "status",
    error: new ApiError(
      code,
      status,
      message,
      reasons.map((reason) => errorReason(reason)),
    ),
  };
}

interface Scene {
  readonly standIn: GoogleStandIn;
  /** Runs the smallest script for an API that is already on: one call. */
  readonly lookAtApi: (options?: ScriptOptions) => Promise<ScriptRun>;
  readonly tokensUsed: () => readonly (string | string[] | undefined)[];
}

/** Every test has its own stand-in, so that tests can run concurrently. */
export async function inScene(test: (scene: Scene) => Promise<void>): Promise<void> {
  const standIn = await new GoogleStandIn().start();
  standIn.usage.enabled.add("run.googleapis.com");
  try {
    await test({
      standIn,
      lookAtApi: (options = {}) =>
        runScript("enable-api", {
          ...options,
          environment: {
            ...standIn.environment,
            GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first",
            PROJECT_ID: "demo-project",
            SERVICE: "run.googleapis.com",
            ...options.environment,
          },
        }),
      tokensUsed: () => standIn.requests.map(({ headers }) => headers.authorization),
    });
  } finally {
    await standIn.stop();
  }
}
