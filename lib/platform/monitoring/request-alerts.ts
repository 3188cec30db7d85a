import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts, both, logCommand, LOGS_OF } from "./alert";

/** Series of the uptime check, by its host: a policy that names the check would keep it from being replaced. */
const check = ({ host }: AlertFacts): string => `monitored_resource="uptime_url", host="${host}"`;

const service = ({ workload }: AlertFacts): string =>
  `monitored_resource="cloud_run_revision", service_name="${workload}"`;

const loadBalancer = ({ urlMap }: AlertFacts): string =>
  `monitored_resource="https_lb_rule", url_map_name=~"${urlMap}"`;

/** Share of the requests that end in an error; with fewer than 20 in five minutes, it would mean nothing. */
function errorShare(metric: string, all: string, errors: string): string {
  const rate = (selector: string) => `sum(rate(${metric}{${selector}}[5m]))`;
  return `(${rate(`${all}, ${errors}`)} / ${rate(all)} and sum(increase(${metric}{${all}}[5m])) > 20)`;
}

/** The slowest of twenty requests, in milliseconds; web sockets count as long requests, but are few. */
const slowest = (metric: string, selector: string): string =>
  `histogram_quantile(0.95, sum by (le) (rate(${metric}_bucket{${selector}}[5m])))`;

/** Alerts about what clients see. */
export const REQUEST_ALERTS: Alerts = {
  uptime: {
    title: "sign-in does not answer",
    severity: "CRITICAL",
    needs: ["uptimeCheck"],
    queries: both(
      (facts) => `avg(avg_over_time(monitoring_googleapis_com:uptime_check_check_passed{${check(facts)}}[3m]))`,
    ),
    limit: { raisedWhen: "<", threshold: 0.4, durationSeconds: 120, measures: "share of successful checks" },
    firstSteps: (facts, platform) =>
      prose`
        More than half of the locations that check ${facts.host} get no successful response. See the response:
        \`curl -sSi https://${facts.host}/-/health/ready/\`. 500 or 502: the database does not answer,
        or has no connection left; a restart does not help. 503: an instance starts, or migrates the database.
        No answer for seconds: the database hangs. No connection: DNS, certificate or load balancer.
        Then read the log: \`${logCommand(`${LOGS_OF.workload(facts, platform)} severity>=WARNING`, facts)}\`
      `,
  },
  "certificate-expiry": {
    title: "the certificate of the domain ends soon",
    severity: "ERROR",
    needs: ["domain", "uptimeCheck"],
    queries: both(
      (facts) => `min(monitoring_googleapis_com:uptime_check_time_until_ssl_cert_expires{${check(facts)}})`,
    ),
    limit: { raisedWhen: "<", threshold: 15, durationSeconds: 600, measures: "days left" },
    firstSteps: certificateSteps,
  },
  "certificate-renewal": {
    title: "the certificate of the domain is not renewed",
    severity: "ERROR",
    // The classic certificate of a load balancer writes no log.
    needs: ["domain", "certificateByDns"],
    filters: both(expiringCertificate),
    firstSteps: certificateSteps,
  },
  errors: {
    title: "too many requests end in an error",
    severity: "ERROR",
    queries: {
      serverless: (facts) =>
        errorShare("run_googleapis_com:request_count", service(facts), 'response_code_class="5xx"'),
    },
    limit: { raisedWhen: ">", threshold: 0.05, durationSeconds: 300, measures: "share of the requests" },
    firstSteps: (facts, platform) =>
      prose`
        The requests: \`${logCommand(`${LOGS_OF.workload(facts, platform)} httpRequest.status>=500`, facts)}\`.
        503 without an entry of the application: no instance; 500 or 502 with one: the application,
        or a database that does not answer or has no connection left. After an upgrade,
        an earlier release needs the backup that was made before it.
      `,
  },
  latency: {
    title: "answers are slow",
    severity: "WARNING",
    queries: { serverless: (facts) => slowest("run_googleapis_com:request_latencies", service(facts)) },
    limit: { raisedWhen: ">", threshold: 2000, durationSeconds: 600, measures: "ms for the slowest of 20 requests" },
    firstSteps: (facts, platform) =>
      prose`
        One request in twenty takes longer than two seconds. Check the CPU of database and instances on the
        dashboard; raise \`${facts.nameOf("databaseTier")}\` or \`${facts.nameOf("maxInstanceCount")}\` if one is
        busy. The slow requests:
        \`${logCommand(`${LOGS_OF.workload(facts, platform)} httpRequest.latency>"2s"`, facts)}\`
      `,
  },
  "load-balancer-errors": {
    title: "too many requests to the domain end in an error",
    severity: "ERROR",
    needs: ["domain"],
    queries: both((facts) =>
      errorShare("loadbalancing_googleapis_com:https_request_count", loadBalancer(facts), 'response_code_class="500"'),
    ),
    limit: { raisedWhen: ">", threshold: 0.05, durationSeconds: 300, measures: "share of the requests" },
    firstSteps: (facts) =>
      prose`
        If there is no alert about the application, the load balancer cannot reach it.
        With \`${facts.nameOf("domainOptions.requestLogSampleRate")}\` above 0, the log says why:
        \`${logCommand(`${LOGS_OF.loadBalancer(facts)} httpRequest.status>=500`, facts)}\`
      `,
  },
  "blocked-requests": {
    title: "the load balancer refuses many requests",
    severity: "WARNING",
    needs: ["domain", "protection"],
    queries: both(
      ({ securityPolicy }) =>
        prose`
        sum(increase(networksecurity_googleapis_com:https_request_count{monitored_resource="network_security_policy",
        policy_name="${securityPolicy}", blocked="true"}[10m]))
      `,
    ),
    limit: { raisedWhen: ">", threshold: 1000, durationSeconds: 300, measures: "refused requests in 10 min" },
    firstSteps: (facts) =>
      prose`
        Somebody is guessing passwords, or a rule refuses your own users.
        With \`${facts.nameOf("domainOptions.requestLogSampleRate")}\` above 0,
        the log shows the clients and the rules:
        \`${logCommand(`${LOGS_OF.loadBalancer(facts)} jsonPayload.enforcedSecurityPolicy.outcome="DENY"`, facts)}\`.
        The table of \`protection\` lists the rules by priority, with their limits.
      `,
  },
  "load-balancer-latency": {
    title: "answers of the domain are slow",
    severity: "WARNING",
    needs: ["domain"],
    queries: {
      kubernetes: (facts) => slowest("loadbalancing_googleapis_com:https_total_latencies", loadBalancer(facts)),
    },
    limit: { raisedWhen: ">", threshold: 2000, durationSeconds: 600, measures: "ms for the slowest of 20 requests" },
    firstSteps: (facts, platform) =>
      prose`
        One request in twenty takes longer than two seconds. Check the CPU of database and pods on the dashboard;
        raise \`${facts.nameOf("databaseTier")}\` or \`${facts.nameOf("maxInstanceCount")}\` if one is busy.
        The log of the server: \`${logCommand(`${LOGS_OF.workload(facts, platform)} severity>=WARNING`, facts)}\`
      `,
  },
};

/** Certificate Manager logs this every day from ten, or five, days before the certificate ends. */
function expiringCertificate({ deployment }: AlertFacts): string {
  return prose`
    log_id("certificatemanager.googleapis.com/certificates_expiry")
    jsonPayload.certificates:"/certificates/${deployment}-" jsonPayload.state=("CLOSE_TO_EXPIRY" OR "EXPIRED")
  `;
}

function certificateSteps({ nameOf, host, projectId }: AlertFacts): string {
  return prose`
    Certificates are renewed weeks before they end, so with only days left, the renewal is failing. See why:
    \`gcloud certificate-manager certificates list --project=${projectId}\`,
    or with \`${nameOf("certificateValidation")} = "load-balancer"\`:
    \`gcloud compute ssl-certificates list --project=${projectId}\`.
    Compare the records of ${host} with those of \`terraform output dns_records\`:
    the address must be that of the load balancer, and the CNAME must still be there.
  `;
}
