import { both, LOGS_OF, logCommand, type AlertNames, type Alerts, type Platform } from "./alert";

/** Lines of the check-up of which one is true. */
const found =
  (...wrong: readonly string[]) =>
  (names: AlertNames, platform: Platform): string =>
    `${LOGS_OF.job(names, platform, names.checkUpJob)} (${wrong.map((each) => `jsonPayload.${each}=true`).join(" OR ")})`;

const signals = (...keys: readonly string[]) => found(...keys.map((key) => `signals.${key}.raised`));

/** A row of the table, raised by some signals of the check-up's line; its first steps begin with that line. */
function signal(
  title: string,
  severity: "ERROR" | "WARNING",
  keys: readonly string[],
  steps: (names: AlertNames, platform: Platform) => string,
): Alerts[string] {
  const filter = signals(...keys);
  return {
    ...{ title, severity, needs: ["checkUp"], filters: both(filter) },
    firstSteps: (names, platform) =>
      `Counts, ages and names of tasks: \`${logCommand(filter(names, platform), names)}\`. ${steps(names, platform)}`,
  };
}

const workerLog = (names: AlertNames, platform: Platform) =>
  `What the worker said: \`${logCommand(LOGS_OF.workload(names, platform), names)}\``;

/** Alerts about what the application's database says, the same on both platforms. */
export const CHECK_UP_ALERTS: Alerts = {
  "tasks-late": signal(
    "background tasks are not begun",
    "ERROR",
    ["tasks_late"],
    (names, platform) =>
      `Mail and background tasks wait, because the worker is gone, frozen or busy. ${workerLog(names, platform)}. Start it anew by another revision or pod; if tasks are just many, raise \`${names.called("workerProcesses")}\`.`,
  ),
  "tasks-hanging": signal(
    "a background task does not end",
    "ERROR",
    ["tasks_hanging"],
    (names, platform) =>
      `It has run longer than its own time limit and keeps a thread. ${workerLog(names, platform)}. Start the worker anew; the task is tried again.`,
  ),
  "schedules-overdue": signal(
    "the schedules of the application stand still",
    "ERROR",
    ["schedules_overdue"],
    (names, platform) => `No worker enqueues what is due. ${workerLog(names, platform)}.`,
  ),
  "tasks-failed": signal(
    "background tasks have failed for good",
    "WARNING",
    ["tasks_failed"],
    (names, platform) =>
      `All attempts are used; the application shows them under System, System tasks. ${workerLog(names, platform)}.`,
  ),
  "mail-not-sent": signal(
    "mail was not sent",
    "ERROR",
    ["mail_not_sent"],
    (names, platform) =>
      `All attempts are used, so nobody gets it. Send a test mail with the output test_mail_command. ${workerLog(names, platform)}.`,
  ),
  "sign-ins-failed": signal(
    "many sign-ins have failed",
    "WARNING",
    ["sign_ins_failed", "sign_ins_failed_from_one_address"],
    () =>
      `Somebody guesses passwords, or an application has an old one: see Events, Logs in the application, action Login Failed. Refuse attackers with \`protection\`.`,
  ),
  "application-certificate": signal(
    "a certificate of the application ends soon",
    "WARNING",
    ["application_certificate"],
    () =>
      `After its end, applications refuse SAML answers and tokens that it signs. Replace it under System, Certificates, in the providers that use it, and where applications have it.`,
  ),
  "outposts-disconnected": signal(
    "an outpost is not connected",
    "ERROR",
    ["outposts_disconnected"],
    () =>
      `What signs in by it cannot. See Applications, Outposts, and the log of the outpost: is it running, may it reach the server, is its token right?`,
  ),
  "blueprints-failed": signal(
    "a blueprint could not be applied",
    "WARNING",
    ["blueprints_failed"],
    (names, platform) =>
      `The settings in it are not in effect; the application shows it under Customization, Blueprints. ${workerLog(names, platform)}.`,
  ),
  "check-up-blind": {
    title: "the check-up does not know everything",
    severity: "WARNING",
    needs: ["checkUp"],
    filters: both(found("blind")),
    firstSteps: (names, platform) =>
      `A table or a column has another name in this release, or the database does not answer: \`${logCommand(found("blind")(names, platform), names)}\`. Signals under \`unknown\` are not watched until a newer folder is applied.`,
  },
  "check-up-missing": {
    title: "there was no check-up for three periods",
    severity: "WARNING",
    needs: ["checkUp"],
    queries: {
      serverless: ({ checkUpJob, checkUpWindow }) =>
        `absent_over_time(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job", job_name="${checkUpJob}", result="succeeded"}[${checkUpWindow}])`,
      // A pod that lives for seconds has no metrics of its own.
      kubernetes: ({ checkUpWindow, namespace }) =>
        `absent_over_time(logging_googleapis_com:log_entry_count{monitored_resource="k8s_container", namespace_name="${namespace}", container_name="check-up", log="stdout"}[${checkUpWindow}])`,
    },
    limit: { raisedWhen: ">=", threshold: 1, durationSeconds: 60, measures: "1 for none in three periods" },
    firstSteps: (names, platform) =>
      `Is its schedule paused or deleted, or does it fail? Its log: \`${logCommand(LOGS_OF.job(names, platform, names.checkUpJob), names)}\``,
  },
};
