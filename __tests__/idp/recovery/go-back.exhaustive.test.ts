import { jobName } from "../../../lib/core/names";
import { DB_INIT_JOB } from "../../../lib/idp/contract";
import { runFile, type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { blocksIn, pageOf } from "../../tools/pages";
import { ApplicationStandIn, DEPLOYMENT } from "./application-stand-in";
import { CLUSTER_INIT_JOB, KubectlStandIn, NAMESPACE } from "./kubectl-stand-in";
import { DATABASE, INIT_JOB, inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

const NEWER = "2026.5.8";
const EARLIER = "2026.5.4";

const SECTION =
  pageOf("stacks/identity-provider.md").text.split("\n### Go back to an earlier release\n")[1]?.split("\n### ")[0] ??
  "";
const BLOCKS = blocksIn(SECTION, "sh").map((block) => block.trim().split("\n"));

/** The steps in their order, and what the page says to do after an apply that fails. */
const STEPS = BLOCKS.slice(0, -1).flat();
const AFTER_A_FAILURE = BLOCKS.at(-1) ?? [];

const isOfWorkers = (command: string): boolean => /\*\}-w(?:orker)?"/.test(command);

interface Scene {
  readonly platform: "Cloud Run" | "GKE";
  readonly hasWorkers: boolean;
  readonly failsWithoutInstances?: boolean;
}

interface Outcome extends ScriptRun {
  /** What runs when the restore begins. */
  readonly atRestore: readonly (readonly string[])[];
  /** What runs in the end. */
  readonly running: readonly string[];
  /** The release that has migrated the database. */
  readonly database: string;
}

/** Runs commands of the page as one script, without those for the other platform and for parts that there are not. */
async function outcomeOf(commands: readonly string[], scene: Scene): Promise<Outcome> {
  const { failsWithoutInstances, hasWorkers, platform } = scene;
  const other = platform === "GKE" ? "gcloud" : "kubectl";
  const own = commands.filter((line) => !line.startsWith(other) && (hasWorkers || !isOfWorkers(line)));
  const cluster = platform === "GKE" ? await KubectlStandIn.start() : undefined;
  const place: Record<string, string> =
    cluster === undefined ? { INIT_JOB, REGION: "us-central1" } : { INIT_JOB: CLUSTER_INIT_JOB, NAMESPACE };
  const application = new ApplicationStandIn({
    ...{ hasWorkers, failsWithoutInstances, release: NEWER },
    kubectl: cluster && `${cluster.programs}/kubectl`,
    settings: { PROJECT_ID: PROJECT, INSTANCE, DATABASE, ADMINISTRATOR_SECRET: "administrator", ...place },
  });
  const atRestore: string[][] = [];
  const runs: ScriptRun[] = [];
  await inSqlScene(async ({ standIn }) => {
    standIn.sql.addBackup(PROJECT, INSTANCE, { description: `before ${NEWER}` });
    standIn.onRequest = ({ method }) => {
      if (!method.endsWith("restoreBackup")) return;
      atRestore.push(application.running);
      application.database = EARLIER;
    };
    runs.push(
      await runFile(application.file(own), {
        programs: application.programs,
        environment: { ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", LOG_SECONDS: "0" },
        input: "yes\n",
      }),
    );
  });
  const { database, running } = application;
  const [run = { exitCode: null, stdout: "", stderr: "", output: "" }] = runs;
  return { ...run, atRestore, database, running };
}

const SCENES: readonly Scene[] = (["Cloud Run", "GKE"] as const).flatMap((platform) =>
  [false, true].map((hasWorkers) => ({ platform, hasWorkers })),
);

describeWith(["curl", "dash", "jq"], "The page's way back to an earlier release", () => {
  it("takes the name of the server from that of the job", () => {
    expect(jobName(DEPLOYMENT, DB_INIT_JOB)).toBe(INIT_JOB);
  });

  it.concurrent.each(SCENES)("restores while nothing runs, and then starts that release: %j", async (scene) => {
    const { atRestore, database, exitCode, running, stderr } = await outcomeOf(STEPS, scene);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(atRestore).toEqual([[]]);
    expect(database).toBe(EARLIER);
    expect(running).toEqual([`server ${EARLIER}`, ...(scene.hasWorkers ? [`worker ${EARLIER}`] : [])]);
  });

  it.concurrent("would end on a migrated database with a worker pool that is only scaled to zero", async () => {
    const commands = STEPS.map((command) =>
      command.replace(/worker-pools delete (.*) --quiet/, "worker-pools update $1 --scaling=0"),
    );
    expect(commands).not.toEqual(STEPS);
    const { database } = await outcomeOf(commands, { platform: "Cloud Run", hasWorkers: true });

    expect(database).toBe(NEWER);
  });

  it.concurrent.each([false, true])(
    "recovers from an apply that failed because a service had no instances, with separate workers: %j",
    async (hasWorkers) => {
      const apply = STEPS.findIndex((command) => command.includes(" apply "));
      const failed = [...STEPS.slice(0, apply), `! ${String(STEPS[apply])}`];
      const { atRestore, database, exitCode, running } = await outcomeOf([...failed, ...AFTER_A_FAILURE], {
        ...{ platform: "Cloud Run", hasWorkers, failsWithoutInstances: true },
      });

      expect(exitCode).toBe(0);
      expect(atRestore).toEqual([[]]);
      expect(database).toBe(EARLIER);
      expect(running).toEqual([`server ${EARLIER}`, ...(hasWorkers ? [`worker ${EARLIER}`] : [])]);
    },
  );
});
