import { GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, runScript, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";

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
  const run = (service: string, { environment, ...options }: ScriptOptions = {}) =>
    runScript("wait-for-api", { ...options, environment: { ...project, SERVICE: service, ...environment } });
  const enable = (service: string, options: ScriptOptions = {}) =>
    run(service, { arguments: ["--enable"], ...options });
  try {
    return await test({
      standIn,
      lookAtApi: (options) => enable("run.googleapis.com", options),
      enable: (options) => enable("cloudresourcemanager.googleapis.com", options),
      wait: run,
      tokensUsed: () => standIn.requestsTo(READ_STATE).map(({ headers }) => headers.authorization),
    });
  } finally {
    await standIn.stop();
  }
}

/** A gcloud whose two commands for a token run shell commands of the test. */
export function gcloud(commands: { readonly applicationDefault?: string; readonly user?: string }): string {
  const failure = "echo 'ERROR: (gcloud.auth) no credentials' >&2; exit 1";
  return programFolder({
    scripts: {
      gcloud: `case "$*" in
        "auth application-default print-access-token") ${commands.applicationDefault ?? failure} ;;
        "auth print-access-token") ${commands.user ?? failure} ;;
      esac`,
    },
  });
}

export const WITHOUT_TOKEN = { GOOGLE_OAUTH_ACCESS_TOKEN: undefined };
