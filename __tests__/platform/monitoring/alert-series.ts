import { FACTS } from "./alert-fixture";

/**
 * Made-up series: a selector and its samples in the notation of promtool, one a minute, or each half hour over days.
 */
export type Series = readonly (readonly [selector: string, samples: string])[];

/** What must raise an alert, and what must not, each by what it is like. */
export interface Example {
  /** When to look. @default 40 */
  readonly afterMinutes?: number;
  /** Between samples, where it matters. */
  readonly secondsBetween?: number;
  readonly raises: Series;

  /** What must raise it besides. */
  readonly alsoRaises?: Readonly<Record<string, Series>>;
  readonly quiet: Readonly<Record<string, Series>>;
}

const { checkUpJob, database, dumpBucket, dumpJob, firstDumpJob, job, namespace, projectId, worker, workload } = FACTS;
const { eventRetentionJob, signInProbeJob } = FACTS;

const check = (name: string, location: string) =>
  `monitoring_googleapis_com:uptime_check_${name}{monitored_resource="uptime_url", host="${FACTS.host}", checker_location="${location}"}`;
const revision = (metric: string, labels: string) =>
  `run_googleapis_com:${metric}{monitored_resource="cloud_run_revision", service_name="${workload}", revision_name="a", ${labels}}`;
const active = revision("container_instance_count", 'state="active"');
const pod = (metric: string, name: string, labels = "", container = "server") =>
  `kubernetes_io:container_${metric}{monitored_resource="k8s_container", namespace_name="${namespace}", container_name="${container}", pod_name="${name}"${labels}}`;
const memory = (type: string, container = "server") =>
  pod("memory_limit_utilization", "a", `, memory_type="${type}"`, container);
const pool = (metric: string, labels: string) =>
  `run_googleapis_com:${metric}{monitored_resource="cloud_run_worker_pool", worker_pool_name="${worker}", revision_name="a", ${labels}}`;
const workers = pool("container_instance_count", 'state="active"');
const instance = (metric: string, labels = "") =>
  `cloudsql_googleapis_com:database_${metric}{monitored_resource="cloudsql_database", database_id="${projectId}:${database}"${labels}}`;
const lag = `cloudsql_googleapis_com:database_replication_replica_lag{monitored_resource="cloudsql_database", database_id="${projectId}:${FACTS.standbyDatabase}"}`;
const balancer = (metric: string, labels: string) =>
  `loadbalancing_googleapis_com:https_${metric}{monitored_resource="https_lb_rule", url_map_name="${FACTS.urlMap}", ${labels}}`;
const backups = `logging_googleapis_com:log_entry_count{monitored_resource="cloudsql_database", database_id="${projectId}:${database}", log="cloudaudit.googleapis.com/system_event"}`;
const executions = (name: string, result: string) =>
  `run_googleapis_com:job_completed_execution_count{monitored_resource="cloud_run_job", job_name="${name}", result="${result}"}`;

const waiting = (name: string, of = namespace) =>
  `kube_pod_status_unschedulable{monitored_resource="prometheus_target", namespace="${of}", pod="${name}"}`;

const entries = (container: string, log = "stdout") =>
  `logging_googleapis_com:log_entry_count{monitored_resource="k8s_container", namespace_name="${namespace}", container_name="${container}", log="${log}"}`;

/** A distribution in which this many of a hundred values a minute are above the limit. */
const distribution = (of: (labels: string) => string, limit: string, above: number): Series => [
  [of(`le="${limit}"`), `0+${100 - above}x60`],
  [of('le="100000"'), `0+100x60`],
  [of('le="+Inf"'), `0+100x60`],
];

/** The same, and one that none or one value a minute is above. */
const exceeds = (of: (labels: string) => string, limit: string, quietly: string): Example => ({
  raises: distribution(of, limit, 20),
  quiet: { [quietly]: limit === "0.9" ? distribution(of, "0.5", 0) : distribution(of, limit, 1) },
});

/** Requests with a share of errors; both grow by so many a minute. */
const errors = (of: (labels: string) => string, errorClass: "500" | "5xx", quiet = {}): Example => {
  const requests = (wrong: number, good: number): Series => [
    [of(`response_code_class="${errorClass}"`), `0+${wrong}x40`],
    [of(`response_code_class="${errorClass.replace("5", "2")}"`), `0+${good}x40`],
  ];
  return { afterMinutes: 30, raises: requests(10, 90), quiet: { "one error in a hundred": requests(1, 99), ...quiet } };
};

const runRequests = (labels: string) => revision("request_count", labels);
const doorRequests = (labels: string) => balancer("request_count", labels);

const gauge = (selector: string, bad: number, good: number): Example => ({
  raises: [[selector, `${bad}x90`]],
  quiet: {
    "a good value": [[selector, `${good}x90`]],
    "a short peak": [[selector, `${good}x30 ${bad}x0 ${good}x60`]],
  },
});

/** One series that raises it, and one that does not. */
const either = (
  selector: string,
  bad: string,
  [what, good, of = selector]: readonly [quiet: string, samples: string, selector?: string],
  afterMinutes?: number,
): Example => ({ afterMinutes, raises: [[selector, bad]], quiet: { [what]: [[of, good]] } });

const failedJob = (name: string): Example => ({
  afterMinutes: 15,
  raises: [[executions(name, "failed"), "0x9 1x30"]],
  quiet: {
    "a good execution": [
      [executions(name, "failed"), "0x40"],
      [executions(name, "succeeded"), "0x9 1x30"],
    ],
  },
});

/** A job that is to run every ten minutes. */
const missingRuns = (name: string): Example => ({
  afterMinutes: 60,
  raises: [[executions(name, "failed"), "0+1x60"]],
  alsoRaises: {
    "a schedule that is paused, with no run at all": [],
    "the last one 40 minutes ago": [[executions(name, "succeeded"), "0x19 _x40"]],
  },
  quiet: {
    "one every ten minutes": [[executions(name, "succeeded"), "1 _x9 1 _x9 1 _x9 1 _x9 1 _x9 1 _x9 1"]],
    "two that were missed": [[executions(name, "succeeded"), "0x35 _x25"]],
  },
});

const missingLines = (container: string): Example => ({
  afterMinutes: 60,
  raises: [
    [entries("server"), "0+1x60"],
    [entries(container, "stderr"), "0+1x60"],
  ],
  quiet: { "a line of the job": [[entries(container), "_x50 1 _x9"]] },
});

const refused = (blocked: boolean) =>
  `networksecurity_googleapis_com:https_request_count{monitored_resource="network_security_policy", policy_name="${FACTS.securityPolicy}", backend_target_name="idp", blocked="${blocked}"}`;

/** Starts within a minute of the tenth, this many below the limit in ms and above it. */
const starts = (below: number, above: number): Series =>
  [
    [`le="262144"`, below],
    [`le="524288"`, below],
    [`le="1048576"`, below + above],
    [`le="+Inf"`, below + above],
  ].map(([bucket, count]) => [revision("container_startup_latencies_bucket", String(bucket)), `0x9 ${count}x40`]);

const wrote = (bucket: string, method: string) =>
  `storage_googleapis_com:api_request_count{monitored_resource="gcs_bucket", bucket_name="${bucket}", method="${method}", response_code="OK"}`;

/**
 * Requests of a day and two hours, of which a share fails in the last hours, and until when.
 *
 * @param share that fails, in percent
 * @param from the minute in which it begins, and the one in which it ends
 */
const failing = (
  of: (labels: string) => string,
  errorClass: "500" | "5xx",
  share: number,
  [from, until]: readonly [number, number] = [0, 600],
): Series => [
  [of(`response_code_class="${errorClass}"`), `0x${from} 0+${share}x${until - from} ${share * (until - from)}x600`],
  [of(`response_code_class="${errorClass.replace("5", "2")}"`), `0+${100 - share}x1200`],
];

/** Two percent are twenty times what 0.1 percent allows, one is ten times. */
const burns = (of: (labels: string) => string, errorClass: "500" | "5xx", rate: "fast" | "slow"): Example =>
  rate === "fast"
    ? {
        afterMinutes: 500,
        raises: failing(of, errorClass, 2),
        quiet: {
          "an error in a hundred": failing(of, errorClass, 1),
          "an outage that has ended ten minutes ago": failing(of, errorClass, 90, [450, 490]),
          "a peak of three minutes": failing(of, errorClass, 20, [497, 500]),
          "one error among few requests": [
            [of(`response_code_class="${errorClass}"`), "0x490 1x200"],
            [of(`response_code_class="${errorClass.replace("5", "2")}"`), "0x480 9x200"],
          ],
        },
      }
    : {
        afterMinutes: 500,
        raises: failing(of, errorClass, 1),
        quiet: {
          "an error in two hundred": failing(of, errorClass, 0.5),
          "no error at all": failing(of, errorClass, 0),
        },
      };

/** Checks that fail in every location in the last minutes. */
const failsFor = (minutes: number): Series =>
  ["usa", "eur", "apac"].map((place) => [check("check_passed", place), `1x${500 - minutes} 0x${minutes}`] as const);

const ONE_LOCATION_FAILS: Series = [
  [check("check_passed", "usa"), "0x600"],
  [check("check_passed", "eur"), "1x600"],
  [check("check_passed", "apac"), "1x600"],
];

/** A share of requests above 250 ms, in percent. */
const slowly = (of: (labels: string) => string, slow: number): Series => [
  [of('le="250"'), `0+${100 - slow}x600`],
  [of('le="500"'), `0+100x600`],
  [of('le="+Inf"'), `0+100x600`],
];

const slows = (of: (labels: string) => string, raising: number, quiet: number): Example => ({
  afterMinutes: 500,
  raises: slowly(of, raising),
  quiet: { [`${quiet} of a hundred requests`]: slowly(of, quiet), "no request": [] },
});

/** A disk of so many GB, of which so many are used. */
function disk(size: number, used: number): Series {
  const gib = 2 ** 30;
  return [
    [instance("disk_quota"), `${size * gib}x60`],
    [instance("disk_bytes_used"), `${used * gib}x60`],
    [instance("disk_utilization"), `${used / size}x60`],
  ];
}

const DAY_MINUTES = 24 * 60;

/** A dump of more than 30 hours ago, by a series that has a sample for each dump. */
const tooOld = (raises: Series, dumped: string, quiet: Example["quiet"] = {}): Example => ({
  afterMinutes: 2 * DAY_MINUTES,
  raises,
  alsoRaises: {
    "a schedule that is new or deleted, with no dump at all": [],
    "a dump 31 hours ago": [[dumped, "_x33 1x0 _x90"]],
  },
  quiet: {
    "a dump last night": [[dumped, "_x68 1x1 _x60"]],
    "a dump 29 hours ago": [[dumped, "_x37 1x0 _x90"]],
    ...quiet,
  },
});

/** An example for each alert with a metric, by its id and platform. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  uptime: {
    afterMinutes: 20,
    raises: ["usa", "eur", "apac"].map((place) => [check("check_passed", place), "1x9 0x40"] as const),
    quiet: {
      "one place that cannot reach it": [
        [check("check_passed", "usa"), "0x40"],
        [check("check_passed", "eur"), "1x40"],
        [check("check_passed", "apac"), "1x40"],
      ],
      "no data yet": [],
    },
  },
  "certificate-expiry": either(check("time_until_ssl_cert_expires", "usa"), "14x40", ["a month left", "30x40"], 20),
  errors: errors(runRequests, "5xx", {
    "an error among three requests": [
      [runRequests('response_code_class="5xx"'), "0x20 1x20"],
      [runRequests('response_code_class="2xx"'), "0x20 2x20"],
    ],
  }),
  "load-balancer-errors": errors(doorRequests, "500"),
  "blocked-requests": {
    afterMinutes: 30,
    raises: [[refused(true), "0+150x60"]],
    quiet: {
      "a scanner now and then": [[refused(true), "0+20x60"]],
      "many requests that are let in": [[refused(false), "0+5000x60"]],
    },
  },
  "slo-availability-fast on serverless": burns(runRequests, "5xx", "fast"),
  "slo-availability-slow on serverless": burns(runRequests, "5xx", "slow"),
  "slo-availability-fast with a domain": burns(doorRequests, "500", "fast"),
  "slo-availability-slow with a domain": burns(doorRequests, "500", "slow"),
  "slo-availability-fast on kubernetes": {
    afterMinutes: 500,
    raises: failsFor(10),
    quiet: {
      "a check that always succeeds": failsFor(0),
      "one place that cannot reach it": ONE_LOCATION_FAILS,
      "no data yet": [],
    },
  },
  "slo-availability-slow on kubernetes": {
    afterMinutes: 500,
    raises: failsFor(10),
    quiet: { "a minute": failsFor(1), "one place that cannot reach it": ONE_LOCATION_FAILS, "no data yet": [] },
  },
  // Of the budget of five percent, 14.4 times as much is 72 of a hundred requests, 6 times as much 30.
  "slo-latency-fast on serverless": slows((l) => revision("request_latencies_bucket", l), 75, 70),
  "slo-latency-slow on serverless": slows((l) => revision("request_latencies_bucket", l), 35, 25),
  "slo-latency-fast": slows((l) => balancer("total_latencies_bucket", l), 75, 70),
  "slo-latency-slow": slows((l) => balancer("total_latencies_bucket", l), 35, 25),
  "slo-latency-fast with a domain": slows((l) => balancer("total_latencies_bucket", l), 75, 70),
  "slo-latency-slow with a domain": slows((l) => balancer("total_latencies_bucket", l), 35, 25),
  latency: exceeds((l) => revision("request_latencies_bucket", l), "2000", "one slow request in a hundred"),
  "load-balancer-latency": exceeds(
    (l) => balancer("total_latencies_bucket", l),
    "2000",
    "one slow request in a hundred",
  ),
  "at-maximum on serverless": {
    raises: [[active, "3x60"]],
    quiet: {
      "one instance less": [[active, "2x60"]],
      "an idle one beside them": [
        [active, "2x60"],
        [revision("container_instance_count", 'state="idle"'), "1x60"],
      ],
      "those of a former revision in a rollout": [
        [active, "2x60"],
        [active.replace('"a"', '"b"'), "1x60"],
      ],
    },
  },
  "at-maximum on kubernetes": {
    raises: ["a", "b", "c"].map((name) => [pod("uptime", name), "0+60x60"] as const),
    quiet: {
      "one pod less": ["a", "b"].map((name) => [pod("uptime", name), "0+60x60"] as const),
      "the proxies beside two servers": ["a", "b"].flatMap((name) => [
        [pod("uptime", name), "0+60x60"] as const,
        [pod("uptime", name, "", "database-proxy"), "0+60x60"] as const,
      ]),
    },
  },
  "cpu on serverless": exceeds((l) => revision("container_cpu_utilizations_bucket", l), "0.9", "an idle instance"),
  "memory on serverless": exceeds((l) => revision("container_memory_utilizations_bucket", l), "0.9", "half of it"),
  "cpu on kubernetes": either(pod("cpu_limit_utilization", "a"), "0.95x60", ["a busy pod", "0.8x60"]),
  "memory on kubernetes": either(memory("non-evictable"), "0.95x60", [
    "a cache that gives way",
    "0.95x60",
    memory("evictable"),
  ]),
  "worker-missing on serverless": {
    raises: [[workers, "2x9 1x60"]],
    quiet: {
      "all there are": [[workers, "2x60"]],
      "a rollout": [[workers, "2x20 1x3 2x60"]],
    },
  },
  "worker-missing on kubernetes": {
    raises: [
      [pod("uptime", "a", "", "worker"), "0+60x60"],
      [pod("uptime", "b", "", "server"), "0+60x60"],
    ],
    quiet: {
      "more than must run": ["a", "b", "c"].map((name) => [pod("uptime", name, "", "worker"), "0+60x60"] as const),
    },
  },
  "worker-cpu on serverless": {
    afterMinutes: 50,
    raises: distribution((labels) => pool("container_cpu_utilizations_bucket", labels), "0.9", 20),
    quiet: {
      "an idle worker": distribution((l) => pool("container_cpu_utilizations_bucket", l), "0.5", 0),
      "a busy server": distribution((l) => revision("container_cpu_utilizations_bucket", l), "0.9", 20),
    },
  },
  "worker-memory on serverless": exceeds((l) => pool("container_memory_utilizations_bucket", l), "0.9", "half of it"),
  "worker-cpu on kubernetes": either(
    pod("cpu_limit_utilization", "a", "", "worker"),
    "0.95x60",
    ["a busy server", "0.95x60", pod("cpu_limit_utilization", "a")],
    50,
  ),
  "worker-memory on kubernetes": either(memory("non-evictable", "worker"), "0.95x60", [
    "a full server",
    "0.95x60",
    memory("non-evictable"),
  ]),
  startup: {
    afterMinutes: 15,
    raises: starts(0, 1),
    quiet: { "starts within minutes": starts(3, 0), "no start at all": starts(0, 0) },
  },
  "restarts on kubernetes": {
    afterMinutes: 70,
    raises: [[pod("restart_count", "a"), "0x11 1x11 2x11 3x11 4x11 5x30"]],
    quiet: {
      "one restart": [[pod("restart_count", "a"), "0x9 1x30"]],
      "the proxy beside it": [[pod("restart_count", "a", "", "database-proxy"), "0x9 0+1x30"]],
    },
  },
  unschedulable: {
    afterMinutes: 30,
    // Two samples a minute.
    secondsBetween: 30,
    raises: [[waiting(`${workload}-7d4b9c6f5-x7k2p`), "_x30 1x40"]],
    alsoRaises: { "a pod of a job": [[waiting(`${dumpJob}-29403240-x7k2p`), "_x30 1x40"]] },
    quiet: {
      "none that waits": [],
      "one that waits for a new node": [[waiting(`${workload}-7d4b9c6f5-x7k2p`), "_x30 1x16 _x30"]],
      "one after the other": ["a", "b", "c", "d"].map(
        (name, index) => [waiting(`${checkUpJob}-${name}`), `_x${30 + index * 8} 1x7 _x60`] as const,
      ),
      "another namespace": [[waiting(`${workload}-7d4b9c6f5-x7k2p`, "other"), "1x80"]],
    },
  },
  "database-disk": {
    raises: disk(50, 48),
    alsoRaises: { "a new one": disk(10, 9) },
    quiet: {
      "one that is about to grow": disk(10, 5.5),
      "a large one that is about to grow": disk(500, 476),
      "a full one that grows after minutes": disk(100, 97).map(
        ([of, value], index) => [of, `${value.replace(/x60$/, "x30")} ${disk(109, 97)[index]?.[1] ?? ""}`] as const,
      ),
    },
  },
  "database-disk with a limit": {
    raises: disk(90, 86),
    alsoRaises: { "a full disk below it that does not grow": disk(50, 49) },
    quiet: { "a disk that is about to grow": disk(50, 45), "most of the limit": disk(90, 84) },
  },
  "no-backup": {
    afterMinutes: 2 * DAY_MINUTES,
    raises: [],
    alsoRaises: { "the last one 40 hours ago": [[backups, "_x14 1x0 _x90"]] },
    quiet: { "one last night": [[backups, "_x68 1x1 _x60"]], "one 30 hours ago": [[backups, "_x35 1x0 _x90"]] },
  },
  "standby-behind": {
    afterMinutes: 90,
    raises: [[lag, "900x100"]],
    alsoRaises: {
      "a replica that is stopped": [[lag, "2x10 _x100"]],
      "one that was never created": [],
    },
    quiet: {
      "seconds behind": [[lag, "4x100"]],
      "half an hour behind, at a migration": [[lag, "4x40 900x30 4x40"]],
      "a restart of ten minutes": [[lag, "4x60 _x10 4x40"]],
      "a replica that is created meanwhile": [[lag, "_x45 4x60"]],
    },
  },
  "database-down": gauge(instance("up"), 0, 1),
  "database-cpu": gauge(instance("cpu_utilization"), 0.95, 0.5),
  "database-memory": gauge(instance("memory_utilization"), 0.95, 0.7),
  "database-transaction-ids": either(
    instance("postgresql_transaction_id_utilization"),
    "0.85x90",
    ["half of them", "0.5x90"],
    80,
  ),
  "database-connections": {
    raises: ["a", "b"].map((name) => [instance("postgresql_num_backends", `, database="${name}"`), "48x60"] as const),
    quiet: { "half of them": [[instance("postgresql_num_backends", ', database="a"'), "48x60"]] },
  },
  "database-disk-growth": either(
    instance("disk_bytes_used"),
    "10000000000+20000000x420",
    ["a slow growth", "10000000000+1000000x420"],
    400,
  ),
  "job-failed": failedJob(job),
  "dump-failed": {
    ...failedJob(dumpJob),
    alsoRaises: { "the first dump at an apply that fails": [[executions(firstDumpJob, "failed"), "0x9 1x30"]] },
  },
  "event-retention-failed": failedJob(eventRetentionJob),
  "check-up-missing on serverless": missingRuns(checkUpJob),
  "check-up-missing on kubernetes": missingLines("check-up"),
  "sign-in-probe-missing on serverless": missingRuns(signInProbeJob),
  "sign-in-probe-missing on kubernetes": missingLines("sign-in"),
  "dump-too-old on serverless": tooOld([[executions(dumpJob, "failed"), "0x140"]], executions(dumpJob, "succeeded"), {
    "a first dump at an apply": [[executions(firstDumpJob, "succeeded"), "_x68 1x1 _x60"]],
  }),
  "dump-too-old on kubernetes": tooOld([[wrote(dumpBucket, "ReadObject"), "1x140"]], wrote(dumpBucket, "WriteObject")),
};
