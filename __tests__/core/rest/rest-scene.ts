import { inApiScene, scenarioIn } from "../../support/api-scene";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";

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

export const inScene = (test: (scene: RestScene) => Promise<void>): Promise<void> =>
  inApiScene({ REGION: "us-central1" }, ({ run, standIn }) => {
    standIn.usage.enabled.add("run.googleapis.com");
    const wait = (service: string, { environment, ...options }: ScriptOptions = {}) =>
      run("wait-for-api", { ...options, environment: { SERVICE: service, ...environment } });
    const enable = (service: string, options: ScriptOptions = {}) =>
      wait(service, { arguments: ["--enable"], ...options });
    return test({
      standIn,
      lookAtApi: (options) => enable("run.googleapis.com", options),
      enable: (options) => enable("cloudresourcemanager.googleapis.com", options),
      wait,
      tokensUsed: () => standIn.requestsTo(READ_STATE).map(({ headers }) => headers.authorization),
    });
  });

export const scenario = scenarioIn(inScene);

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
