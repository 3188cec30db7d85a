import { prose } from "../../core/prose";
import { CHECK_UP_JOB } from "../../idp/check-up";
import {
  BLUEPRINT_SECRETS,
  BOOTSTRAP_PASSWORD,
  BOOTSTRAP_TOKEN,
  DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX,
  DATABASE_PASSWORD_SUFFIX,
  DB_INIT_JOB,
  DB_RETIRE_JOB,
  SECRET_KEY,
} from "../../idp/contract";
import { DUMP_JOB, FIRST_DUMP_JOB } from "../../idp/dumps";
import { EVENT_RETENTION_JOB } from "../../idp/event-retention";
import { RECOVERY_JOB, RECOVERY_LINK_SUFFIX } from "../../idp/recovery-access";
import { SIGN_IN_PROBE_JOB } from "../../idp/sign-in-probe";
import { type AlertFacts, type Alerts, both, logCommand, LOGS_OF, type Platform, type Text } from "./alert";

/** An execution that failed after all its attempts, of the jobs that a label selects. */
const failures =
  (jobs: Text): Text =>
  (facts, platform) =>
    prose`
      sum(increase(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job",
      ${jobs(facts, platform)}, result="failed"}[10m]))
    `;
const ANY_FAILURE = { raisedWhen: ">", threshold: 0, durationSeconds: 0, measures: "failures in 10 min" } as const;

/**
 * Failures of a job in a cluster, excluding copies of jobs made by `restore.sh` or a drill, because these report
 * failures themselves.
 */
const failedJob =
  (job: Text): Text =>
  (facts, platform) =>
    prose`
      ${LOGS_OF.events(facts, "Job", job(facts, platform))} NOT jsonPayload.involvedObject.name=~"-restore$"
      jsonPayload.reason=("BackoffLimitExceeded" OR "DeadlineExceeded")
    `;

/** The scheduled dumps and the first one at an apply, which are two jobs on Cloud Run. */
const dumpJobs = ({ dumpJob, firstDumpJob }: AlertFacts): string => `job_name=~"${dumpJob}|${firstDumpJob}"`;

/** A daily dump may be six hours late. */
const DUMP_WINDOW = "30h";

/** Alerts about jobs, and about reads of secrets. */
export const JOB_ALERTS: Alerts = {
  "job-failed": {
    title: "the preparation of the database failed",
    severity: "ERROR",
    queries: { serverless: failures(({ job }) => `job_name="${job}"`) },
    limit: ANY_FAILURE,
    filters: { kubernetes: failedJob(({ job }) => job) },
    firstSteps: (facts, platform) =>
      prose`
        The apply that started the job has failed too. Its log:
        \`${logCommand(LOGS_OF.job(facts, platform, facts.job), facts)}\`. Fix the cause and apply again.
      `,
  },
  "dump-failed": {
    title: "a dump of the database failed",
    severity: "ERROR",
    needs: ["dump"],
    queries: { serverless: failures(dumpJobs) },
    limit: ANY_FAILURE,
    filters: { kubernetes: failedJob(({ dumpJob }) => dumpJob) },
    firstSteps: (facts, platform) =>
      `Earlier dumps are kept. Its log: \`${logCommand(LOGS_OF.dumps(facts, platform), facts, "1d")}\``,
  },
  "dump-not-restorable": {
    title: "a dump of the database may not be restorable",
    severity: "ERROR",
    needs: ["dump"],
    filters: both(
      (facts, platform) => `${LOGS_OF.dumps(facts, platform)} textPayload:"a restore of this dump may fail: "`,
    ),
    firstSteps: (facts, platform) =>
      prose`
        A restore makes everything as the application's login, in one transaction.
        The log names what it cannot make, such as an event trigger of a monitoring tool:
        \`${logCommand(LOGS_OF.dumps(facts, platform), facts, "2d")}\`. Remove it, or move it to another database.
        If there are too many relations, set \`max_locks_per_transaction\` in
        \`${facts.nameOf("databaseFlags")}\`.
      `,
  },
  "dump-too-old": {
    title: "the last dump of the database is too old",
    severity: "ERROR",
    needs: ["dailyDump"],
    queries: {
      serverless: (facts) =>
        prose`
          absent_over_time(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job",
          ${dumpJobs(facts)}, result="succeeded"}[${DUMP_WINDOW}])
        `,
      kubernetes: ({ dumpBucket }) =>
        prose`
          absent_over_time(storage_googleapis_com:api_request_count{monitored_resource="gcs_bucket",
          bucket_name="${dumpBucket}", method="WriteObject", response_code="OK"}[${DUMP_WINDOW}])
        `,
    },
    limit: {
      raisedWhen: ">=",
      threshold: 1,
      durationSeconds: 0,
      measures: `1 for none in ${DUMP_WINDOW.replace("h", " h")}`,
    },
    firstSteps: (facts, platform) =>
      prose`
        There has been no new dump for more than a day: is the schedule paused, deleted,
        or too new? The log of the job: \`${logCommand(LOGS_OF.dumps(facts, platform), facts, "2d")}\`
      `,
  },
  "event-retention-failed": {
    title: "how long events are kept could not be set",
    severity: "WARNING",
    needs: ["eventRetention"],
    queries: { serverless: failures(({ eventRetentionJob }) => `job_name="${eventRetentionJob}"`) },
    limit: ANY_FAILURE,
    filters: { kubernetes: failedJob(({ eventRetentionJob }) => eventRetentionJob) },
    firstSteps: (facts, platform) =>
      prose`
        The application keeps events as long as before, and the next night tries again. The log of the job:
        \`${logCommand(LOGS_OF.job(facts, platform, facts.eventRetentionJob), facts, "1d")}\`.
        If a table or a column has another name in this release, apply a newer folder.
      `,
  },
  "recovery-link": {
    title: "a recovery link was made: somebody can sign in as another user",
    severity: "CRITICAL",
    needs: ["recoveryAccess"],
    filters: both(linkMade),
    firstSteps: (facts, platform) =>
      prose`
        For whom, and until when: \`${logCommand(LOGS_OF.job(facts, platform, facts.recoveryJob), facts)}\`.
        Ask the reader of the link. If nobody knows of it, stop the run, which destroys the link, end that user's
        sessions in the application, and find in the audit log who may run the job.
      `,
  },
  "secret-read": {
    title: "an unexpected account has read a secret",
    severity: "CRITICAL",
    needs: ["audit"],
    filters: both(strangeRead),
    firstSteps: (facts) =>
      prose`
        Who, when and from where: \`${logCommand(strangeRead(facts), facts, "1d")}\`.
        If you do not know the account, revoke its access and rotate what can be rotated.
        An apply reads secrets too: add its account to \`${facts.nameOf("secretReadLog.expectedReaders")}\`.
      `,
  },
};

/**
 * Ends of the names of secrets, including those of the jobs' scripts; the name of another application may begin the
 * same way.
 */
export const SECRET_SUFFIXES = [
  ...[SECRET_KEY, BOOTSTRAP_PASSWORD, BOOTSTRAP_TOKEN, ...Object.values(BLUEPRINT_SECRETS)].map(({ suffix }) => suffix),
  DATABASE_PASSWORD_SUFFIX,
  DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX,
  DB_INIT_JOB,
  DB_RETIRE_JOB,
  DUMP_JOB,
  FIRST_DUMP_JOB,
  CHECK_UP_JOB,
  SIGN_IN_PROBE_JOB,
  EVENT_RETENTION_JOB,
  RECOVERY_JOB,
  RECOVERY_LINK_SUFFIX,
].join("|");

/** The line in which the recovery job names the user of a new link. */
function linkMade(facts: AlertFacts, platform: Platform): string {
  return `${LOGS_OF.job(facts, platform, facts.recoveryJob)} jsonPayload.recovery_link_made=true`;
}

/** Reads of the deployment's secrets. The log has the project's number, not its id, so they are found by name only. */
export function secretReads(secretPrefix: string): string {
  return prose`
    log_id("cloudaudit.googleapis.com/data_access") protoPayload.serviceName="secretmanager.googleapis.com"
    protoPayload.methodName:"AccessSecretVersion"
    protoPayload.resourceName=~"/secrets/${secretPrefix}(${SECRET_SUFFIXES})/"
  `;
}

function strangeRead({ secretPrefix, secretReaders }: AlertFacts): string {
  return `${secretReads(secretPrefix)} NOT protoPayload.authenticationInfo.principalEmail=(${secretReaders})`;
}
