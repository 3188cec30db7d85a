import { isMetric, type Platform } from "../../lib/platform/monitoring/alert";
import { ALERTS } from "../../lib/platform/monitoring/alerts";
import { DEFAULT_FINAL_BACKUP_DAYS } from "../../lib/platform/sql/database-backups";
import {
  CLUSTER_IS_DELETED,
  ELSEWHERE,
  ENTRYPOINT_TEST,
  LIVENESS_SECONDS,
  ON,
  RESTORE,
  RESTORE_TEST,
  type Failure,
  WORKER_MODES_TEST,
} from "./failure-words";

/** Everything that can fail in a variant, from the smallest to the largest. */
export function failuresOn(platform: Platform): readonly Failure[] {
  const { another, instance, instances, refused, remade, workload } = ON[platform];
  return [
    {
      what: "The server process ends",
      byItself: `The ${instance} ends with it, after its worker has finished; ${another}`,
      alerts: ["errors", ...(platform === "serverless" ? ["container-ended"] : ["restarts"])],
      then: "Read the log of the service if it happens again.",
      shownBy: [ENTRYPOINT_TEST, "ends when the server ends by itself, after the worker has finished"],
    },
    {
      what: "The server hangs",
      byItself: `After ${LIVENESS_SECONDS} s without an answer to the liveness probe, the container is restarted`,
      alerts: ["uptime", "latency", ...(platform === "kubernetes" ? ["load-balancer-latency"] : [])],
      then: "Read its log; raise `container_cpu` or `container_memory` if it was short of them.",
      shownBy: [
        "__tests__/idp/identity-provider-container.test.ts",
        "is ready when its migrations are done, and alive when it answers",
      ],
    },
    {
      what: "The worker beside the server ends",
      byItself:
        "The entrypoint restarts it after 1 to 30 s; sign-in keeps working, mail and tasks wait. With `all-in-one`, the container ends, and another one is started",
      alerts: ["worker-down", ...(platform === "serverless" ? ["container-ended"] : ["restarts"])],
      then: "Read the preceding lines if it ends repeatedly.",
      shownBy: [ENTRYPOINT_TEST, "restarts a killed worker, in an emptied temporary folder"],
    },
    {
      what: "A separate worker ends",
      byItself:
        platform === "serverless"
          ? "Cloud Run starts another one; the servers keep running, and mail and tasks wait if it was the only one"
          : "The cluster restarts its container; the servers keep running, and mail and tasks wait if it was the only one",
      alerts: platform === "serverless" ? ["container-ended", "worker-missing"] : ["restarts", "worker-missing"],
      then: "Read its log if it ends repeatedly.",
      shownBy: [WORKER_MODES_TEST, "keeps serving, as server-alone, while the worker of another one is replaced"],
    },
    {
      what: `${instance === "pod" ? "A pod" : "An instance"} ends`,
      byItself: `Its requests fail; the others keep running, and ${another}`,
      alerts:
        platform === "serverless"
          ? ["errors", "out-of-memory", "no-instance"]
          : ["restarts", "load-balancer-errors", "uptime"],
      then: "Raise `min_instance_count` to 2 if it was the only one.",
      shownBy: [ENTRYPOINT_TEST, "lets server and worker finish with one TERM each"],
    },
    {
      what: "A new version does not start",
      byItself: "The old one keeps serving; the apply fails after its time limit",
      alerts: ["failed-rollout"],
      then: "After an upgrade, [go back to the earlier release](identity-provider.md#go-back-to-an-earlier-release). Otherwise, set the input that caused it back to its former value and apply.",
      shownBy: [
        "__tests__/platform/monitoring/log-conditions.test.ts",
        "matches what alert-log-entries.ts has of what is wrong, and nothing else",
      ],
    },
    {
      what: "A zone fails",
      byItself:
        platform === "serverless"
          ? 'Cloud Run continues in the others. With `database_availability = "REGIONAL"` the standby takes over within about a minute; `ZONAL` waits for the zone'
          : 'Pods start in the others; the control plane is regional. With `database_availability = "REGIONAL"` the standby takes over within about a minute; `ZONAL` waits for the zone',
      alerts: ["database-down", "uptime"],
      then: "With `ZONAL`, wait or restore to another instance. Set `REGIONAL` if that takes too long.",
      shownBy: ["__tests__/stacks/accepted-inputs.ts", "a standby in another zone"],
    },
    {
      what: "The database is down or out of connections",
      byItself: `Cloud SQL restarts it. Until then *live* answers 502 and *ready* 500. An outage of more than ${LIVENESS_SECONDS} s restarts every ${instance}, which then waits for the database at its start; \`liveness_probe\` changes that time`,
      alerts: ["database-down", "database-connections", "uptime"],
      then: "Read its log; raise `database_tier`.",
      shownBy: [
        "__tests__/platform/monitoring/raised-alerts.exhaustive.test.ts",
        "is raised by what is wrong, and by nothing else",
      ],
    },
    {
      what: "More requests are in progress than the database has connections for",
      byItself:
        platform === "serverless"
          ? "Cannot happen within the sizes that a plan accepts. Where other clients use the database too: requests fail, the liveness probe as well, and after 90 s Cloud Run restarts instances that would have recovered"
          : "Nothing limits the requests of a pod: above about 40 in each, requests fail, the liveness probe as well, and after 90 s Kubernetes restarts pods that would have recovered",
      alerts: ["database-connections", "uptime"],
      then: "Raise `database_tier`, and with it the connections. Limit clients with `protection`.",
      shownBy: ["__tests__/platform/sql/database-size.test.ts", "give %s %s connections"],
    },
    {
      what: "A dump or a backup fails",
      byItself: "The next one is tried on schedule; the last one stays",
      alerts: ["dump-failed", "dump-too-old", "backup-failed"],
      then: "Read the log of the job and run it by hand.",
      shownBy: [
        "__tests__/platform/monitoring/raised-alerts.exhaustive.test.ts",
        "is raised by what is wrong, and by nothing else",
      ],
    },
    {
      what: "The schedule of the dumps is deleted",
      byItself: "Nothing; the last dump stays",
      alerts: ["dump-too-old"],
      then: "Apply: it is created again.",
      shownBy: ["__tests__/platform/monitoring/alert-series.ts", "a schedule that is new or deleted"],
    },
    {
      what: "The bucket of the dumps is deleted",
      byItself: "Cloud Storage refuses while it holds dumps; without it, the next dump fails",
      alerts: ["dump-failed", "dump-too-old"],
      then: "Apply: it is created again, empty. Make a dump at once with the command in the output `dump_command`.",
      shownBy: ["__tests__/idp/database-dump.test.ts", "deletes old dumps, but never the copy of the newest"],
    },
    {
      what: "Somebody destroys the deployment",
      byItself: "Terraform refuses while `deletion_protection` is true, and deletes nothing",
      alerts: [],
      then: "If the destroy is intended, apply with `deletion_protection = false` first.",
      shownBy: refused,
    },
    {
      what: "An input that would replace the deployment is changed, such as `tenant_id` or `region`",
      byItself: "While `deletion_protection` is true, the plan is refused and names the input; nothing is deleted",
      alerts: [],
      then: "Set the input back: the plan is empty again. If the replacement is intended, apply with `deletion_protection = false` first.",
      shownBy: ["__tests__/rehearsal/scenarios/another-identity.ts", "another identity"],
    },
    {
      what: `The ${workload} is deleted`,
      byItself: "Nothing; sign-in is down",
      alerts: ["uptime"],
      then: "Apply: it is created again, with the same address and data.",
      shownBy: remade,
    },
    {
      what: "The job that prepares the database is deleted",
      byItself: "Nothing stops until the next rollout",
      alerts: [],
      then: "Apply: it is created again and runs, which changes nothing in a prepared database.",
      shownBy: remade,
    },
    ...(platform === "kubernetes" ? [CLUSTER_IS_DELETED] : []),
    {
      what: "The image, or its repository, is deleted",
      byItself:
        platform === "serverless"
          ? "Nothing stops: Cloud Run keeps its own copy of the image that it runs"
          : "Running pods keep running; a new one starts only where its node still has the image",
      alerts: platform === "serverless" ? [] : ["failed-rollout"],
      then: "Apply once with `-replace='terraform_data.image_build[0]'`, which rebuilds it.",
      shownBy: ["__tests__/idp/build-image/build-image.test.ts", "sends one request with everything in it"],
    },
    {
      what: "Data in the database is deleted or wrong",
      byItself: "Nothing",
      alerts: [],
      then: `[Restore](${RESTORE}) to an earlier point in time, within \`transaction_log_days\`.`,
      shownBy: [RESTORE_TEST, "point-in-time: copies from a clone that has the current passwords, and drops the clone"],
    },
    {
      what: "The database is deleted",
      byItself: `Cloud SQL refuses while \`deletion_protection\` is true; afterwards its final backup stays ${DEFAULT_FINAL_BACKUP_DAYS} days`,
      // Not by database-down: what is deleted has no metrics, also none of its state.
      alerts: ["uptime"],
      then: `Apply, which creates an empty one of the same name, then [restore](${RESTORE}) the final backup into it.`,
      shownBy: [RESTORE_TEST, "final-backup: takes the newest one of this instance, then stores the current passwords"],
    },
    {
      what: "Files of the media bucket are deleted",
      byItself: "Cloud Storage keeps them for 7 days; icons and backgrounds are missing meanwhile",
      alerts: [],
      then: `[Restore](${RESTORE}) them.`,
      shownBy: [RESTORE_TEST, "media: restores the newest deleted version of each file"],
    },
    {
      what: "The media bucket is deleted",
      byItself: "Terraform refuses while `deletion_protection` is true, and Cloud Storage while it has files",
      alerts: [],
      then: "Apply: it is created again, empty. Files that had been deleted before are lost with it.",
      shownBy: ["__tests__/idp/media-bucket.test.ts", "is private, restorable for a week"],
    },
    {
      what: "A secret is deleted",
      byItself: `Terraform refuses while \`deletion_protection\` is true. Otherwise running ${instances} keep running, and no new one starts`,
      alerts: ["failed-rollout", "no-instance"],
      then: "The next apply writes a new one: a new secret key signs everybody out, a new database password is written by db-init.",
      shownBy: refused,
    },
    {
      what: "Load balancer or records of the domain are deleted",
      byItself: "Nothing; the domain does not answer",
      alerts: ["uptime"],
      then: "Apply: they are created again; the address stays.",
      shownBy: remade,
    },
    {
      what: "Uptime check, alerts or dashboard are deleted",
      byItself: "Nothing; nobody is notified of anything",
      alerts: [],
      then: "Apply: they are created again. A weekly plan shows whether they are missing.",
      shownBy: remade,
    },
    {
      what: "The region fails",
      byItself: "Nothing takes over",
      alerts: ["uptime"],
      then: `[Restore in another region](${ELSEWHERE}) from the backups that \`backup_location\` keeps elsewhere; uploads are unavailable until the region is back.`,
      shownBy: [RESTORE_TEST, "backup: takes the newest one of another deployment, and renames database and login"],
    },
  ];
}

/** The table of a variant's page. */
export function failureCells(platform: Platform): string[][] {
  return failuresOn(platform).map(({ alerts, byItself, then, what, shownBy: [file] }) => [
    what,
    byItself,
    noticed(alerts, platform),
    then,
    `\`${file}\``,
  ]);
}

/** Who is told by which alert, and how long after it began. */
function noticed(ids: readonly string[], platform: Platform): string {
  const told = ids.flatMap((id) => {
    const alert = ALERTS.find((candidate) => candidate.id === id);
    if (alert === undefined) throw new Error(`there is no alert ${id}`);
    const condition = alert.on[platform];
    if (condition === undefined) return [];
    if (!isMetric(condition)) return [`\`${id}\` with the line in the log`];
    const { durationSeconds, windowSeconds = 0 } = condition;
    if (windowSeconds + durationSeconds === 0) return [`\`${id}\` at once`];
    const after = inWords(windowSeconds + durationSeconds);
    return [`\`${id}\` ${windowSeconds === 0 ? `after ${after}` : `${after} after the last one`}`];
  });
  return told.length === 0 ? "no alert" : told.join(", ");
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
