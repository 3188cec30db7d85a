import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts, both, logCommand, LOGS_OF, type Platform } from "./alert";

/** Lines of the sign-in probe in which the given condition is true. */
const line =
  (what: "blind" | "failed" | "slow") =>
  (facts: AlertFacts, platform: Platform): string =>
    `${LOGS_OF.job(facts, platform, facts.signInProbeJob)} jsonPayload.${what}=true`;

/** The problem and its step. */
const lines = (what: Parameters<typeof line>[0], facts: AlertFacts, platform: Platform) =>
  `Outcome, step and seconds: \`${logCommand(line(what)(facts, platform), facts)}\`.`;

/** Alerts of the sign-in probe; each line is of two attempts where something is wrong. */
export const SIGN_IN_ALERTS: Alerts = {
  "sign-in-failed": {
    title: "sign-in fails: the probe failed twice",
    severity: "CRITICAL",
    needs: ["signInProbe"],
    filters: both(line("failed")),
    firstSteps: (facts, platform) =>
      prose`
        ${lines("failed", facts, platform)}
        Sign in yourself. If you can: \`rejected\` means that somebody has changed the user sign-in-probe, or that
        its blueprint is not applied; \`denied\`, that a policy holds it back, such as one of reputation; \`no_flow\`,
        another slug in \`${facts.nameOf("signInProbe")}\`; \`no_code\` or \`no_token\`, its client.
        If you cannot, what the server said: \`${logCommand(LOGS_OF.workload(facts, platform), facts)}\`.
      `,
  },
  "sign-in-slow": {
    title: "signing in takes long",
    severity: "WARNING",
    needs: ["signInProbe"],
    filters: both(line("slow")),
    firstSteps: (facts, platform) =>
      prose`
        ${lines("slow", facts, platform)}
        Which step is it? One that checks a password uses the CPU, others the database. Compare with the dashboard,
        raise \`${facts.nameOf("minInstanceCount")}\` or \`${facts.nameOf("containerCpu")}\`, or the seconds in
        \`${facts.nameOf("signInProbe")}\`.
      `,
  },
  "sign-in-probe-blind": {
    title: "the sign-in probe cannot pass a stage, and so proves nothing",
    severity: "WARNING",
    needs: ["signInProbe"],
    filters: both(line("blind")),
    firstSteps: (facts, platform) =>
      prose`
        ${lines("blind", facts, platform)}
        No program passes a captcha, a second factor or a question of yours. Bind an expression policy to that
        stage's binding in the flow, which skips it for the user sign-in-probe, or for the network that the probe
        comes from. Or name another flow in \`${facts.nameOf("signInProbe")}\`, or let it end at the second factor.
      `,
  },
  "sign-in-probe-missing": {
    title: "no sign-in was tried for three periods",
    severity: "WARNING",
    needs: ["signInProbe"],
    queries: {
      serverless: ({ signInProbeJob, signInProbeWindow }) =>
        prose`
          absent_over_time(run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job",
          job_name="${signInProbeJob}", result="succeeded"}[${signInProbeWindow}])
        `,
      // Uses the log, because a pod that runs only for seconds has no metrics.
      kubernetes: ({ namespace, signInProbeWindow }) =>
        prose`
          absent_over_time(logging_googleapis_com:log_entry_count{monitored_resource="k8s_container",
          namespace_name="${namespace}", container_name="sign-in", log="stdout"}[${signInProbeWindow}])
        `,
    },
    limit: { raisedWhen: ">=", threshold: 1, durationSeconds: 60, measures: "1 for none in three periods" },
    firstSteps: (facts, platform) =>
      prose`
        Is its schedule paused or deleted, or does it fail? Its log:
        \`${logCommand(LOGS_OF.job(facts, platform, facts.signInProbeJob), facts)}\`
      `,
  },
};
