import { GoogleStandIn } from "./google-stand-in";
import { runScript, type ScriptName, type ScriptOptions, type ScriptRun } from "./google-stand-in-scripts";

/** Scripts with the APIs that they call. */
export interface ApiScene {
  readonly standIn: GoogleStandIn;
  readonly run: (script: ScriptName, options?: ScriptOptions) => Promise<ScriptRun>;
  /** Methods of the calls that changed something, in order. */
  readonly changes: () => readonly string[];
}

/** Methods of Resource Manager that are sent with POST, although they only read. */
const READING = /\.get(Ancestry|IamPolicy)$/;

/** With settings of the scripts, and a stand-in that is started or will be. */
export function apiScene(settings: ScriptOptions["environment"], standIn = new GoogleStandIn()): ApiScene {
  const own = { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", PROJECT_ID: "demo-project", ...settings };
  return {
    standIn,
    run: (script, { environment, ...options } = {}) =>
      runScript(script, { ...options, environment: { ...standIn.environment, ...own, ...environment } }),
    changes: () =>
      standIn.requests
        .filter(({ httpMethod, method }) => httpMethod !== "GET" && !READING.test(method))
        .map(({ method }) => method),
  };
}

/** Makes tests that have a scene of their own each, and so run at the same time. */
export const scenarioIn =
  <S>(inScene: (test: (scene: S) => Promise<void>) => Promise<void>) =>
  (what: string, test: (scene: S) => Promise<void>): void => {
    it.concurrent(what, () => inScene(test));
  };

/** Every test has a stand-in of its own, so that tests run at the same time. */
export async function inApiScene(
  settings: ScriptOptions["environment"],
  test: (scene: ApiScene) => Promise<void>,
): Promise<void> {
  const scene = apiScene(settings);
  await scene.standIn.start();
  try {
    await test(scene);
    expect(scene.standIn.mistakes).toEqual([]);
  } finally {
    await scene.standIn.stop();
  }
}
