import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts, both, logCommand, LOGS_OF, type Platform } from "./alert";

const revision = ({ workload }: AlertFacts): string =>
  `monitored_resource="cloud_run_revision", service_name="${workload}"`;

const pool = ({ worker }: AlertFacts): string =>
  `monitored_resource="cloud_run_worker_pool", worker_pool_name="${worker}"`;

const containers = (which: string, { namespace }: AlertFacts): string =>
  `monitored_resource="k8s_container", namespace_name="${namespace}", container_name${which}`;
const server = (facts: AlertFacts) => containers('="server"', facts);
const worker = (facts: AlertFacts) => containers('="worker"', facts);

/** Metrics of Cloud Run and GKE for the highest utilization of an instance. */
const METRICS = {
  cpu: { serverless: "cpu", kubernetes: "cpu_limit_utilization", labels: "" },
  memory: { serverless: "memory", kubernetes: "memory_limit_utilization", labels: ', memory_type="non-evictable"' },
} as const;

function utilization(of: keyof typeof METRICS, instances: typeof pool, pods: typeof pool) {
  const { kubernetes, labels, serverless } = METRICS[of];
  return {
    serverless: (facts: AlertFacts) =>
      prose`
        histogram_quantile(0.99, sum by (le)
        (rate(run_googleapis_com:container_${serverless}_utilizations_bucket{${instances(facts)}}[5m])))
      `,
    kubernetes: (facts: AlertFacts) => `max(kubernetes_io:container_${kubernetes}{${pods(facts)}${labels}})`,
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
    needs: ["scaling"],
    queries: {
      // Idle instances run on for minutes, and instances of a former revision do not count towards the maximum.
      serverless: (facts) =>
        prose`
          max(sum by (revision_name) (run_googleapis_com:container_instance_count{${revision(facts)},
          state="active"})) / ${facts.maxInstances}
        `,
      kubernetes: (facts) => `count(kubernetes_io:container_uptime{${server(facts)}}) / ${facts.maxInstances}`,
    },
    limit: { raisedWhen: ">=", threshold: 1, durationSeconds: 600, measures: "share of the maximum" },
    firstSteps: (facts, platform) =>
      prose`
        Further load gets no further instances. ${whoIsBusy(facts, platform)}. If the load is legitimate,
        raise \`${facts.nameOf("maxInstanceCount")}\`, and \`${facts.nameOf("databaseTier")}\` for their
        connections; if not, set \`protection\`.
      `,
  },
  cpu: {
    title: "the CPU is used up",
    severity: "WARNING",
    queries: utilization("cpu", revision, server),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 900, measures: "share of the CPU" },
    firstSteps: (facts, platform) =>
      prose`
        Sign-ins become slow. ${whoIsBusy(facts, platform)}. Raise \`${facts.nameOf("containerCpu")}\`,
        or \`${facts.nameOf("maxInstanceCount")}\` if the alert \`at-maximum\` is raised too.
      `,
  },
  memory: {
    title: "the memory is nearly used up",
    severity: "WARNING",
    queries: utilization("memory", revision, server),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 600, measures: "share of the memory" },
    firstSteps: (facts, platform) =>
      prose`
        An instance that needs more is killed, and its requests fail.
        Raise \`${facts.nameOf("containerMemory")}\`. ${whoIsBusy(facts, platform)}.
      `,
  },
  "out-of-memory": {
    title: "an instance was killed for its memory",
    severity: "ERROR",
    filters: { serverless: outOfMemory, kubernetes: outOfMemoryOnKubernetes },
    firstSteps: (facts, platform) =>
      prose`
        Raise \`${facts.nameOf("containerMemory")}\`, or \`${facts.nameOf("worker.memory")}\` if it was a separate
        worker; another instance is started meanwhile. How often this happens:
        \`${logCommand((platform === "serverless" ? outOfMemory : outOfMemoryOnKubernetes)(facts), facts, "1d")}\`
      `,
  },
  "no-instance": {
    title: "requests found no instance",
    severity: "ERROR",
    filters: { serverless: noInstance },
    firstSteps: (facts) =>
      prose`
        Clients got 429 or 500. How many, and when: \`${logCommand(noInstance(facts), facts)}\`.
        Raise \`${facts.nameOf("maxInstanceCount")}\`, with \`${facts.nameOf("databaseTier")}\` for their
        connections, or \`${facts.nameOf("minInstanceCount")}\` if the load comes suddenly.
      `,
  },
  startup: {
    title: "an instance takes long to start",
    severity: "WARNING",
    queries: {
      serverless: (facts) =>
        prose`
          histogram_quantile(0.99, sum by (le)
          (increase(run_googleapis_com:container_startup_latencies_bucket{${revision(facts)}}[10m])))
        `,
    },
    // Three quarters of the time that the startup probe allows by default; change both together.
    limit: { raisedWhen: ">", threshold: 480_000, durationSeconds: 0, measures: "ms for the slowest start" },
    firstSteps: (facts, platform) =>
      prose`
        If it is not ready when the startup probe gives up, by default after eleven minutes, it is killed,
        and a migration starts over. Its log: \`${logCommand(LOGS_OF.workload(facts, platform), facts)}\`.
        Raise \`${facts.nameOf("containerCpu")}\` or \`${facts.nameOf("databaseTier")}\`,
        and \`${facts.nameOf("minInstanceCount")}\` so that nobody waits for a start.
      `,
  },
  restarts: {
    title: "a container restarts repeatedly",
    severity: "ERROR",
    queries: {
      kubernetes: (facts) =>
        `sum(increase(kubernetes_io:container_restart_count{${containers('=~"server|worker"', facts)}}[1h]))`,
    },
    // A pod that fails at the end of its start needs eleven minutes for each attempt.
    limit: { raisedWhen: ">", threshold: 3, durationSeconds: 60, measures: "restarts in 1 h" },
    firstSteps: (facts, platform) =>
      prose`
        Why it last ended: \`kubectl --namespace ${facts.namespace} describe pods\`; OOMKilled:
        raise \`${facts.nameOf("containerMemory")}\`, or \`${facts.nameOf("worker.memory")}\` for a separate
        worker. Its log: \`${logCommand(LOGS_OF.workload(facts, platform), facts)}\`
      `,
  },
  unschedulable: {
    title: "a pod gets no node",
    severity: "ERROR",
    queries: {
      // A query on GKE's kube state metrics, which Autopilot has by default. Each pod has a sample every 30 seconds
      // only while it waits, so the number of samples measures the waiting time, and pods that wait one after the other
      // do not add up.
      kubernetes: ({ namespace, workload }) =>
        prose`
          max(count_over_time(kube_pod_status_unschedulable{monitored_resource="prometheus_target",
          namespace="${namespace}", pod=~"${workload}-.*"}[11m])) / 2
        `,
    },
    // Autopilot needs up to three minutes for a node.
    limit: { raisedWhen: ">=", threshold: 10, durationSeconds: 0, measures: "minutes of the last 11 that a pod waits" },
    firstSteps: (facts) =>
      prose`
        The old pods keep serving, and the waiting one adds nothing. Why it waits:
        \`${logCommand(`${LOGS_OF.events(facts, "Pod", facts.workload)} ${NO_NODE}`, facts)}\`.
        Usually a quota of the region is used up: raise it, or lower \`${facts.nameOf("maxInstanceCount")}\`,
        \`${facts.nameOf("containerCpu")}\` or \`${facts.nameOf("containerMemory")}\`.
      `,
  },
  "failed-rollout": {
    title: "a new version does not start",
    severity: "ERROR",
    filters: {
      serverless: (facts) =>
        prose`
          ${LOGS_OF.workload(facts, "serverless")} severity=ERROR protoPayload.response.kind="Revision"
          protoPayload.status.message:"Ready condition status changed to False"
        `,
      kubernetes: (facts) =>
        prose`
          ${LOGS_OF.events(facts, "Pod", facts.workload)}
          jsonPayload.involvedObject.name=~"^${podOfDeployment(facts)}$" jsonPayload.reason=("BackOff" OR
          "FailedMount")
        `,
    },
    firstSteps: (facts, platform) =>
      prose`
        The old version keeps serving. The log of the new one:
        \`${logCommand(`${LOGS_OF.workload(facts, platform)} severity>=WARNING`, facts)}\`.
        Fix the cause and apply again. After an upgrade, an earlier release needs the backup that was made before
        it.
      `,
  },
  "container-ended": {
    title: "a container ended by itself",
    severity: "WARNING",
    filters: {
      // Exit codes other than those of a requested stop.
      serverless: (facts) =>
        prose`
          ${LOGS_OF.workload(facts, "serverless")} log_id("run.googleapis.com/varlog/system")
          textPayload:"Container called exit(" NOT textPayload:("exit(0)" OR "exit(143)")
        `,
    },
    firstSteps: (facts, platform) =>
      prose`
        Another one is started. The preceding lines say why it ended:
        \`${logCommand(LOGS_OF.workload(facts, platform), facts)}\`.
        A running one outlives an outage of the database, and one that starts does not.
      `,
  },
  "worker-down": {
    title: "the worker ended",
    severity: "ERROR",
    needs: ["workerInContainer"],
    filters: both(
      (facts, platform) => `${LOGS_OF.entrypoint(facts, platform)} textPayload:"worker ended with exit code"`,
    ),
    firstSteps: (facts, platform) =>
      prose`
        Mail and background tasks wait. It is restarted after a pause; see whether it keeps running:
        \`${logCommand(LOGS_OF.entrypoint(facts, platform), facts)}\`. If it ends repeatedly,
        the preceding lines say why: no database while it started, too little memory,
        or a setting that it refuses. A running worker outlives an outage of the database.
      `,
  },
  "pool-exhausted": {
    title: "a request got no database connection in time",
    severity: "ERROR",
    needs: ["connectionPool"],
    filters: both((facts, platform) => `${LOGS_OF.entrypoint(facts, platform)} ${WAITED_TOO_LONG}`),
    firstSteps: (facts, platform) =>
      prose`
        It failed after waiting for a connection of its instance's pool. How often:
        \`${logCommand(`${LOGS_OF.entrypoint(facts, platform)} ${WAITED_TOO_LONG}`, facts)}\`.
        If \`database-cpu\` is raised too, the database is slow; otherwise an instance needs more connections.
        \`${facts.nameOf("databaseTier")}\` helps both; a lower \`${facts.nameOf("maxInstanceCount")}\` gives each
        instance a larger share.
      `,
  },
  "pool-without-database": {
    title: "the database gives an instance no connection",
    severity: "ERROR",
    needs: ["connectionPool"],
    filters: both((facts, platform) => `${LOGS_OF.entrypoint(facts, platform)} ${GETS_NO_CONNECTION}`),
    firstSteps: (facts, platform) =>
      prose`
        Its requests fail. The line ends with the reason, in the database's own words:
        \`${logCommand(`${LOGS_OF.entrypoint(facts, platform)} ${GETS_NO_CONNECTION}`, facts)}\`.
        "connect failed": the database is away, or the way to it is closed.
        "password authentication failed": the password has changed; start new instances.
        "remaining connection slots" or "too many connections": others use the database too;
        raise \`${facts.nameOf("databaseTier")}\`.
      `,
  },
  "worker-missing": {
    title: "there are fewer workers than there should be",
    severity: "ERROR",
    needs: ["separateWorker"],
    queries: {
      serverless: (facts) =>
        `(sum(run_googleapis_com:container_instance_count{${pool(facts)}}) or vector(0)) / ${facts.workers}`,
      kubernetes: (facts) =>
        `(count(kubernetes_io:container_uptime{${worker(facts)}}) or vector(0)) / ${facts.workers}`,
    },
    limit: { raisedWhen: "<", threshold: 1, durationSeconds: 600, measures: "share of the expected workers" },
    firstSteps: (facts, platform) =>
      `Mail and background tasks wait, or take longer. ${whatWorkersSaid(facts, platform)}`,
  },
  "worker-cpu": {
    title: "the CPU of the workers is used up",
    severity: "WARNING",
    needs: ["separateWorker"],
    queries: utilization("cpu", pool, worker),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 1800, measures: "share of the CPU" },
    firstSteps: (facts, platform) =>
      prose`
        Tasks queue up, and mail is late. Raise
        \`${facts.nameOf(platform === "serverless" ? "worker.count" : "worker.maxCount")}\` or
        \`${facts.nameOf("worker.cpu")}\`. ${whatWorkersSaid(facts, platform)}
      `,
  },
  "worker-memory": {
    title: "the memory of the workers is nearly used up",
    severity: "WARNING",
    needs: ["separateWorker"],
    queries: utilization("memory", pool, worker),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 600, measures: "share of the memory" },
    firstSteps: (facts, platform) =>
      prose`
        A worker that needs more is killed, and its tasks are tried again.
        Raise \`${facts.nameOf("worker.memory")}\`, or lower \`${facts.nameOf("worker.processes")}\`.
        ${whatWorkersSaid(facts, platform)}
      `,
  },
};

/** Excludes jobs, because they have separate alerts; the names of their pods have more parts. */
function podOfDeployment({ worker, workload }: AlertFacts): string {
  return `(${workload}|${worker})-[0-9a-z]{6,10}-[0-9a-z]{5}`;
}

/**
 * What the node tells the API server of a container that ended, as Google's queries for the audit log of GKE have it.
 * No metric without further packages has the reason, and the node's own log has no namespace. Only the first entry has
 * it as the present state.
 */
function outOfMemoryOnKubernetes(facts: AlertFacts): string {
  return prose`
    resource.type="k8s_cluster" log_id("cloudaudit.googleapis.com/activity")
    protoPayload.methodName="io.k8s.core.v1.pods.status.patch"
    protoPayload.resourceName=~"/namespaces/${facts.namespace}/pods/${podOfDeployment(facts)}/status$"
    protoPayload.request.status.containerStatuses.state.terminated.reason="OOMKilled"
  `;
}

function outOfMemory(facts: AlertFacts): string {
  return prose`
    ${LOGS_OF.workload(facts, "serverless")} log_id("run.googleapis.com/varlog/system")
    (textPayload:"Out-of-memory event detected in container" OR textPayload:"Consider increasing the memory
    limit")
  `;
}

function noInstance(facts: AlertFacts): string {
  return prose`
    ${LOGS_OF.workload(facts, "serverless")} textPayload:"The request was aborted because there was no available
    instance"
  `;
}

function whoIsBusy(facts: AlertFacts, platform: Platform): string {
  return platform === "serverless"
    ? `Who sends the requests: \`${logCommand(LOGS_OF.requests(facts), facts)}\``
    : `The busiest pods: \`kubectl --namespace ${facts.namespace} top pods --containers\``;
}

function whatWorkersSaid(facts: AlertFacts, platform: Platform): string {
  return `Their log: \`${logCommand(LOGS_OF.separateWorker(facts, platform), facts)}\``;
}
