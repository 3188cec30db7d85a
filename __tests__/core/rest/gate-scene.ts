import { GoogleStandIn } from "../../support/google-stand-in";
import { runScript, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";

export const PROJECT = { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", PROJECT_ID: "demo-project", REGION: "us-central1" };

interface Scene {
  readonly standIn: GoogleStandIn;
  readonly enable: (options?: ScriptOptions) => Promise<ScriptRun>;
  readonly wait: (service: string, options?: ScriptOptions) => Promise<ScriptRun>;
}

/** Every test has its own stand-in, so that tests can run concurrently. */
export async function inScene(test: (scene: Scene) => Promise<void>): Promise<void> {
  const standIn = await new GoogleStandIn().start();
  try {
    await test({
      standIn,
      enable: (options = {}) =>
        runScript("enable-api", {
          ...options,
          environment: { ...standIn.environment, ...PROJECT, ...options.environment },
        }),
      wait: (service, options = {}) =>
        runScript("wait-for-api", {
          ...options,
          environment: { ...standIn.environment, ...PROJECT, SERVICE: service, ...options.environment },
        }),
    });
  } finally {
    await standIn.stop();
  }
}
