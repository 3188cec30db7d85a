import { Job } from "kubernetes-models/batch/v1/Job";

import { scenarioIn } from "../../support/api-scene";
import { FaultMatrix } from "../../support/fault-matrix";
import { type ScriptName, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";
import { exits, hangs, ProgramStandIn, STOPS } from "../../support/program-stand-in";
import { describeWith } from "../../support/programs";
import { CLUSTER_DUMP_JOB, CLUSTER_INIT_JOB, type ClusterJob, KubectlStandIn, NAMESPACE } from "./kubectl-stand-in";
import { CONNECTION, DATABASE, expectNothingLeft, inSqlScene, type SqlScene } from "./sql-scene";

const TIME = "2026-11-22T11:00:00Z";
const PROXY_PORT = "5433";

/** A scene whose jobs run in a cluster. */
interface ClusterScene extends SqlScene {
  readonly cluster: KubectlStandIn;
  readonly programs: ProgramStandIn;
}

async function inCluster(test: (scene: ClusterScene) => Promise<void>): Promise<void> {
  const cluster = await KubectlStandIn.start();
  const sources = cluster.there;
  const programs = new ProgramStandIn();
  await inSqlScene(async (scene) => {
    const run = (script: ScriptName, options: ScriptOptions = {}): Promise<ScriptRun> =>
      scene.run(script, {
        ...options,
        programs: programs.before(cluster.programs),
        environment: {
          NAMESPACE,
          REGION: "",
          INIT_JOB: CLUSTER_INIT_JOB,
          DUMP_JOB: CLUSTER_DUMP_JOB,
          ...options.environment,
        },
      });
    await test({ ...scene, run, cluster, programs });
    // Nothing runs on Cloud Run, and the copies are gone.
    expect(scene.standIn.requests.filter(({ method }) => method.startsWith("run."))).toEqual([]);
    expect(cluster.there).toEqual(sources);
  });
}

const scenario = scenarioIn(inCluster);

function variablesOf({ spec }: ClusterJob): Readonly<Record<string, string | undefined>> {
  const [container] = spec.template.spec.containers;
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
}

/** Arguments of the proxy that are no options: the instances. */
function instancesOf({ spec }: ClusterJob): string[] {
  const [proxy] = spec.template.spec.initContainers;
  return (proxy?.args ?? []).filter((word) => !word.startsWith("--"));
}

/** Fails unless the cluster accepts the job, and it is a copy of db-init that runs once and is removed in the end. */
function expectCopy(job: ClusterJob): void {
  expect(() => new Job(job).validate()).not.toThrow();
  expect(job.metadata).toEqual({
    name: expect.stringMatching(new RegExp(`^${CLUSTER_INIT_JOB}-[0-9a-f]{8}-restore$`)) as string,
    namespace: NAMESPACE,
    labels: {
      "copy-for": expect.stringMatching(/^restore-[0-9a-f]{8}$/) as string,
      "copy-run": expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    },
  });
  const { metadata, spec } = job.spec.template;
  // The label by which the network policy lets it out stays, those of the original's own pods go.
  expect(metadata.labels).toEqual({ "app.kubernetes.io/component": "db-init", "app.kubernetes.io/name": "idp" });
  // The original's ten minutes are too few for a restore. What a killed one leaves, the cluster removes.
  expect([spec.activeDeadlineSeconds, job.spec.activeDeadlineSeconds]).toEqual([3600, 3600]);
  expect([spec.restartPolicy, job.spec.backoffLimit, job.spec.ttlSecondsAfterFinished]).toEqual(["Never", 0, 3600]);
}

describeWith(["busybox", "curl", "dash", "jq"], "Scripts of a restore whose jobs run in a cluster", () => {
  scenario(
    "restore to a point in time with copies of db-init that the cluster accepts",
    async ({ cluster, run, standIn }) => {
      const { exitCode, output, stderr } = await run("restore", { arguments: ["point-in-time", TIME, "--yes"] });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(output).not.toContain("geheim");
      const jobs = cluster.created;
      for (const job of jobs) expectCopy(job);
      const beside = `${DATABASE}_restored`;
      expect(jobs.map((job) => variablesOf(job).DB_NAME)).toEqual([DATABASE, beside, DATABASE, beside, DATABASE]);
      const instances = jobs.map((job) => instancesOf(job).join().replaceAll(CONNECTION, "own"));
      expect(instances.map((names) => names.replaceAll(/[^,]+:restore(-[0-9a-f]{8}){2}/g, "clone"))).toEqual([
        "own",
        "own",
        "clone",
        `own,clone?port=${PROXY_PORT}`,
        "own",
      ]);
      const [, , , copyJob] = jobs;
      expect(copyJob && variablesOf(copyJob)).toMatchObject({
        SOURCE_HOST: "127.0.0.1",
        SOURCE_PORT: PROXY_PORT,
        SOURCE_NAME: DATABASE,
      });
      expectNothingLeft({ standIn });
    },
  );

  scenario("restore a dump by a copy of the cron job, which has its volume", async ({ cluster, run }) => {
    const { exitCode, stderr } = await run("restore", {
      arguments: ["dump", "latest"],
      input: "yes\n",
      shell: "busybox",
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const names = cluster.created.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
    expect(names).toEqual(
      [CLUSTER_INIT_JOB, CLUSTER_INIT_JOB, CLUSTER_DUMP_JOB, CLUSTER_INIT_JOB].map(
        (name) => expect.stringMatching(new RegExp(`^Job ${name}-[0-9a-f]{8}-restore$`)) as string,
      ),
    );
    const [, , copy] = cluster.created;
    expect(() => new Job(copy).validate()).not.toThrow();
    const { metadata, spec } = copy?.spec.template ?? {};
    expect(metadata?.annotations).toEqual({ "gke-gcsfuse/volumes": "true" });
    expect(metadata?.labels["app.kubernetes.io/component"]).toBe("dump");
    expect(spec?.containers[0]?.command[2]).toMatch(
      /^# shellcheck shell=sh\n[^]*\nDUMP_FILE=\$DUMP_FOLDER\/latest\/idp_demo\.dump\n/,
    );
  });

  const matrix = (script: ScriptName, words: readonly string[]) =>
    new FaultMatrix<ClusterScene>({
      inScene: inCluster,
      run: ({ run }, options) => run(script, { arguments: words, ...options }),
      settled: expectNothingLeft,
      secrets: ["ya29.", "geheim"],
    });

  matrix("restore", ["drop-former", "--yes"]).rows([
    {
      what: "say what a failed job wrote last",
      at: "kubectl",
      answers: [],
      exitCode: 1,
      left: expectNothingLeft,
      before: ({ cluster }) => cluster.fails("failed: the database is in use\n"),
      says: ["failed; its last lines: failed: the database is in use"],
    },
    {
      // It would reach the deployment's own database.
      what: "copy no job whose proxy has other arguments",
      at: "kubectl",
      answers: [],
      exitCode: 1,
      before: ({ cluster }) =>
        cluster.rewriteInit((text) => text.replaceAll(`"${CONNECTION}"]`, `"${CONNECTION}","--quiet"]`)),
      says: [`The job ${CLUSTER_INIT_JOB} cannot be pointed at ${CONNECTION}: `],
      left: expectNothingLeft,
    },
    {
      what: "do not wait for a kubectl that hangs",
      at: "kubectl",
      answers: [hangs()],
      exitCode: 1,
      options: { environment: { KUBECTL_SECONDS: "1" } },
      says: ["kubectl: no answer within 1 s"],
    },
    {
      what: "end at once while kubectl hangs",
      at: "kubectl",
      answers: [hangs()],
      signal: "SIGTERM",
      exitCode: 143,
    },
    {
      what: "say why kubectl gets no answer",
      at: "kubectl",
      lasts: true,
      exitCode: 1,
      left: expectNothingLeft,
      answers: [exits(1, "Unable to connect to the server")],
      says: ["kubectl: Unable to connect to the server"],
    },
  ]);

  matrix("restore-drill", []).rows([
    {
      what: "take the job and the clone away when they are interrupted",
      at: "kubectl",
      call: 5,
      answers: [STOPS],
      exitCode: 143,
      left: (scene) => {
        expect(scene.cluster.created).toHaveLength(1);
        expectNothingLeft(scene);
      },
    },
  ]);
});
