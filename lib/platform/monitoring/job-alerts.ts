import {
  BOOTSTRAP_PASSWORD,
  BOOTSTRAP_TOKEN,
  DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX,
  DATABASE_PASSWORD_SUFFIX,
  DB_INIT_JOB,
  SECRET_KEY,
} from "../../idp/contract";
import { DUMP_JOB, FIRST_DUMP_JOB } from "../../idp/dump-defaults";
import { LOGS_OF, logCommand, type Alert, type AlertNames, type Condition, type MetricCondition } from "./alert";

/** An execution that failed after all its attempts, of the jobs that a label selects. */
const failures = (jobs: (names: AlertNames) => string): MetricCondition => ({
  query: (names) =>
    `sum(increase(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job", ${jobs(names)}, result="failed"}[10m]))`,
  raisedWhen: ">",
  threshold: 0,
  durationSeconds: 0,
});

/** What ends the name of a copy of a job with which `restore.sh` or a drill works; they say themselves what fails. */
const RESTORE_COPY = "-restore$";

/** The same as the cluster reports it. */
const failedJob = (job: (names: AlertNames) => string): Condition => ({
  filter: (names) =>
    `${LOGS_OF.events(names, "Job", job(names))} NOT jsonPayload.involvedObject.name=~"${RESTORE_COPY}" jsonPayload.reason=("BackoffLimitExceeded" OR "DeadlineExceeded")`,
});

/** The dumps by the schedule and the first one at an apply, which Cloud Run has as two jobs. */
const dumpJobs = ({ dumpJob, firstDumpJob }: AlertNames): string => `job_name=~"${dumpJob}|${firstDumpJob}"`;

/**
 * A dump a day, and six hours for one that is late. A condition looks back a day at most, so a part of the time is in how
 * long it must hold.
 */
const DUMP_AGE = { raisedWhen: ">=", threshold: 1, windowSeconds: 20 * 3600, durationSeconds: 10 * 3600 } as const;
const DUMP_WINDOW = `${DUMP_AGE.windowSeconds / 3600}h`;

/** Alerts about jobs, and about access to what they protect. */
export const JOB_ALERTS: readonly Alert[] = [
  {
    id: "job-failed",
    title: "the preparation of the database failed",
    severity: "ERROR",
    measures: "failures in 10 min",
    on: { serverless: failures(({ job }) => `job_name="${job}"`), kubernetes: failedJob(({ job }) => job) },
    firstSteps: (names, platform) =>
      `The apply that started it has failed too. What it said: \`${logCommand(LOGS_OF.job(names, platform, names.job), names)}\`. Mend the cause and apply again.`,
  },
  {
    id: "dump-failed",
    title: "a dump of the database failed",
    severity: "ERROR",
    measures: "failures in 10 min",
    needs: ["dump"],
    on: { serverless: failures(dumpJobs), kubernetes: failedJob(({ dumpJob }) => dumpJob) },
    firstSteps: (names, platform) =>
      `The dumps before it are kept. What it said: \`${logCommand(LOGS_OF.dumps(names, platform), names, "1d")}\``,
  },
  {
    id: "dump-too-old",
    title: "the last dump of the database is too old",
    severity: "ERROR",
    measures: "1 for none in 20 h",
    needs: ["dailyDump"],
    on: {
      serverless: {
        query: (names) =>
          `absent_over_time(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job", ${dumpJobs(names)}, result="succeeded"}[${DUMP_WINDOW}])`,
        ...DUMP_AGE,
      },
      kubernetes: {
        query: ({ dumpBucket }) =>
          `absent_over_time(storage_googleapis_com:api_request_count{monitored_resource="gcs_bucket", bucket_name="${dumpBucket}", method="WriteObject", response_code="OK"}[${DUMP_WINDOW}])`,
        ...DUMP_AGE,
      },
    },
    firstSteps: (names, platform) =>
      `There was no new one for more than a day: is the schedule paused, deleted, or too new to have made one? What the job said: \`${logCommand(LOGS_OF.dumps(names, platform), names, "2d")}\``,
  },
  {
    id: "secret-read",
    title: "somebody else has read a secret",
    severity: "CRITICAL",
    needs: ["audit"],
    on: { serverless: { filter: strangeRead }, kubernetes: { filter: strangeRead } },
    firstSteps: (names) =>
      `Who, when and from where: \`${logCommand(strangeRead(names), names, "1d")}\`. If it is nobody you know, take the right away from that account, and raise the versions of what can be rotated. An apply reads secrets too: put its account into \`${names.called("secretReaders")}\`.`,
  },
];

/** What names of secrets end in, those of the jobs' scripts too; another application's name may begin alike. */
const SECRET_SUFFIXES = [
  ...[SECRET_KEY, BOOTSTRAP_PASSWORD, BOOTSTRAP_TOKEN].map(({ suffix }) => suffix),
  ...[DATABASE_PASSWORD_SUFFIX, DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX, DB_INIT_JOB, DUMP_JOB, FIRST_DUMP_JOB],
].join("|");

/** Secrets are known by the project's number there, so only by their names. */
function strangeRead({ secretPrefix, secretReaders }: AlertNames): string {
  return `log_id("cloudaudit.googleapis.com/data_access") protoPayload.serviceName="secretmanager.googleapis.com" protoPayload.methodName:"AccessSecretVersion" protoPayload.resourceName=~"/secrets/${secretPrefix}(${SECRET_SUFFIXES})/" NOT protoPayload.authenticationInfo.principalEmail=(${secretReaders})`;
}
