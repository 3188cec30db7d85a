import { LOGS_OF, logCommand, type Alert, type AlertNames } from "./alert";

/** Series of the uptime check; by its host, because a policy that names a check keeps it from being replaced. */
const check = ({ host }: AlertNames): string => `monitored_resource="uptime_url", host="${host}"`;

const service = ({ workload }: AlertNames): string =>
  `monitored_resource="cloud_run_revision", service_name="${workload}"`;

const loadBalancer = ({ urlMap }: AlertNames): string =>
  `monitored_resource="https_lb_rule", url_map_name=~"${urlMap}"`;

/** A share means nothing with fewer requests in five minutes. */
const LEAST_REQUESTS = 20;

/** Share of the requests that end in an error, if there are enough of them. */
function errorShare(metric: string, all: string, errors: string): string {
  const rate = (selector: string) => `sum(rate(${metric}{${selector}}[5m]))`;
  return `(${rate(`${all}, ${errors}`)} / ${rate(all)} and sum(increase(${metric}{${all}}[5m])) > ${LEAST_REQUESTS})`;
}

/** The slowest of twenty requests in milliseconds; web sockets count as long requests, but there are few of them. */
const slowest = (metric: string, selector: string): string =>
  `histogram_quantile(0.95, sum by (le) (rate(${metric}_bucket{${selector}}[5m])))`;

/** Alerts about what clients see. */
export const REQUEST_ALERTS: readonly Alert[] = [
  {
    id: "uptime",
    title: "sign-in does not answer",
    severity: "CRITICAL",
    measures: "share of the answers that are good",
    needs: ["uptimeCheck"],
    on: both({
      query: (names) => `avg(avg_over_time(monitoring_googleapis_com:uptime_check_check_passed{${check(names)}}[3m]))`,
      raisedWhen: "<",
      threshold: 0.4,
      durationSeconds: 120,
    }),
    firstSteps: (names, platform) =>
      `More than half of the places that ask ${names.host} get no good answer. See what it answers: \`curl -sSi https://${names.host}/-/health/ready/\`. 503: the database is away or being migrated. No connection: DNS, certificate or load balancer. Then read the log: \`${logCommand(`${LOGS_OF.workload(names, platform)} severity>=WARNING`, names)}\``,
  },
  {
    id: "certificate-expiry",
    title: "the certificate of the domain ends soon",
    severity: "ERROR",
    measures: "days left",
    needs: ["domain", "uptimeCheck"],
    on: both({
      query: (names) => `min(monitoring_googleapis_com:uptime_check_time_until_ssl_cert_expires{${check(names)}})`,
      raisedWhen: "<",
      threshold: 15,
      durationSeconds: 600,
    }),
    firstSteps: certificateSteps,
  },
  {
    id: "certificate-renewal",
    title: "the certificate of the domain is not renewed",
    severity: "ERROR",
    needs: ["domain"],
    on: { kubernetes: { filter: expiringCertificate }, serverless: { filter: expiringCertificate } },
    firstSteps: certificateSteps,
  },
  {
    id: "errors",
    title: "too many requests end in an error",
    severity: "ERROR",
    measures: "share of the requests",
    on: {
      serverless: {
        query: (names) => errorShare("run_googleapis_com:request_count", service(names), 'response_code_class="5xx"'),
        raisedWhen: ">",
        threshold: 0.05,
        durationSeconds: 300,
      },
    },
    firstSteps: (names, platform) =>
      `See which requests: \`${logCommand(`${LOGS_OF.workload(names, platform)} httpRequest.status>=500`, names)}\`. 503 without an entry of the application: no instance; 500 with one: the application or its database. After an upgrade, go back to the release before.`,
  },
  {
    id: "latency",
    title: "answers are slow",
    severity: "WARNING",
    measures: "ms for the slowest of 20 requests",
    on: {
      serverless: {
        query: (names) => slowest("run_googleapis_com:request_latencies", service(names)),
        raisedWhen: ">",
        threshold: 2000,
        durationSeconds: 600,
      },
    },
    firstSteps: (names, platform) =>
      `One request in twenty takes longer than two seconds. Look at the CPU of database and instances on the dashboard; raise \`${names.called("databaseTier")}\` or \`${names.called("maxInstanceCount")}\` if one is busy. The slow ones: \`${logCommand(`${LOGS_OF.workload(names, platform)} httpRequest.latency>"2s"`, names)}\``,
  },
  {
    id: "load-balancer-errors",
    title: "too many requests to the domain end in an error",
    severity: "ERROR",
    measures: "share of the requests",
    needs: ["domain"],
    on: both({
      query: (names) =>
        errorShare(
          "loadbalancing_googleapis_com:https_request_count",
          loadBalancer(names),
          'response_code_class="500"',
        ),
      raisedWhen: ">",
      threshold: 0.05,
      durationSeconds: 300,
    }),
    firstSteps: (names) =>
      `If there is no alert about the application too, the load balancer does not reach it. With \`${names.called("requestLogSampleRate")}\` above 0, the log says why: \`${logCommand(`${LOGS_OF.loadBalancer(names)} httpRequest.status>=500`, names)}\``,
  },
  {
    id: "blocked-requests",
    title: "the load balancer refuses many requests",
    severity: "WARNING",
    measures: "refused requests in 10 min",
    needs: ["domain", "protection"],
    on: both({
      query: ({ securityPolicy }) =>
        `sum(increase(networksecurity_googleapis_com:https_request_count{monitored_resource="network_security_policy", policy_name="${securityPolicy}", blocked="true"}[10m]))`,
      raisedWhen: ">",
      threshold: 1000,
      durationSeconds: 300,
    }),
    firstSteps: (names) =>
      `Somebody guesses passwords, or a rule refuses your own users. With \`${names.called("requestLogSampleRate")}\` above 0, the log says whose requests by which rule: \`${logCommand(`${LOGS_OF.loadBalancer(names)} jsonPayload.enforcedSecurityPolicy.outcome="DENY"`, names)}\`. The priority is that of a rule in the table of \`protection\`, which also has the limits.`,
  },
  {
    id: "load-balancer-latency",
    title: "answers of the domain are slow",
    severity: "WARNING",
    measures: "ms for the slowest of 20 requests",
    needs: ["domain"],
    on: {
      kubernetes: {
        query: (names) => slowest("loadbalancing_googleapis_com:https_total_latencies", loadBalancer(names)),
        raisedWhen: ">",
        threshold: 2000,
        durationSeconds: 600,
      },
    },
    firstSteps: (names, platform) =>
      `One request in twenty takes longer than two seconds. Look at the CPU of database and pods on the dashboard; raise \`${names.called("databaseTier")}\` or \`${names.called("maxInstanceCount")}\` if one is busy. What the server says: \`${logCommand(`${LOGS_OF.workload(names, platform)} severity>=WARNING`, names)}\``,
  },
];

/** What Certificate Manager writes each day from ten days before the end on, or five. */
function expiringCertificate({ deployment }: AlertNames): string {
  return `log_id("certificatemanager.googleapis.com/certificates_expiry") jsonPayload.certificates:"/certificates/${deployment}-" jsonPayload.state=("CLOSE_TO_EXPIRY" OR "EXPIRED")`;
}

function certificateSteps({ called, host, projectId }: AlertNames): string {
  return `It is renewed weeks before; days are left, so the renewal fails. See why: \`gcloud certificate-manager certificates list --project=${projectId}\`, or with \`${called("certificateValidation")} = "load-balancer"\`: \`gcloud compute ssl-certificates list --project=${projectId}\`. Compare the records of ${host} with those of \`terraform output dns_records\`: the address must be that of the load balancer, and the CNAME must still be there.`;
}

function both(condition: NonNullable<Alert["on"]["serverless"]>): Alert["on"] {
  return { kubernetes: condition, serverless: condition };
}
