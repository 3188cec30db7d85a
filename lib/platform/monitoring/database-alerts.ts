import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts, both, logCommand, LOGS_OF } from "./alert";

const instance = ({ database, projectId }: AlertFacts): string =>
  `monitored_resource="cloudsql_database", database_id="${projectId}:${database}"`;

const metric = (name: string) => (facts: AlertFacts) => `cloudsql_googleapis_com:database_${name}{${instance(facts)}}`;

/** A command that prints one property of the instance. */
const describeCommand = ({ database, projectId }: AlertFacts, what: string): string =>
  `gcloud sql instances describe ${database} --project=${projectId} --format='value(${what})'`;

/** Alerts that are the same on both platforms. */
const ROWS: Alerts = {
  "database-down": {
    title: "the database is down",
    severity: "CRITICAL",
    queries: both((facts) => `min(${metric("up")(facts)})`),
    limit: { raisedWhen: "<", threshold: 1, durationSeconds: 180, measures: "1 for up" },
    firstSteps: (facts) =>
      prose`
        Nobody can sign in. Its state: \`${describeCommand(facts, "state")}\`. Maintenance takes minutes,
        and is on Sundays at 03:00 UTC without \`${facts.nameOf("maintenanceWindow")}\`. Its log:
        \`${logCommand(LOGS_OF.database(facts), facts)}\`
      `,
  },
  "database-cpu": {
    title: "the CPU of the database is used up",
    severity: "WARNING",
    queries: both((facts) => `max(${metric("cpu_utilization")(facts)})`),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 900, measures: "share of the CPU" },
    firstSteps: (facts) =>
      prose`
        Sign-ins become slow. Statements that wait for others, or need the disk:
        \`${logCommand(`${LOGS_OF.database(facts)} textPayload:("still waiting for" OR "temporary file")`, facts)}\`.
        Query insights in the console show the rest. Raise \`${facts.nameOf("databaseTier")}\`;
        the database restarts. The current tier: \`${describeCommand(facts, "settings.tier")}\`
      `,
  },
  "database-memory": {
    title: "the memory of the database is nearly used up",
    severity: "WARNING",
    queries: both((facts) => `max(${metric("memory_utilization")(facts)})`),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 900, measures: "share of the memory" },
    firstSteps: (facts) =>
      prose`
        The database is killed when none is left. Raise \`${facts.nameOf("databaseTier")}\`;
        the database restarts. The current tier: \`${describeCommand(facts, "settings.tier")}\`
      `,
  },
  "database-disk-growth": {
    title: "the disk of the database grows fast",
    severity: "WARNING",
    // The disk grows by itself, so its utilization says little; it never shrinks.
    queries: both((facts) => `max(delta(${metric("disk_bytes_used")(facts)}[6h]))`),
    limit: { raisedWhen: ">", threshold: 5 * 2 ** 30, durationSeconds: 600, measures: "bytes in 6 h" },
    firstSteps: (facts) =>
      prose`
        More than 5 GiB in six hours, and a disk never shrinks. Its size in GB:
        \`${describeCommand(facts, "settings.dataDiskSizeGb")}\`. Mostly events or tasks that are not cleaned up:
        see Events and System tasks in the administration, and their retention under System, Settings.
      `,
  },
  "database-disk": {
    title: "the disk of the database is nearly full",
    severity: "ERROR",
    queries: both(diskShare),
    limit: {
      raisedWhen: ">",
      threshold: 0.85,
      durationSeconds: 600,
      measures: "share of the limit, or of a disk that does not grow",
    },
    firstSteps: (facts) =>
      prose`
        A full disk ends in a database that refuses to write. Does the disk still grow by itself,
        and to which limit:
        \`${describeCommand(facts, DISK_SETTINGS)}\`?
        At a limit, raise \`${facts.nameOf("databaseDiskLimitGb")}\`.
        Mostly events or tasks that are not cleaned up: see their retention under System,
        Settings in the application.
      `,
  },
  "database-connections": {
    title: "the connections of the database are nearly used up",
    severity: "ERROR",
    queries: both((facts) => `sum(${metric("postgresql_num_backends")(facts)}) / ${facts.maxConnections}`),
    limit: { raisedWhen: ">", threshold: 0.9, durationSeconds: 300, measures: "share of the connections" },
    firstSteps: (facts) =>
      prose`
        A request without a connection ends in 500, and probes fail. Refused connections:
        \`${logCommand(`${LOGS_OF.database(facts)} textPayload:(${REFUSED_CONNECTION})`, facts)}\`.
        Raise \`${facts.nameOf("databaseTier")}\`, or lower \`${facts.nameOf("maxInstanceCount")}\`.
      `,
  },
  "database-transaction-ids": {
    title: "the database runs out of transaction ids",
    severity: "ERROR",
    queries: both((facts) => `max(${metric("postgresql_transaction_id_utilization")(facts)})`),
    limit: { raisedWhen: ">", threshold: 0.8, durationSeconds: 3600, measures: "share of the ids" },
    firstSteps: (facts) =>
      prose`
        At 1 the database accepts no more writes. Something keeps it from cleaning up,
        usually a transaction that has been open for days. Look for it in the log:
        \`${logCommand(`${LOGS_OF.database(facts)} textPayload:"vacuum"`, facts, "1d")}\`
      `,
  },
  "no-backup": {
    title: "there was no sign of a backup of the database for 36 hours",
    severity: "ERROR",
    needs: ["ownBackups"],
    // Watches for missing successes, because a backup that never starts writes no entry about a failure.
    queries: both(
      ({ database, projectId }) =>
        prose`
        absent_over_time(logging_googleapis_com:log_entry_count{monitored_resource="cloudsql_database",
        database_id="${projectId}:${database}", log="cloudaudit.googleapis.com/system_event"}[36h])
      `,
    ),
    limit: { raisedWhen: ">=", threshold: 1, durationSeconds: 0, measures: "1 for none in 36 h" },
    firstSteps: ({ database, projectId }) =>
      prose`
        Are backups switched off, and which are there: \`gcloud sql backups list --instance=${database}
        --project=${projectId}\`? Make one now: \`gcloud sql backups create --instance=${database}
        --project=${projectId}\`
      `,
  },
  "backup-failed": {
    title: "the daily backup of the database failed",
    severity: "ERROR",
    needs: ["ownBackups"],
    // Any state other than success is a failure.
    filters: both(
      (facts) =>
        prose`
        log_id("cloudaudit.googleapis.com/system_event") ${LOGS_OF.database(facts)}
        protoPayload.methodName="cloudsql.instances.automatedBackup" NOT
        protoPayload.metadata.windowStatus="STATUS_SUCCEEDED"
      `,
    ),
    firstSteps: ({ database, projectId }) =>
      prose`
        Make one now: \`gcloud sql backups create --instance=${database} --project=${projectId}\`,
        and list the existing ones: \`gcloud sql backups list --instance=${database} --project=${projectId}\`
      `,
  },
};

/** Fields of the instance that say whether, and how far, its disk still grows. */
const DISK_SETTINGS = ["settings.storageAutoResize", "settings.storageAutoResizeLimit", "settings.dataDiskSizeGb"].join(
  ",",
);

/** Log lines of the server about refused connections, as a log filter. */
const REFUSED_CONNECTION = '"remaining connection slots are reserved" OR "too many clients already"';

/** Alerts about the deployment's own instance; an existing instance is monitored by its owner. */
export const DATABASE_ALERTS: Alerts = Object.fromEntries(
  Object.entries(ROWS).map(([id, row]) => {
    const { needs = [] } = row;
    return [id, { ...row, needs: ["ownDatabase", ...needs] as const }];
  }),
);

/** Free space below which a disk that grows should have been enlarged: Cloud SQL enlarges it at 5 GB or more. */
const OVERDUE_FREE_BYTES = 4 * 2 ** 30;

/**
 * Used share of a disk that does not grow, or of the limit of a disk that does. Cloud SQL enlarges a disk whenever less
 * than 5 GB and a 25th of its size are free, at most 25 GB: that is 50 % of a new disk, and above 90 % of a large one.
 * So a high share of the disk itself is a problem only where Cloud SQL should have enlarged it.
 */
function diskShare(facts: AlertFacts): string {
  const most = (name: string) => `max(${metric(`disk_${name}`)(facts)})`;
  const ofLimit = `${most("bytes_used")} / (vector(${facts.diskLimitGb}) * ${2 ** 30} > 0)`;
  return `(${most("utilization")} and ${most("quota")} - ${most("bytes_used")} < ${OVERDUE_FREE_BYTES}) or ${ofLimit}`;
}
