import { GoogleStandIn } from "../../support/google-stand-in";
import { runScript, type ScriptName, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";

export const READ_STATE = "serviceusage.services.get";

export interface RestScene {
  readonly standIn: GoogleStandIn;
  /** Runs the smallest script for an API that is already on: one call. */
  readonly lookAtApi: (options?: ScriptOptions) => Promise<ScriptRun>;
  /** Turns on an API that is off. */
  readonly enable: (options?: ScriptOptions) => Promise<ScriptRun>;
  readonly wait: (service: string, options?: ScriptOptions) => Promise<ScriptRun>;
  readonly tokensUsed: () => readonly (string | string[] | undefined)[];
}

/** Every test has its own stand-in, so that tests can run concurrently. */
export async function inScene<Result>(test: (scene: RestScene) => Promise<Result>): Promise<Result> {
  const standIn = await new GoogleStandIn().start();
  standIn.usage.enabled.add("run.googleapis.com");
  const project = {
    ...standIn.environment,
    GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first",
    PROJECT_ID: "demo-project",
    REGION: "us-central1",
  };
  const run = (script: ScriptName, { environment, ...options }: ScriptOptions = {}, service?: string) =>
    runScript(script, { ...options, environment: { ...project, SERVICE: service, ...environment } });
  try {
    return await test({
      standIn,
      lookAtApi: (options) => run("enable-api", options, "run.googleapis.com"),
      enable: (options) => run("enable-api", options),
      wait: (service, options) => run("wait-for-api", options, service),
      tokensUsed: () => standIn.requests.map(({ headers }) => headers.authorization),
    });
  } finally {
    await standIn.stop();
  }
}
