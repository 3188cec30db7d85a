import { LOGS_OF, logCommand, type Alert, type AlertNames, type Platform } from "./alert";
import { usedUp } from "./utilization";

const pool = ({ worker }: AlertNames): string =>
  `monitored_resource="cloud_run_worker_pool", worker_pool_name="${worker}"`;

const container = ({ namespace }: AlertNames): string =>
  `monitored_resource="k8s_container", namespace_name="${namespace}", container_name="worker"`;

const selectors = { serverless: pool, kubernetes: container };

/** A line of the entrypoint. */
const WORKER_ENDED = 'textPayload:"worker ended with exit code"';

/** Alerts about workers: beside the server, supervised by the entrypoint, or separate. */
export const WORKER_ALERTS: readonly Alert[] = [
  {
    id: "worker-down",
    title: "the worker ended",
    severity: "ERROR",
    needs: ["workerInContainer"],
    on: {
      serverless: { filter: (names) => `${LOGS_OF.worker(names, "serverless")} ${WORKER_ENDED}` },
      kubernetes: { filter: (names) => `${LOGS_OF.worker(names, "kubernetes")} ${WORKER_ENDED}` },
    },
    firstSteps: (names, platform) =>
      `Mail and background tasks wait. It is restarted after a pause; see whether it keeps running: \`${logCommand(LOGS_OF.worker(names, platform), names)}\`. If it ends repeatedly, the preceding lines say why: no database while it started, too little memory, or a setting that it refuses. A running worker outlives an outage of the database.`,
  },
  {
    id: "worker-missing",
    title: "there are fewer workers than there should be",
    severity: "ERROR",
    measures: "share of the expected workers",
    needs: ["separateWorker"],
    on: {
      serverless: {
        query: (names) =>
          `(sum(run_googleapis_com:container_instance_count{${pool(names)}}) or vector(0)) / ${names.workers}`,
        raisedWhen: "<",
        threshold: 1,
        durationSeconds: 900,
      },
      kubernetes: {
        query: (names) =>
          `(count(kubernetes_io:container_uptime{${container(names)}}) or vector(0)) / ${names.workers}`,
        raisedWhen: "<",
        threshold: 1,
        durationSeconds: 900,
      },
    },
    firstSteps: (names, platform) =>
      `Mail and background tasks wait, or take longer. ${whatWorkersSaid(names, platform)}`,
  },
  {
    id: "worker-cpu",
    title: "the CPU of the workers is used up",
    severity: "WARNING",
    measures: "share of the CPU",
    needs: ["separateWorker"],
    on: usedUp("cpu", selectors, 1800),
    firstSteps: (names, platform) =>
      `Tasks queue up, and mail is late. Raise \`${names.called(platform === "serverless" ? "workerCount" : "workerMaxCount")}\` or \`${names.called("workerCpu")}\`. ${whatWorkersSaid(names, platform)}`,
  },
  {
    id: "worker-memory",
    title: "the memory of the workers is nearly used up",
    severity: "WARNING",
    measures: "share of the memory",
    needs: ["separateWorker"],
    on: usedUp("memory", selectors, 600),
    firstSteps: (names, platform) =>
      `A worker that needs more is killed, and its tasks are tried again. Raise \`${names.called("workerMemory")}\`, or lower \`${names.called("workerProcesses")}\`. ${whatWorkersSaid(names, platform)}`,
  },
];

function whatWorkersSaid(names: AlertNames, platform: Platform): string {
  return `Their log: \`${logCommand(LOGS_OF.separateWorker(names, platform), names)}\``;
}
