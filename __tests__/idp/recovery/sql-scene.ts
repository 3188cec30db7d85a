import { GoogleStandIn } from "../../support/google-stand-in";
import { runScript, type ScriptName, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";

export const PROJECT = "demo-project";
export const INSTANCE = "idp-demo-abc123";
export const DATABASE = "idp_demo";

const ENVIRONMENT = { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", PROJECT_ID: PROJECT, INSTANCE, DATABASE };

export interface SqlScene {
  readonly standIn: GoogleStandIn;
  readonly run: (script: ScriptName, options?: ScriptOptions) => Promise<ScriptRun>;
  /** Methods of the calls that changed something, in order. */
  readonly changes: () => readonly string[];
}

/** Every test has a project of its own, with one instance, so that tests run at the same time. */
export async function inSqlScene(test: (scene: SqlScene) => Promise<void>): Promise<void> {
  const standIn = await new GoogleStandIn().start();
  standIn.sql.make(PROJECT, INSTANCE, { [DATABASE]: 7 });
  try {
    await test({
      standIn,
      run: (script, options = {}) =>
        runScript(script, {
          ...options,
          environment: { ...standIn.environment, ...ENVIRONMENT, ...options.environment },
        }),
      changes: () => standIn.requests.filter(({ httpMethod }) => httpMethod !== "GET").map(({ method }) => method),
    });
    expect(standIn.mistakes).toEqual([]);
  } finally {
    await standIn.stop();
  }
}
