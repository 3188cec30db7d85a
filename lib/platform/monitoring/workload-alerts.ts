import { both, LOGS_OF, logCommand, type AlertNames, type Alerts, type Platform } from "./alert";

const revision = ({ workload }: AlertNames): string =>
  `monitored_resource="cloud_run_revision", service_name="${workload}"`;

const pool = ({ worker }: AlertNames): string =>
  `monitored_resource="cloud_run_worker_pool", worker_pool_name="${worker}"`;

const containers = (which: string, { namespace }: AlertNames): string =>
  `monitored_resource="k8s_container", namespace_name="${namespace}", container_name${which}`;
const server = (names: AlertNames) => containers('="server"', names);
const worker = (names: AlertNames) => containers('="worker"', names);

/** Metrics of Cloud Run and GKE for the highest utilization of an instance. */
const METRICS = {
  cpu: { serverless: "cpu", kubernetes: "cpu_limit_utilization", labels: "" },
  memory: { serverless: "memory", kubernetes: "memory_limit_utilization", labels: ', memory_type="non-evictable"' },
} as const;

function utilization(of: keyof typeof METRICS, instances: typeof pool, pods: typeof pool) {
  const { kubernetes, labels, serverless } = METRICS[of];
  return {
    serverless: (names: AlertNames) =>
      [
        "histogram_quantile(0.99, sum by (le)",
        `(rate(run_googleapis_com:container_${serverless}_utilizations_bucket{${instances(names)}}[5m])))`,
      ].join(" "),
    kubernetes: (names: AlertNames) => `max(kubernetes_io:container_${kubernetes}{${pods(names)}${labels}})`,
  };
}

/** Lines of the pool in an instance, which the entrypoint passes on. */
const WAITED_TOO_LONG = 'textPayload:"connection pool: " textPayload:"query_wait_timeout"';
const GETS_NO_CONNECTION = 'textPayload:"connection pool: no connection to the database: "';

/** Events of a pod that gets no node, in the words of a log's filter. */
const NO_NODE = 'jsonPayload.reason=("FailedScheduling" OR "FailedScaleUp")';

/** Alerts about instances and pods; workers are beside the server, supervised by the entrypoint, or separate. */
export const WORKLOAD_ALERTS: Alerts = {
  "at-maximum": {
    title: "the maximum number of instances is running",
    severity: "WARNING",
    needs: ["room"],
    queries: {
      // Idle instances live on for minutes, and those of a former revision are none of the maximum.
      serverless: (names) =>
        [
          `max(sum by (revision_name) (run_googleapis_com:container_instance_count{${revision(names)},`,
          `state="active"})) / ${names.maxInstances}`,
        ].join(" "),
      kubernetes: (names) => `count(kubernetes_io:container_uptime{${server(names)}}) / ${names.maxInstances}`,
    },
    limit: { raisedWhen: ">=", threshold: 1, durationSeconds: 600, measures: "share of the maximum" },
    firstSteps: (names, platform) =>
      [
        `Further load gets no further instances. ${whoIsBusy(names, platform)}. If the load is legitimate,`,
        `raise \`${names.nameOf("maxInstanceCount")}\`, and \`${names.nameOf("databaseTier")}\` for their`,
        `connections; if not, set \`protection\`.`,
      ].join(" "),
  },
  cpu: {
    title: "the CPU is used up",
    severity: "WARNING",
    queries: utilization("cpu", revision, server),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 900, measures: "share of the CPU" },
    firstSteps: (names, platform) =>
      [
        `Sign-ins become slow. ${whoIsBusy(names, platform)}. Raise \`${names.nameOf("containerCpu")}\`,`,
        `or \`${names.nameOf("maxInstanceCount")}\` if the alert \`at-maximum\` is raised too.`,
      ].join(" "),
  },
  memory: {
    title: "the memory is nearly used up",
    severity: "WARNING",
    queries: utilization("memory", revision, server),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 600, measures: "share of the memory" },
    firstSteps: (names, platform) =>
      [
        "An instance that needs more is killed, and its requests fail.",
        `Raise \`${names.nameOf("containerMemory")}\`. ${whoIsBusy(names, platform)}.`,
      ].join(" "),
  },
  "out-of-memory": {
    title: "an instance was killed for its memory",
    severity: "ERROR",
    filters: { serverless: outOfMemory, kubernetes: outOfMemoryOnKubernetes },
    firstSteps: (names, platform) =>
      [
        `Raise \`${names.nameOf("containerMemory")}\`, or \`${names.nameOf("workerMemory")}\` if it was a separate`,
        "worker; another instance is started meanwhile. How often this happens:",
        `\`${logCommand((platform === "serverless" ? outOfMemory : outOfMemoryOnKubernetes)(names), names, "1d")}\``,
      ].join(" "),
  },
  "no-instance": {
    title: "requests found no instance",
    severity: "ERROR",
    filters: { serverless: noInstance },
    firstSteps: (names) =>
      [
        `Clients got 429 or 500. How many, and when: \`${logCommand(noInstance(names), names)}\`.`,
        `Raise \`${names.nameOf("maxInstanceCount")}\`, with \`${names.nameOf("databaseTier")}\` for their`,
        `connections, or \`${names.nameOf("minInstanceCount")}\` if the load comes suddenly.`,
      ].join(" "),
  },
  startup: {
    title: "an instance takes long to start",
    severity: "WARNING",
    queries: {
      serverless: (names) =>
        [
          "histogram_quantile(0.99, sum by (le)",
          `(increase(run_googleapis_com:container_startup_latencies_bucket{${revision(names)}}[10m])))`,
        ].join(" "),
    },
    // Three quarters of the time that the startup probe allows by default; change both together.
    limit: { raisedWhen: ">", threshold: 480_000, durationSeconds: 0, measures: "ms for the slowest start" },
    firstSteps: (names, platform) =>
      [
        "If it is not ready when the startup probe gives up, by default after eleven minutes, it is killed,",
        `and a migration starts over. Its log: \`${logCommand(LOGS_OF.workload(names, platform), names)}\`.`,
        `Raise \`${names.nameOf("containerCpu")}\` or \`${names.nameOf("databaseTier")}\`,`,
        `and \`${names.nameOf("minInstanceCount")}\` so that nobody waits for a start.`,
      ].join(" "),
  },
  restarts: {
    title: "a container restarts repeatedly",
    severity: "ERROR",
    queries: {
      kubernetes: (names) =>
        `sum(increase(kubernetes_io:container_restart_count{${containers('=~"server|worker"', names)}}[1h]))`,
    },
    // A pod that dies at the end of its start needs eleven minutes for each.
    limit: { raisedWhen: ">", threshold: 3, durationSeconds: 60, measures: "restarts in 1 h" },
    firstSteps: (names, platform) =>
      [
        `Why it last ended: \`kubectl --namespace ${names.namespace} describe pods\`; OOMKilled:`,
        `raise \`${names.nameOf("containerMemory")}\`, or \`${names.nameOf("workerMemory")}\` for a separate`,
        `worker. Its log: \`${logCommand(LOGS_OF.workload(names, platform), names)}\``,
      ].join(" "),
  },
  unschedulable: {
    title: "a pod gets no node",
    severity: "ERROR",
    queries: {
      // Of GKE's kube state metrics, which Autopilot has by default. Of each pod there is a sample every 30 seconds
      // while it waits, and none else, so their number is a time, and pods that wait one after the other do not add up.
      kubernetes: ({ namespace, workload }) =>
        [
          `max(count_over_time(kube_pod_status_unschedulable{monitored_resource="prometheus_target",`,
          `namespace="${namespace}", pod=~"${workload}-.*"}[11m])) / 2`,
        ].join(" "),
    },
    // Autopilot needs up to three minutes for a node.
    limit: { raisedWhen: ">=", threshold: 10, durationSeconds: 0, measures: "minutes of the last 11 that a pod waits" },
    firstSteps: (names) =>
      [
        "The old pods keep serving, and the waiting one adds nothing. Why it waits:",
        `\`${logCommand(`${LOGS_OF.events(names, "Pod", names.workload)} ${NO_NODE}`, names)}\`.`,
        `Usually a quota of the region is used up: raise it, or lower \`${names.nameOf("maxInstanceCount")}\`,`,
        `\`${names.nameOf("containerCpu")}\` or \`${names.nameOf("containerMemory")}\`.`,
      ].join(" "),
  },
  "failed-rollout": {
    title: "a new version does not start",
    severity: "ERROR",
    filters: {
      serverless: (names) =>
        [
          `${LOGS_OF.workload(names, "serverless")} severity=ERROR protoPayload.response.kind="Revision"`,
          `protoPayload.status.message:"Ready condition status changed to False"`,
        ].join(" "),
      kubernetes: (names) =>
        [
          LOGS_OF.events(names, "Pod", names.workload),
          `jsonPayload.involvedObject.name=~"^${podOfDeployment(names)}$" jsonPayload.reason=("BackOff" OR`,
          `"FailedMount")`,
        ].join(" "),
    },
    firstSteps: (names, platform) =>
      [
        "The old version keeps serving. The log of the new one:",
        `\`${logCommand(`${LOGS_OF.workload(names, platform)} severity>=WARNING`, names)}\`.`,
        "Fix the cause and apply again. After an upgrade, an earlier release needs the backup that was made before",
        "it.",
      ].join(" "),
  },
  "container-ended": {
    title: "a container ended by itself",
    severity: "WARNING",
    filters: {
      // With an exit code other than that of a container that was told to stop.
      serverless: (names) =>
        [
          `${LOGS_OF.workload(names, "serverless")} log_id("run.googleapis.com/varlog/system")`,
          `textPayload:"Container called exit(" NOT textPayload:("exit(0)" OR "exit(143)")`,
        ].join(" "),
    },
    firstSteps: (names, platform) =>
      [
        "Another one is started. The preceding lines say why it ended:",
        `\`${logCommand(LOGS_OF.workload(names, platform), names)}\`.`,
        "A running one outlives an outage of the database, and one that starts does not.",
      ].join(" "),
  },
  "worker-down": {
    title: "the worker ended",
    severity: "ERROR",
    needs: ["workerInContainer"],
    filters: both(
      (names, platform) => `${LOGS_OF.entrypoint(names, platform)} textPayload:"worker ended with exit code"`,
    ),
    firstSteps: (names, platform) =>
      [
        "Mail and background tasks wait. It is restarted after a pause; see whether it keeps running:",
        `\`${logCommand(LOGS_OF.entrypoint(names, platform), names)}\`. If it ends repeatedly,`,
        "the preceding lines say why: no database while it started, too little memory,",
        "or a setting that it refuses. A running worker outlives an outage of the database.",
      ].join(" "),
  },
  "pool-exhausted": {
    title: "a request got no database connection in time",
    severity: "ERROR",
    needs: ["connectionPool"],
    filters: both((names, platform) => `${LOGS_OF.entrypoint(names, platform)} ${WAITED_TOO_LONG}`),
    firstSteps: (names, platform) =>
      [
        "It failed after waiting for a connection of its instance's pool. How often:",
        `\`${logCommand(`${LOGS_OF.entrypoint(names, platform)} ${WAITED_TOO_LONG}`, names)}\`.`,
        `If \`database-cpu\` is raised too, the database is slow; otherwise an instance needs more connections.`,
        `\`${names.nameOf("databaseTier")}\` helps both; a lower \`${names.nameOf("maxInstanceCount")}\` gives each`,
        "instance a larger share.",
      ].join(" "),
  },
  "pool-without-database": {
    title: "the database gives an instance no connection",
    severity: "ERROR",
    needs: ["connectionPool"],
    filters: both((names, platform) => `${LOGS_OF.entrypoint(names, platform)} ${GETS_NO_CONNECTION}`),
    firstSteps: (names, platform) =>
      [
        "Its requests fail. The line ends with the reason, in the database's own words:",
        `\`${logCommand(`${LOGS_OF.entrypoint(names, platform)} ${GETS_NO_CONNECTION}`, names)}\`.`,
        '"connect failed": the database is away, or the way to it is closed.',
        '"password authentication failed": the password has changed; start new instances.',
        '"remaining connection slots" or "too many connections": others use the database too;',
        `raise \`${names.nameOf("databaseTier")}\`.`,
      ].join(" "),
  },
  "worker-missing": {
    title: "there are fewer workers than there should be",
    severity: "ERROR",
    needs: ["separateWorker"],
    queries: {
      serverless: (names) =>
        `(sum(run_googleapis_com:container_instance_count{${pool(names)}}) or vector(0)) / ${names.workers}`,
      kubernetes: (names) =>
        `(count(kubernetes_io:container_uptime{${worker(names)}}) or vector(0)) / ${names.workers}`,
    },
    limit: { raisedWhen: "<", threshold: 1, durationSeconds: 600, measures: "share of the expected workers" },
    firstSteps: (names, platform) =>
      `Mail and background tasks wait, or take longer. ${whatWorkersSaid(names, platform)}`,
  },
  "worker-cpu": {
    title: "the CPU of the workers is used up",
    severity: "WARNING",
    needs: ["separateWorker"],
    queries: utilization("cpu", pool, worker),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 1800, measures: "share of the CPU" },
    firstSteps: (names, platform) =>
      [
        "Tasks queue up, and mail is late. Raise",
        `\`${names.nameOf(platform === "serverless" ? "workerCount" : "workerMaxCount")}\` or`,
        `\`${names.nameOf("workerCpu")}\`. ${whatWorkersSaid(names, platform)}`,
      ].join(" "),
  },
  "worker-memory": {
    title: "the memory of the workers is nearly used up",
    severity: "WARNING",
    needs: ["separateWorker"],
    queries: utilization("memory", pool, worker),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 600, measures: "share of the memory" },
    firstSteps: (names, platform) =>
      [
        "A worker that needs more is killed, and its tasks are tried again.",
        `Raise \`${names.nameOf("workerMemory")}\`, or lower \`${names.nameOf("workerProcesses")}\`.`,
        whatWorkersSaid(names, platform),
      ].join(" "),
  },
};

/** Excludes jobs: their pods have names with more parts, and an alert of their own. */
function podOfDeployment({ worker, workload }: AlertNames): string {
  return `(${workload}|${worker})-[0-9a-z]{6,10}-[0-9a-z]{5}`;
}

/**
 * What the node tells the API server of a container that ended, as Google's queries for the audit log of GKE have it.
 * No metric without further packages has the reason, and the node's own log has no namespace. Only the first entry has
 * it as the present state.
 */
function outOfMemoryOnKubernetes(names: AlertNames): string {
  return [
    `resource.type="k8s_cluster" log_id("cloudaudit.googleapis.com/activity")`,
    `protoPayload.methodName="io.k8s.core.v1.pods.status.patch"`,
    `protoPayload.resourceName=~"/namespaces/${names.namespace}/pods/${podOfDeployment(names)}/status$"`,
    `protoPayload.request.status.containerStatuses.state.terminated.reason="OOMKilled"`,
  ].join(" ");
}

function outOfMemory(names: AlertNames): string {
  return [
    `${LOGS_OF.workload(names, "serverless")} log_id("run.googleapis.com/varlog/system")`,
    `(textPayload:"Out-of-memory event detected in container" OR textPayload:"Consider increasing the memory`,
    `limit")`,
  ].join(" ");
}

function noInstance(names: AlertNames): string {
  return [
    `${LOGS_OF.workload(names, "serverless")} textPayload:"The request was aborted because there was no available`,
    `instance"`,
  ].join(" ");
}

function whoIsBusy(names: AlertNames, platform: Platform): string {
  return platform === "serverless"
    ? `Who sends the requests: \`${logCommand(LOGS_OF.requests(names), names)}\``
    : `The busiest pods: \`kubectl --namespace ${names.namespace} top pods --containers\``;
}

function whatWorkersSaid(names: AlertNames, platform: Platform): string {
  return `Their log: \`${logCommand(LOGS_OF.separateWorker(names, platform), names)}\``;
}
