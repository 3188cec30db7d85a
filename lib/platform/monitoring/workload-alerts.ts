import { LOGS_OF, logCommand, type Alert, type AlertNames, type Platform } from "./alert";
import { usedUp } from "./utilization";

const revision = ({ workload }: AlertNames): string =>
  `monitored_resource="cloud_run_revision", service_name="${workload}"`;

const container = ({ namespace }: AlertNames): string =>
  `monitored_resource="k8s_container", namespace_name="${namespace}", container_name="server"`;

const anyContainer = ({ namespace }: AlertNames): string =>
  `monitored_resource="k8s_container", namespace_name="${namespace}", container_name=~"server|worker"`;

const selectors = { serverless: revision, kubernetes: container };

/** Alerts about instances and pods. */
export const WORKLOAD_ALERTS: readonly Alert[] = [
  {
    id: "at-maximum",
    title: "the maximum number of instances is running",
    severity: "WARNING",
    measures: "share of the maximum",
    needs: ["room"],
    on: {
      serverless: {
        query: (names) =>
          `sum(run_googleapis_com:container_instance_count{${revision(names)}}) / ${names.maxInstances}`,
        raisedWhen: ">=",
        threshold: 1,
        durationSeconds: 600,
      },
      kubernetes: {
        query: (names) => `count(kubernetes_io:container_uptime{${container(names)}}) / ${names.maxInstances}`,
        raisedWhen: ">=",
        threshold: 1,
        durationSeconds: 600,
      },
    },
    firstSteps: (names, platform) =>
      `Further load gets no further instances. ${whoIsBusy(names, platform)}. If the load is legitimate, raise \`${names.called("maxInstanceCount")}\`, and \`${names.called("databaseTier")}\` for their connections; if not, set \`protection\`.`,
  },
  {
    id: "cpu",
    title: "the CPU is used up",
    severity: "WARNING",
    measures: "share of the CPU",
    on: usedUp("cpu", selectors, 900),
    firstSteps: (names, platform) =>
      `Sign-ins become slow. ${whoIsBusy(names, platform)}. Raise \`${names.called("containerCpu")}\`, or \`${names.called("maxInstanceCount")}\` if the alert \`at-maximum\` is raised too.`,
  },
  {
    id: "memory",
    title: "the memory is nearly used up",
    severity: "WARNING",
    measures: "share of the memory",
    on: usedUp("memory", selectors, 600),
    firstSteps: (names, platform) =>
      `An instance that needs more is killed, and its requests fail. Raise \`${names.called("containerMemory")}\`. ${whoIsBusy(names, platform)}.`,
  },
  {
    id: "out-of-memory",
    title: "an instance was killed for its memory",
    severity: "ERROR",
    on: {
      serverless: { filter: outOfMemory },
    },
    firstSteps: (names) =>
      `Raise \`${names.called("containerMemory")}\`, or \`${names.called("workerMemory")}\` if it was a separate worker; another instance is started meanwhile. How often this happens: \`${logCommand(outOfMemory(names), names, "1d")}\``,
  },
  {
    id: "no-instance",
    title: "requests found no instance",
    severity: "ERROR",
    on: {
      serverless: { filter: noInstance },
    },
    firstSteps: (names) =>
      `Clients got 429 or 500. How many, and when: \`${logCommand(noInstance(names), names)}\`. Raise \`${names.called("maxInstanceCount")}\`, with \`${names.called("databaseTier")}\` for their connections, or \`${names.called("minInstanceCount")}\` if the load comes suddenly.`,
  },
  {
    id: "startup",
    title: "an instance takes long to start",
    severity: "WARNING",
    measures: "ms for the slowest start",
    on: {
      serverless: {
        query: (names) =>
          `histogram_quantile(0.99, sum by (le) (increase(run_googleapis_com:container_startup_latencies_bucket{${revision(names)}}[10m])))`,
        raisedWhen: ">",
        // Three quarters of the time that the startup probe allows by default; change both together.
        threshold: 480_000,
        durationSeconds: 0,
      },
    },
    firstSteps: (names, platform) =>
      `If it is not ready when the startup probe gives up, by default after eleven minutes, it is killed, and a migration starts over. Its log: \`${logCommand(LOGS_OF.workload(names, platform), names)}\`. Raise \`${names.called("containerCpu")}\` or \`${names.called("databaseTier")}\`, and \`${names.called("minInstanceCount")}\` so that nobody waits for a start.`,
  },
  {
    id: "restarts",
    title: "a container restarts repeatedly",
    severity: "ERROR",
    measures: "restarts in 15 min",
    on: {
      kubernetes: {
        query: (names) => `sum(increase(kubernetes_io:container_restart_count{${anyContainer(names)}}[15m]))`,
        raisedWhen: ">",
        threshold: 3,
        durationSeconds: 60,
      },
    },
    firstSteps: (names, platform) =>
      `Why it last ended: \`kubectl --namespace ${names.namespace} describe pods\`; OOMKilled: raise \`${names.called("containerMemory")}\`, or \`${names.called("workerMemory")}\` for a separate worker. Its log: \`${logCommand(LOGS_OF.workload(names, platform), names)}\``,
  },
  {
    id: "failed-rollout",
    title: "a new version does not start",
    severity: "ERROR",
    on: {
      serverless: {
        filter: (names) =>
          `${LOGS_OF.workload(names, "serverless")} severity=ERROR protoPayload.response.kind="Revision" protoPayload.status.message:"Ready condition status changed to False"`,
      },
      kubernetes: {
        filter: (names) =>
          `${LOGS_OF.events(names, "Pod", names.workload)} jsonPayload.involvedObject.name=~"${podOfDeployment(names)}" jsonPayload.reason=("BackOff" OR "FailedMount")`,
      },
    },
    firstSteps: (names, platform) =>
      `The old version keeps serving. The log of the new one: \`${logCommand(`${LOGS_OF.workload(names, platform)} severity>=WARNING`, names)}\`. Fix the cause and apply again. After an upgrade, an earlier release needs the backup that was made before it.`,
  },
  {
    id: "container-ended",
    title: "a container ended by itself",
    severity: "WARNING",
    on: { serverless: { filter: endedContainer } },
    firstSteps: (names, platform) =>
      `Another one is started. The preceding lines say why it ended: \`${logCommand(LOGS_OF.workload(names, platform), names)}\`. A running one outlives an outage of the database, and one that starts does not.`,
  },
];

/** Excludes jobs: their pods have names with more parts, and an alert of their own. */
function podOfDeployment({ worker, workload }: AlertNames): string {
  return `^(${workload}|${worker})-[0-9a-z]{6,10}-[0-9a-z]{5}$`;
}

function outOfMemory(names: AlertNames): string {
  return `${LOGS_OF.workload(names, "serverless")} log_id("run.googleapis.com/varlog/system") (textPayload:"Out-of-memory event detected in container" OR textPayload:"Consider increasing the memory limit")`;
}

/** With an exit code other than that of a container that was told to stop. */
function endedContainer(names: AlertNames): string {
  return `${LOGS_OF.workload(names, "serverless")} log_id("run.googleapis.com/varlog/system") textPayload:"Container called exit(" NOT textPayload:("exit(0)" OR "exit(143)")`;
}

function noInstance(names: AlertNames): string {
  return `${LOGS_OF.workload(names, "serverless")} textPayload:"The request was aborted because there was no available instance"`;
}

function whoIsBusy(names: AlertNames, platform: Platform): string {
  return platform === "serverless"
    ? `Who sends the requests: \`${logCommand(LOGS_OF.requests(names), names)}\``
    : `The busiest pods: \`kubectl --namespace ${names.namespace} top pods --containers\``;
}
