import { LIVENESS_PROBE } from "../../lib/idp/contract";
import { isMetric, type Platform } from "../../lib/platform/monitoring/alert";
import { ALERTS } from "../../lib/platform/monitoring/alerts";
import { DEFAULT_FINAL_BACKUP_DAYS } from "../../lib/platform/sql/database-defaults";

/** What happens when a part fails. */
export interface Failure {
  readonly what: string;

  /** What the platform or the application does by itself, and after how long. */
  readonly byItself: string;

  /** Alerts that tell, by id. */
  readonly alerts: readonly string[];

  /** What is left to do. */
  readonly then: string;

  /** A test that shows it: its file, and a part of its name. */
  readonly shownBy: readonly [file: string, name: string];
}

const ENTRYPOINT = "__tests__/image/entrypoint-behaviour.ts";

const LIVENESS_SECONDS = LIVENESS_PROBE.periodSeconds * LIVENESS_PROBE.failureThreshold;

const ON: Readonly<Record<Platform, { instance: string; another: string; refused: Failure["shownBy"] }>> = {
  serverless: {
    instance: "instance",
    another: "Cloud Run starts another instance with the next request, or at once below `min_instance_count`",
    refused: ["__tests__/rehearsal/scenarios/idp-serverless.ts", "deletion_protection is true; nothing is deleted"],
  },
  kubernetes: {
    instance: "pod",
    another: "the cluster starts the container again at once, and another pod if its node is gone",
    refused: ["__tests__/rehearsal/scenarios/idp-kubernetes.ts", "deletion_protection is true; nothing is deleted"],
  },
};

/** Everything that can fail in a variant, from the smallest to the largest. */
export function failuresOn(platform: Platform): readonly Failure[] {
  const { another, instance, refused } = ON[platform];
  return [
    {
      what: "The server process ends",
      byItself: `The ${instance} ends with it, after its worker has finished; ${another}`,
      alerts: ["errors", ...(platform === "serverless" ? ["container-ended"] : ["restarts"])],
      then: "Read the log of the service if it happens again.",
      shownBy: [ENTRYPOINT, "ends when the server ends by itself, after the worker has finished"],
    },
    {
      what: "The server hangs",
      byItself: `After ${LIVENESS_SECONDS} s without an answer to the liveness probe, the container is started again`,
      alerts: ["uptime", "latency"],
      then: "Read its log; raise `container_cpu` or `container_memory` if it was short of them.",
      shownBy: [
        "__tests__/idp/identity-provider-container.test.ts",
        "is ready when its migrations are done, and alive when it answers",
      ],
    },
    {
      what: "The worker beside the server ends",
      byItself:
        "The entrypoint starts it again after 1 to 30 s; sign-in goes on, mail and tasks wait. With `all-in-one`, the container ends, and another one is started",
      alerts: ["worker-down", ...(platform === "serverless" ? ["container-ended"] : ["restarts"])],
      then: "Read the lines before, if it ends again and again.",
      shownBy: [ENTRYPOINT, "starts a killed worker again, in an emptied temporary folder"],
    },
    {
      what: "A separate worker ends",
      byItself:
        platform === "serverless"
          ? "Cloud Run starts another one; the servers go on, and mail and tasks wait if it was the only one"
          : "The cluster starts its container again; the servers go on, and mail and tasks wait if it was the only one",
      alerts: platform === "serverless" ? ["container-ended", "worker-missing"] : ["restarts", "worker-missing"],
      then: "Read what it said, if it ends again and again.",
      shownBy: [ENTRYPOINT, "goes on serving, as server-alone, while the worker of another one is replaced"],
    },
    {
      what: `${instance === "pod" ? "A pod" : "An instance"} ends`,
      byItself: `Its requests fail; the others go on, and ${another}`,
      alerts: ["errors", "out-of-memory", "no-instance"],
      then: "Raise `min_instance_count` to 2 if one is all there is.",
      shownBy: [ENTRYPOINT, "lets server and worker finish with one TERM each"],
    },
    {
      what: "A new version does not start",
      byItself: "The old one goes on answering; the apply fails after its time limit",
      alerts: ["failed-rollout"],
      then: "Set `application_version` or the input that caused it back, and apply again.",
      shownBy: ["__tests__/platform/monitoring/log-conditions.test.ts", "is met by what is wrong, and by nothing else"],
    },
    {
      what: "A zone fails",
      byItself:
        platform === "serverless"
          ? 'Cloud Run goes on in the others. With `database_availability = "REGIONAL"` the standby takes over within about a minute; `ZONAL` waits for the zone'
          : 'Pods start in the others; the control plane is regional. With `database_availability = "REGIONAL"` the standby takes over within about a minute; `ZONAL` waits for the zone',
      alerts: ["database-down", "uptime"],
      then: "With `ZONAL`, wait or restore to another instance. Set `REGIONAL` where that is too long.",
      shownBy: ["__tests__/stacks/inputs.exhaustive.test.ts", "a standby in another zone"],
    },
    {
      what: "The database is down or out of connections",
      byItself: "Cloud SQL restarts it; the server answers 503 until it is back and needs no restart",
      alerts: ["database-down", "database-connections", "uptime"],
      then: "Read its log; raise `database_tier`.",
      shownBy: [
        "__tests__/platform/monitoring/raised-alerts.test.ts",
        "is raised by what is wrong, and by nothing else",
      ],
    },
    {
      what: "A dump or a backup fails",
      byItself: "The next one is tried on schedule; the last one stays",
      alerts: ["dump-failed", "dump-too-old", "backup-failed"],
      then: "Read the log of the job and run it by hand.",
      shownBy: [
        "__tests__/platform/monitoring/raised-alerts.test.ts",
        "is raised by what is wrong, and by nothing else",
      ],
    },
    {
      what: "Somebody deletes the deployment",
      byItself: "Terraform refuses while `deletion_protection` is true, and deletes nothing",
      alerts: [],
      then: "Apply with `deletion_protection = false` first if it is meant.",
      shownBy: refused,
    },
    {
      what: "The database is deleted",
      byItself: `Cloud SQL refuses while \`deletion_protection\` is true; afterwards its final backup stays ${DEFAULT_FINAL_BACKUP_DAYS} days`,
      alerts: ["database-down", "uptime"],
      then: "[Restore](identity-provider.md#backup-and-restore) the final backup into the instance that the next apply makes.",
      shownBy: refused,
    },
    {
      what: "Files of the media bucket are deleted",
      byItself: "Cloud Storage keeps them for 7 days; icons and backgrounds are missing meanwhile",
      alerts: [],
      then: "[Restore](identity-provider.md#backup-and-restore) them.",
      shownBy: ["__tests__/idp/media-bucket.test.ts", "is private, restorable for a week"],
    },
    {
      what: "A secret is deleted",
      byItself: "Running instances go on; no new one starts",
      alerts: ["failed-rollout", "no-instance"],
      then: "Terraform refuses it while `deletion_protection` is true. The next apply writes a new one: a new secret key signs everybody out, a new database password is written by db-init.",
      shownBy: refused,
    },
    {
      what: "The region fails",
      byItself: "Nothing takes over",
      alerts: ["uptime"],
      then: "Deploy to another region with another `tenant_id`, and restore there what `backup_location` keeps elsewhere.",
      shownBy: [
        "__tests__/platform/sql/postgresql-database.test.ts",
        "keeps backups where, as many and for as long as is asked for",
      ],
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
    return [
      `\`${id}\` ${isMetric(condition) ? `after ${inWords(condition.durationSeconds)}` : "with the line in the log"}`,
    ];
  });
  return told.length === 0 ? "whoever does it" : told.join(", ");
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
