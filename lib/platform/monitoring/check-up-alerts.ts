import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts, both, logCommand, LOGS_OF, type Platform, type Text } from "./alert";

/** Lines of the check-up in which the given condition is true. */
const found =
  (...wrong: readonly string[]) =>
  (facts: AlertFacts, platform: Platform): string =>
    prose`
      ${LOGS_OF.job(facts, platform, facts.checkUpJob)}
      (${wrong.map((each) => `jsonPayload.${each}=true`).join(" OR ")})
    `;

const workerLog = (facts: AlertFacts, platform: Platform) =>
  `What the worker said: \`${logCommand(LOGS_OF.workload(facts, platform), facts)}\``;

/** Alerts by signals of the check-up's line: the one of the same name, or `keys`. The line precedes the steps. */
const SIGNALS: Readonly<Record<string, Omit<Alerts[string], "filters"> & { readonly keys?: readonly string[] }>> = {
  "tasks-late": {
    title: "background tasks are not begun",
    severity: "ERROR",
    firstSteps: (facts, platform) =>
      prose`
        Mail and background tasks wait, because the worker is gone, frozen or busy. ${workerLog(facts, platform)}.
        Start it anew by another revision or pod; if tasks are just many,
        raise \`${facts.nameOf("worker.processes")}\`.
      `,
  },
  "tasks-hanging": {
    title: "a background task does not end",
    severity: "ERROR",
    firstSteps: (facts, platform) =>
      [
        prose`
          It has run longer than its own time limit and keeps a thread, or a synchronization waits for
          pages, none of which
        `,
        `has ended meanwhile. ${workerLog(facts, platform)}. Start the worker anew; the task is tried again. For`,
        `synchronizations, raise \`${facts.nameOf("worker.threads")}\` if as many run at once as there are threads.`,
      ].join(" "),
  },
  "schedules-overdue": {
    title: "the schedules of the application stand still",
    severity: "ERROR",
    firstSteps: (facts, platform) => `No worker enqueues what is due. ${workerLog(facts, platform)}.`,
  },
  "tasks-failed": {
    title: "background tasks have failed for good",
    severity: "WARNING",
    firstSteps: (facts, platform) =>
      `All attempts are used; the application shows them under System, System tasks. ${workerLog(facts, platform)}.`,
  },
  "mail-not-sent": {
    title: "mail was not sent",
    severity: "ERROR",
    firstSteps: (facts, platform) =>
      prose`
        All attempts are used, so nobody gets it. Send a test mail with the output test_mail_command.
        ${workerLog(facts, platform)}.
      `,
  },
  "sign-ins-failed": {
    title: "many sign-ins have failed",
    severity: "WARNING",
    keys: ["sign_ins_failed", "sign_ins_failed_from_one_address"],
    firstSteps: () =>
      prose`
        Somebody guesses passwords, or an application has an old one: see Events, Logs in the application,
        action Login Failed. Refuse attackers with \`protection\`.
      `,
  },
  "application-certificate": {
    title: "a certificate of the application ends soon",
    severity: "WARNING",
    firstSteps: () =>
      prose`
        After its end, applications refuse SAML answers and tokens that it signs. Replace it under System,
        Certificates, in the providers that use it, and where applications have it.
      `,
  },
  "outposts-disconnected": {
    title: "an outpost is not connected",
    severity: "ERROR",
    firstSteps: () =>
      prose`
        What signs in by it cannot. See Applications, Outposts, and the log of the outpost: is it running,
        may it reach the server, is its token right?
      `,
  },
  "blueprints-failed": {
    title: "a blueprint could not be applied",
    severity: "WARNING",
    firstSteps: (facts, platform) =>
      prose`
        Two attempts within an hour failed, so what is in it is not in effect; the application shows it
        under Customization, Blueprints. ${workerLog(facts, platform)}.
      `,
  },
  "restore-untested": {
    title: "no restore drill has passed for too long",
    severity: "WARNING",
    needs: ["ownDatabase", "restoreDrill"],
    firstSteps: () =>
      prose`
        Nobody knows whether the database can be restored. In the folder of the stack, export the output
        restore_settings and run scripts/restore-drill.sh, which records that it has passed. If a pipeline runs it,
        see why its last runs failed.
      `,
  },
};

/** Alerts about problems in the application's database, the same on both platforms. */
export const CHECK_UP_ALERTS: Alerts = {
  ...Object.fromEntries(
    Object.entries(SIGNALS).map(([id, { firstSteps, keys = [id.replaceAll("-", "_")], needs = [], ...row }]) => {
      const filter = found(...keys.map((key) => `signals.${key}.raised`));
      const steps: Text = (facts, platform) =>
        prose`
          Counts, ages and names of tasks: \`${logCommand(filter(facts, platform), facts)}\`.
          ${firstSteps(facts, platform)}
        `;
      return [id, { ...row, needs: ["checkUp", ...needs], filters: both(filter), firstSteps: steps }];
    }),
  ),
  "check-up-blind": {
    title: "the check-up does not know everything",
    severity: "WARNING",
    needs: ["checkUp"],
    filters: both(found("blind")),
    firstSteps: (facts, platform) =>
      prose`
        A table or a column has another name in this release, or the database does not answer:
        \`${logCommand(found("blind")(facts, platform), facts)}\`. Signals under \`unknown\` are not watched until
        a newer folder is applied.
      `,
  },
  "check-up-missing": {
    title: "there was no check-up for three periods",
    severity: "WARNING",
    needs: ["checkUp"],
    queries: {
      serverless: ({ checkUpJob, checkUpWindow }) =>
        prose`
          absent_over_time(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job",
          job_name="${checkUpJob}", result="succeeded"}[${checkUpWindow}])
        `,
      // Uses the log, because a pod that runs only for seconds has no metrics.
      kubernetes: ({ checkUpWindow, namespace }) =>
        prose`
          absent_over_time(logging_googleapis_com:log_entry_count{monitored_resource="k8s_container",
          namespace_name="${namespace}", container_name="check-up", log="stdout"}[${checkUpWindow}])
        `,
    },
    limit: { raisedWhen: ">=", threshold: 1, durationSeconds: 60, measures: "1 for none in three periods" },
    firstSteps: (facts, platform) =>
      prose`
        Is its schedule paused or deleted, or does it fail? Its log:
        \`${logCommand(LOGS_OF.job(facts, platform, facts.checkUpJob), facts)}\`
      `,
  },
};
