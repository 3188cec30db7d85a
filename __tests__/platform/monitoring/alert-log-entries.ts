import { FACTS } from "./alert-fixture";
import { type LogEntry } from "./log-filter";

/** Entries that must raise an alert, and others that must not, each by what it is. */
export interface LogExample {
  readonly raises: readonly LogEntry[];
  readonly quiet: Readonly<Record<string, LogEntry>>;
}

const { checkUpJob, database, dumpJob, eventRetentionJob, firstDumpJob, job, namespace, projectId } = FACTS;
const { recoveryJob, signInProbeJob, worker, workload } = FACTS;

const logName = (log: string): string => `projects/${projectId}/logs/${encodeURIComponent(log)}`;

const revision = (entry: LogEntry, service = workload): LogEntry => ({
  resource: { type: "cloud_run_revision", labels: { service_name: service, location: "us-central1" } },
  ...entry,
});

const pool = (entry: LogEntry, name = worker): LogEntry => ({
  resource: { type: "cloud_run_worker_pool", labels: { worker_pool_name: name, location: "us-central1" } },
  ...entry,
});

const container = (entry: LogEntry, ofNamespace = namespace): LogEntry => ({
  resource: {
    type: "k8s_container",
    labels: { namespace_name: ofNamespace, container_name: "server", pod_name: "idp-5d9f" },
  },
  ...entry,
});

const serverPod = `${workload}-7d4b9c6f5-x7k2p`;

const event = (kind: string, name: string, reason: string, ofNamespace = namespace): LogEntry => ({
  logName: logName("events"),
  resource: { type: kind === "Pod" ? "k8s_pod" : "k8s_cluster", labels: {} },
  jsonPayload: { involvedObject: { kind, name, namespace: ofNamespace }, reason },
});

const system = (textPayload: string): LogEntry =>
  revision({ logName: logName("run.googleapis.com/varlog/system"), textPayload });

const systemOfPool = (textPayload: string, name = worker): LogEntry =>
  pool({ logName: logName("run.googleapis.com/varlog/system"), textPayload }, name);

const rollout = (message: string, kind = "Revision", of = revision): LogEntry =>
  of({
    logName: logName("cloudaudit.googleapis.com/system_event"),
    severity: "ERROR",
    protoPayload: { status: { message }, response: { kind } },
  });

/** The signals of the check-up's line that raise an alert. */
const CHECK_UP_SIGNALS = {
  "tasks-late": ["tasks_late"],
  "tasks-hanging": ["tasks_hanging"],
  "schedules-overdue": ["schedules_overdue"],
  "tasks-failed": ["tasks_failed"],
  "mail-not-sent": ["mail_not_sent"],
  "sign-ins-failed": ["sign_ins_failed", "sign_ins_failed_from_one_address"],
  "application-certificate": ["application_certificate"],
  "outposts-disconnected": ["outposts_disconnected"],
  "blueprints-failed": ["blueprints_failed"],
  "restore-untested": ["restore_untested"],
  "check-up-blind": ["blind"],
} as const;

/** A line of the check-up in which only this is wrong. */
const checkUpLine = (wrong = ""): object => ({
  blind: wrong === "blind",
  signals: Object.fromEntries(
    Object.values(CHECK_UP_SIGNALS)
      .flat()
      .map((key) => [key, { count: Number(key === wrong), raised: key === wrong }]),
  ),
});

/** An entry that a job has written. */
type Written = (job: string, payload: object | string) => LogEntry;

const written = (payload: object | string) =>
  typeof payload === "string" ? { textPayload: payload } : { jsonPayload: payload };

const ofJob: Written = (name, payload) => ({
  resource: { type: "cloud_run_job", labels: { job_name: name, location: "us-central1" } },
  ...written(payload),
});

const ofPod: Written = (name, payload) => ({
  resource: {
    type: "k8s_container",
    labels: { namespace_name: namespace, container_name: "check-up", pod_name: `${name}-29403240-x7k2p` },
  },
  ...written(payload),
});

const checkUp = (write: Written, keys: readonly string[]): LogExample => ({
  raises: keys.map((key) => write(checkUpJob, checkUpLine(key))),
  quiet: {
    "nothing wrong": write(checkUpJob, checkUpLine()),
    "something else wrong": write(checkUpJob, checkUpLine(keys[0] === "tasks_late" ? "tasks_failed" : "tasks_late")),
    "another deployment": write("idp-other-5e6f7a-check-up", checkUpLine(keys[0])),
  },
});

/** The alerts of the sign-in probe, and what is true in a line that raises each. */
const SIGN_IN_LINES = { "sign-in-failed": "failed", "sign-in-slow": "slow", "sign-in-probe-blind": "blind" } as const;

const signInLine = (what?: string): object => ({
  outcome: "signed_in",
  ...Object.fromEntries(Object.values(SIGN_IN_LINES).map((each) => [each, each === what])),
});

const linkLine = { recovery_link_made: true, user: "akadmin", minutes: 15 };

const recovery = (write: Written): LogExample => ({
  raises: [write(recoveryJob, linkLine)],
  quiet: {
    "the line that says where the link is": write(recoveryJob, { message: "the link is version 3 of the secret" }),
    "another deployment": write("idp-other-5e6f7a-recovery", linkLine),
    "the same line of another job": write(checkUpJob, linkLine),
  },
});

const signIn = (write: Written, what: string): LogExample => ({
  raises: [write(signInProbeJob, signInLine(what))],
  quiet: {
    "a sign-in": write(signInProbeJob, signInLine()),
    "something else that is wrong": write(signInProbeJob, signInLine(what === "slow" ? "failed" : "slow")),
    "another deployment": write("idp-other-5e6f7a-sign-in", signInLine(what)),
    "a line of the check-up": write(checkUpJob, signInLine(what)),
  },
});

/** Lines of the entrypoint, and others of it; the first of another deployment raises nothing either. */
const printed = (
  write: typeof revision,
  [first = "", ...further]: readonly string[],
  others: Readonly<Record<string, string>>,
): LogExample => ({
  raises: [first, ...further].map((textPayload) => write({ textPayload })),
  quiet: {
    ...Object.fromEntries(Object.entries(others).map(([what, textPayload]) => [what, write({ textPayload })])),
    "another deployment": write({ textPayload: first }, "other"),
  },
});

const WORKER_DOWN = [
  "cloud-entrypoint: worker ended with exit code 1 after 3 s, starts again in 10 s",
  "cloud-entrypoint: the supervision of the worker ended with exit code 2, so the container ends",
];
const WAITED_TOO_LONG =
  "cloud-entrypoint: connection pool: 2026-11-27 10:00:00.000 UTC [12] WARNING C-0x5582: idp/idp@unix(40):6432 pooler error: query_wait_timeout";
const TIMED_OUT = "cloud-entrypoint: connection pool: a request timed out waiting for the database: connect failed";
const NO_CONNECTION = [
  "cloud-entrypoint: connection pool: no connection to the database: connect failed",
  'cloud-entrypoint: connection pool: no connection to the database: password authentication failed for user "idp"',
];
const LOGIN_FAILS =
  "cloud-entrypoint: connection pool: 2026-11-27 10:00:00.000 UTC [12] WARNING C-0x5582: idp/idp@unix(40):6432 pooler error: server login has been failing";
const UNRESTORABLE =
  "a restore of this dump may fail: event trigger watch of another owner; remove it from the database";
const unrestorable = (write: Written, ...jobs: readonly string[]): LogExample => ({
  raises: jobs.map((name) => write(name, UNRESTORABLE)),
  quiet: {
    "a good dump": write(dumpJob, "done: 4711 bytes after 3 s"),
    "another job": write("other", UNRESTORABLE),
  },
});

const STARTS_AGAIN = "cloud-entrypoint: worker starts again";

const backup = (windowStatus: string, name = database): LogEntry => ({
  logName: logName("cloudaudit.googleapis.com/system_event"),
  resource: { type: "cloudsql_database", labels: { database_id: `${projectId}:${name}` } },
  protoPayload: { methodName: "cloudsql.instances.automatedBackup", metadata: { windowStatus } },
});

const expiry = (state: string, ofDeployment = FACTS.deployment): LogEntry => ({
  logName: logName("certificatemanager.googleapis.com/certificates_expiry"),
  resource: { type: "certificatemanager.googleapis.com/Project", labels: {} },
  jsonPayload: {
    certificates: [`projects/${projectId}/locations/global/certificates/${ofDeployment}-0a1b2c3d`],
    count: "1",
    state,
  },
});

const read = (principalEmail: string, secret = `${FACTS.secretPrefix}secret-key`): LogEntry => ({
  logName: logName("cloudaudit.googleapis.com/data_access"),
  resource: { type: "audited_resource", labels: {} },
  protoPayload: {
    serviceName: "secretmanager.googleapis.com",
    methodName: "google.cloud.secretmanager.v1.SecretManagerService.AccessSecretVersion",
    resourceName: `projects/123456789012/secrets/${secret}/versions/1`,
    authenticationInfo: { principalEmail },
  },
});

const failedJob = (name: string): LogExample => ({
  raises: [event("Job", `${name}-28812345`, "BackoffLimitExceeded"), event("Job", name, "DeadlineExceeded")],
  quiet: {
    "a finished job": event("Job", name, "Completed"),
    "another job": event("Job", "migration", "BackoffLimitExceeded"),
    "a copy that restores": event("Job", `${name}-0a1b2c3d4e-restore`, "BackoffLimitExceeded"),
  },
});

/** What a node tells the API server of the containers of a pod. */
const podStatus = (name: string, state: object, lastState: object = {}, ofNamespace = namespace): LogEntry => ({
  logName: logName("cloudaudit.googleapis.com/activity"),
  resource: { type: "k8s_cluster", labels: {} },
  protoPayload: {
    methodName: "io.k8s.core.v1.pods.status.patch",
    resourceName: `core/v1/namespaces/${ofNamespace}/pods/${name}/status`,
    request: {
      status: {
        containerStatuses: [
          { name: "database-proxy", state: { running: {} } },
          { name: "server", state, lastState },
        ],
      },
    },
  },
});
const ended = (reason: string) => ({ terminated: { exitCode: 137, reason } });

/** An example for each alert with a log condition, by its id and platform. */
export const LOG_EXAMPLES: Readonly<Record<string, LogExample>> = {
  "out-of-memory on serverless": {
    raises: [
      system("Out-of-memory event detected in container"),
      systemOfPool("Out-of-memory event detected in container"),
      system("Memory limit of 4096 MiB exceeded with 4100 MiB used. Consider increasing the memory limit."),
    ],
    quiet: {
      "a start": system("Default STARTUP HTTP probe succeeded"),
      "somebody who writes about it": revision({
        logName: logName("run.googleapis.com/stdout"),
        textPayload: "Consider increasing the memory limit",
      }),
    },
  },
  "out-of-memory on kubernetes": {
    raises: [
      podStatus(serverPod, ended("OOMKilled")),
      podStatus(`${worker}-68c9f7d5b4-q2w8z`, ended("OOMKilled"), ended("Error")),
    ],
    quiet: {
      "a container that ended by itself": podStatus(serverPod, ended("Error")),
      "the next one, ready": podStatus(serverPod, { running: {} }, ended("OOMKilled")),
      "another namespace": podStatus(serverPod, ended("OOMKilled"), {}, "other"),
      "a pod of a dump": podStatus(`${dumpJob}-29403240-x7k2p`, ended("OOMKilled")),
    },
  },
  "certificate-renewal": {
    raises: [expiry("CLOSE_TO_EXPIRY"), expiry("EXPIRED")],
    quiet: {
      "another deployment": expiry("EXPIRED", "idp-acme-1a2b3c"),
    },
  },
  "container-ended": {
    raises: [system("Container called exit(1)."), systemOfPool("Container called exit(139).")],
    quiet: {
      "an instance that is no longer needed": system("Container called exit(0)."),
      "one that was told to": systemOfPool("Container called exit(143)."),
      "another worker pool": systemOfPool("Container called exit(1).", "other"),
    },
  },
  "no-instance": {
    raises: [
      revision({ textPayload: "The request was aborted because there was no available instance. Additional …" }),
    ],
    quiet: {
      "another service": revision(
        { textPayload: "The request was aborted because there was no available instance." },
        "other",
      ),
    },
  },
  "failed-rollout on serverless": {
    raises: [
      rollout("Ready condition status changed to False for Revision idp-00002 with message: …"),
      rollout("Ready condition status changed to False for Revision idp-w-00002 with message: …", "Revision", pool),
    ],
    quiet: {
      "a rollout that succeeds": rollout("Ready condition status changed to True for Revision idp-00002."),
      "what is said of the service": rollout("Ready condition status changed to False for Service idp.", "Service"),
    },
  },
  "failed-rollout on kubernetes": {
    raises: [
      event("Pod", serverPod, "BackOff"),
      event("Pod", serverPod, "FailedMount"),
      event("Pod", `${worker}-68c9f7d5b4-q2w8z`, "BackOff"),
    ],
    quiet: {
      "a pod that waits for a node": event("Pod", serverPod, "FailedScheduling"),
      "a pod of the job that prepares the database": event("Pod", `${job}-0a1b2c3d4e-x7k2p`, "BackOff"),
      "a pod of a dump": event("Pod", `${dumpJob}-29403240-x7k2p`, "FailedMount"),
      "a pod of a restore": event("Pod", `${dumpJob}-restore-x7k2p`, "BackOff"),
    },
  },
  "pool-exhausted on serverless": printed(revision, [WAITED_TOO_LONG], {
    "an absent database": LOGIN_FAILS,
    "a request that waited for it": TIMED_OUT,
  }),
  "pool-exhausted on kubernetes": printed(container, [WAITED_TOO_LONG], {
    "an absent database": LOGIN_FAILS,
    "a request that waited for it": TIMED_OUT,
  }),
  "pool-without-database on serverless": printed(revision, NO_CONNECTION, { "a late request": TIMED_OUT }),
  "pool-without-database on kubernetes": printed(container, NO_CONNECTION, { "a late request": TIMED_OUT }),
  "worker-down on serverless": printed(revision, WORKER_DOWN, { "the next start": STARTS_AGAIN }),
  "worker-down on kubernetes": printed(container, WORKER_DOWN, { "the next start": STARTS_AGAIN }),
  "backup-failed": {
    raises: ["STATUS_FAILED", "STATUS_ATTEMPT_FAILED", "STATUS_SKIPPED"].map((status) => backup(status)),
    quiet: {
      "a good backup": backup("STATUS_SUCCEEDED"),
      "another database": backup("STATUS_FAILED", "other"),
    },
  },
  "job-failed on kubernetes": failedJob(job),
  "dump-failed on kubernetes": failedJob(dumpJob),
  "event-retention-failed on kubernetes": failedJob(eventRetentionJob),
  ...Object.fromEntries(
    Object.entries(CHECK_UP_SIGNALS).flatMap(([id, keys]) => [
      [`${id} on serverless`, checkUp(ofJob, keys)],
      [`${id} on kubernetes`, checkUp(ofPod, keys)],
    ]),
  ),
  "recovery-link on serverless": recovery(ofJob),
  "recovery-link on kubernetes": recovery(ofPod),
  ...Object.fromEntries(
    Object.entries(SIGN_IN_LINES).flatMap(([id, what]) => [
      [`${id} on serverless`, signIn(ofJob, what)],
      [`${id} on kubernetes`, signIn(ofPod, what)],
    ]),
  ),
  "dump-not-restorable on serverless": unrestorable(ofJob, dumpJob, firstDumpJob),
  "dump-not-restorable on kubernetes": unrestorable(ofPod, dumpJob),
  "secret-read": {
    raises: [read("stranger@example.com")],
    quiet: {
      "the application": read("idp-run-0a1b2c@my-project.iam.gserviceaccount.com"),
      "whoever applies": read("deployer@example.com"),
      "another secret": read("stranger@example.com", "other"),
    },
  },
};
