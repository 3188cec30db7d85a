import { Job } from "kubernetes-models/batch/v1/Job";

import { describeWith } from "../../support/programs";
import { CLUSTER_DUMP_JOB, CLUSTER_INIT_JOB, KubectlStandIn, NAMESPACE, type ClusterJob } from "./kubectl-stand-in";
import { CONNECTION, DATABASE, expectNothingLeft, inSqlScene, INSTANCE, PROJECT, type SqlScene } from "./sql-scene";
import { type ScriptName, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";

const TIME = "2026-11-22T11:00:00Z";
const PROXY_PORT = "5433";

/** A scene whose jobs run in a cluster. */
interface ClusterScene extends SqlScene {
  readonly cluster: KubectlStandIn;
}

async function inCluster(test: (scene: ClusterScene) => Promise<void>): Promise<void> {
  const cluster = await KubectlStandIn.start();
  const sources = cluster.there;
  await inSqlScene(async (scene) => {
    const run = (script: ScriptName, options: ScriptOptions = {}): Promise<ScriptRun> =>
      scene.run(script, {
        ...options,
        programs: cluster.programs,
        environment: {
          NAMESPACE,
          REGION: "",
          INIT_JOB: CLUSTER_INIT_JOB,
          DUMP_JOB: CLUSTER_DUMP_JOB,
          ...options.environment,
        },
      });
    await test({ ...scene, run, cluster });
    // Nothing runs on Cloud Run, and the copies are gone.
    expect(scene.standIn.requests.filter(({ method }) => method.startsWith("run."))).toEqual([]);
    expect(cluster.there).toEqual(sources);
  });
}

function clusterScenario(what: string, test: (scene: ClusterScene) => Promise<void>): void {
  it.concurrent(what, () => inCluster(test));
}

function variablesOf({ spec }: ClusterJob): Readonly<Record<string, string | undefined>> {
  const [container] = spec.template.spec.containers;
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
}

/** Arguments of the proxy that are no options: the instances. */
function instancesOf({ spec }: ClusterJob): string[] {
  const [proxy] = spec.template.spec.initContainers;
  return (proxy?.args ?? []).filter((word) => !word.startsWith("--"));
}

type Words = readonly [script: ScriptName, ...words: string[]];

/** What there is in the cluster, and what a script says of it, after which nothing is left. */
const FAILURES: readonly (readonly [
  what: string,
  arrange: (cluster: KubectlStandIn) => void,
  words: Words,
  environment: Readonly<Record<string, string>>,
  says: string,
])[] = [
  [
    "say that no job reads dumps where there is no schedule",
    () => undefined,
    ["restore", "dump", "latest", "--yes"],
    { DUMP_JOB: "idp-dump-gone" },
    "There is no job idp-dump-gone, ",
  ],
  [
    "say what kubectl says when the job is not there",
    () => undefined,
    ["restore-drill"],
    { INIT_JOB: "idp-db-init-gone" },
    'kubectl: Error from server (NotFound): job "idp-db-init-gone" not found',
  ],
  [
    "say what a failed job wrote last",
    (cluster) => {
      cluster.ends("Failed");
      cluster.prints("failed: the database has no user\n");
    },
    ["restore-drill"],
    {},
    "failed; its last lines: failed: the database has no user",
  ],
  [
    "believe a job only when its log says what it has done",
    (cluster) => cluster.prints("users: 7\n"),
    ["restore", "drop-former", "--yes"],
    {},
    'its log has no line that begins with "dropped: " after 0 s',
  ],
  ...(
    [
      ["another name", (text: string) => text.replaceAll('"database-proxy"', '"proxy"')],
      ["an option last", (text: string) => text.replaceAll(`"${CONNECTION}"]`, `"${CONNECTION}","--quiet"]`)],
    ] as const
  ).map(
    ([what, change]) =>
      [
        `copy no job whose proxy has ${what}, because it would reach the deployment's own database`,
        (cluster: KubectlStandIn) => cluster.rewriteInit(change),
        ["restore-drill"] as Words,
        {},
        `The job ${CLUSTER_INIT_JOB} cannot be pointed at ${PROJECT}:us-central1:drill-`,
      ] as const,
  ),
];

describeWith(["curl", "dash", "jq"], "Scripts of a restore whose jobs run in a cluster", () => {
  clusterScenario(
    "restore to a point in time with copies of db-init that the cluster accepts",
    async ({ cluster, run, standIn }) => {
      const { exitCode, output, stderr } = await run("restore", { arguments: ["point-in-time", TIME, "--yes"] });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(output).not.toContain("geheim");
      const jobs = cluster.created;
      for (const job of jobs) {
        expect(() => new Job(job).validate()).not.toThrow();
        expect(job.metadata).toEqual({
          name: expect.stringMatching(new RegExp(`^${CLUSTER_INIT_JOB}-[0-9a-f]{8}-restore$`)) as string,
          namespace: NAMESPACE,
          labels: {
            "copy-for": expect.stringMatching(/^restore-[0-9a-f]{8}$/) as string,
            "copy-run": expect.stringMatching(/^[0-9a-f]{8}$/) as string,
          },
        });
        // What a killed restore leaves, the cluster removes.
        expect(job.spec.ttlSecondsAfterFinished).toBe(3600);
        const { metadata, spec } = job.spec.template;
        // The label by which the network policy lets it out stays, those of the original's own pods go.
        expect(metadata.labels).toEqual({
          "app.kubernetes.io/component": "db-init",
          "app.kubernetes.io/name": "idp",
        });
        expect([spec.restartPolicy, job.spec.backoffLimit]).toEqual(["Never", 0]);
        // The original's ten minutes are too few for a restore.
        expect([spec.activeDeadlineSeconds, job.spec.activeDeadlineSeconds]).toEqual([3600, 3600]);
      }
      const databases = jobs.map((job) => variablesOf(job).DB_NAME);
      const beside = `${DATABASE}_restored`;
      expect(databases).toEqual([DATABASE, beside, DATABASE, beside, DATABASE]);
      const clone = expect.stringMatching(
        new RegExp(`^${PROJECT}:us-central1:restore-[0-9a-f]{8}-[0-9a-f]{8}$`),
      ) as string;
      const secondClone = expect.stringMatching(
        new RegExp(`:restore-[0-9a-f]{8}-[0-9a-f]{8}\\?port=${PROXY_PORT}$`),
      ) as string;
      expect(jobs.map(instancesOf)).toEqual([
        [CONNECTION],
        [CONNECTION],
        [clone],
        [CONNECTION, secondClone],
        [CONNECTION],
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

  clusterScenario("restore a dump by a copy of the cron job, which has its volume", async ({ cluster, run }) => {
    const { exitCode, stderr } = await run("restore", { arguments: ["dump", "latest"], input: "yes\n" });

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

  it.concurrent.each([["final-backup"], ["backup", "before 2026.5.8"], ["drop-former"]])("%s runs", (...words) =>
    inCluster(async ({ cluster, run, standIn }) => {
      standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: TIME });
      standIn.sql.addBackup(PROJECT, INSTANCE, { description: "before 2026.5.8" });

      expect(await run("restore", { arguments: [...words, "--yes"] })).toMatchObject({ exitCode: 0, stderr: "" });
      expect(cluster.created.map((job) => variablesOf(job).DB_NAME)).toEqual([DATABASE]);
    }),
  );

  clusterScenario("count the users of a clone in a drill, and leave nothing", async ({ run, standIn }) => {
    const { exitCode, stderr, stdout } = await run("restore-drill", { arguments: [TIME] });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(`Restored 7 user(s) as of ${TIME}: `);
    expectNothingLeft({ standIn });
  });

  it.concurrent.each(FAILURES)("%s", (_, arrange, words, environment, says) =>
    inCluster(async (scene) => {
      arrange(scene.cluster);

      const { exitCode, stderr } = await scene.run(words[0], { arguments: words.slice(1), environment });

      expect(exitCode).toBe(1);
      expect(stderr).toContain(says);
      expectNothingLeft(scene);
    }),
  );

  clusterScenario("take the job and the clone away when they are interrupted", async ({ cluster, run, standIn }) => {
    const { exitCode } = await run("restore-drill", {
      onOutput: (output, kill) => {
        if (/^Job \S+: running/m.test(output) && !output.includes("Deleting")) kill("SIGTERM");
      },
    });

    expect(exitCode).toBe(143);
    expect(cluster.created).toHaveLength(1);
    expectNothingLeft({ standIn });
  });

  clusterScenario("say at once that somebody has removed the job", async ({ cluster, run }) => {
    const { exitCode, stderr } = await run("restore", {
      arguments: ["drop-former", "--yes"],
      environment: { JOB_SECONDS: "20" },
      onOutput: (output) => {
        if (/^Job \S+: running/m.test(output)) cluster.removeCopies();
      },
    });

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/The job \S+-restore was removed by somebody else\.\n/);
  });
});
