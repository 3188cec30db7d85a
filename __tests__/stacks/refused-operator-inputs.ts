import { type Refusal } from "./refusal";

const BOTH_PLATFORMS = "because Cloud Run refuses others, and both platforms get the same probes";

/** What both variants refuse of what operators tune, by a rule that looks at one input. */
export const REFUSED_OPERATIONS_ALONE: readonly Refusal[] = [
  [
    "settings with names of secrets, but no names that only look so and no references",
    {
      environment_variables: {
        IDP_EMAIL__PASSWORD: "unsaid",
        IDP_STORAGE__S3__SECRET_KEY: "unsaid",
        IDP_TENANTS__API_KEY: "env://API_KEY",
        IDP_POSTGRESQL__SSLKEY: "/certs/client.key",
        IDP_DEFAULT_TOKEN_LENGTH: "60",
        oidc_client_secret: "file:///run/secret?unsaid",
      },
    },
    [
      'environment_variables has "IDP_EMAIL__PASSWORD", "IDP_STORAGE__S3__SECRET_KEY", "oidc_client_secret"; such a name usually holds a secret, and variables are in plain text in the state; put the value into Secret Manager and refer to it in the secret environment variables, or use a file:// or env:// reference.',
    ],
  ],
  [
    "flags of the database that are none, the library's own, or empty",
    {
      database_flags: {
        "log-temp-files": "0",
        Log_Statement: "all",
        max_connections: "500",
        work_mem: "",
        log_statement: "none",
        "cloudsql.iam_authentication": "on",
      },
    },
    [
      'database_flags has "Log_Statement", "log-temp-files"; a name must be lower-case letters, digits and underscores, with a dot after the name of an extension, because Cloud SQL has no other flags; use for example log_min_duration_statement or cloudsql.iam_authentication.',
      'database_flags has "max_connections"; it follows from the tier, because it limits the number of instances; remove it, and choose a tier with more memory for more connections.',
      'database_flags has "work_mem"; a flag must have a value, because Cloud SQL refuses an empty one; set it, or remove the flag for the default.',
    ],
  ],
  [
    "another major version of the database",
    { database_version: 16 },
    [
      "database_version is 16; it must be 15, because the stacks are tested with no other version; use 15, or remove it.",
    ],
  ],
  [
    "a log level that the application does not know",
    { log_level: "verbose" },
    ['log_level is "verbose"; it must be trace, debug, info, warning or error; use info.'],
  ],
  [
    "a request of more than an hour",
    { request_timeout_seconds: 3601 },
    [
      "request_timeout_seconds is 3601; it must be a whole number from 1 to 3600, because Cloud Run allows no longer requests; use 3600.",
    ],
  ],
  [
    "probes that no platform makes, overlap or take too long",
    {
      startup_probe: { initial_delay_seconds: 241, period_seconds: 5, failure_threshold: 121 },
      liveness_probe: { period_seconds: 0, timeout_seconds: 0.5, failure_threshold: 0 },
    },
    [
      "liveness_probe.failure_threshold is 0; it must be a whole number from 1, because it counts failures before the platform acts; use 3.",
      `liveness_probe.period_seconds is 0; it must be a whole number from 1 to 3600, ${BOTH_PLATFORMS}; use 30.`,
      "liveness_probe.timeout_seconds is 0.5; it must be a whole number from 1 to liveness_probe.period_seconds, which is 0, because the platform refuses probes that overlap; change one of the two.",
      `startup_probe.initial_delay_seconds is 241; it must be a whole number from 0 to 240, ${BOTH_PLATFORMS}; use 60.`,
      "startup_probe.period_seconds × startup_probe.failure_threshold is 5 s × 121 = 605 s; it must not exceed 600 s, because Cloud Run refuses more, and both platforms get the same probes; lower one of the two.",
      "startup_probe.timeout_seconds is 10; it must be a whole number from 1 to startup_probe.period_seconds, which is 5, because the platform refuses probes that overlap; change one of the two.",
    ],
  ],
  [
    "probes that never ask, or give up before they do",
    {
      startup_probe: { period_seconds: 0.5, failure_threshold: 1.5, timeout_seconds: 1 },
      liveness_probe: { initial_delay_seconds: -1 },
    },
    [
      `liveness_probe.initial_delay_seconds is -1; it must be a whole number from 0 to 3600, ${BOTH_PLATFORMS}; use 60.`,
      "startup_probe.failure_threshold is 1.5; it must be a whole number from 1, because it counts failures before the platform acts; use 40.",
      `startup_probe.period_seconds is 0.5; it must be a whole number from 1 to 240, ${BOTH_PLATFORMS}; use 15.`,
      "startup_probe.timeout_seconds is 1; it must be a whole number from 1 to startup_probe.period_seconds, which is 0.5, because the platform refuses probes that overlap; change one of the two.",
    ],
  ],
];

/** The same of what only the serverless variant has. */
export const REFUSED_SERVERLESS_OPERATIONS: readonly Refusal[] = [
  [
    "no request at a time",
    { max_instance_request_concurrency: 0 },
    [
      "max_instance_request_concurrency is 0; it must be a whole number from 1 to 1000, because Cloud Run allows no more; use 40.",
    ],
  ],
];

/** Values of the inputs that both variants accept, for trying combinations. */
export const ACCEPTED_OPERATIONS = {
  database_flags: [{}, { log_statement: "none", "cloudsql.iam_authentication": "on" }],
  database_version: [15],
  liveness_probe: [{}, { initial_delay_seconds: 0, period_seconds: 3600, timeout_seconds: 3600, failure_threshold: 1 }],
  log_level: ["info", "trace"],
  request_timeout_seconds: [3600, 1],
  startup_probe: [{}, { initial_delay_seconds: 240, period_seconds: 240, timeout_seconds: 1, failure_threshold: 2 }],
} as const;

/** The same of what only the serverless variant has. */
export const ACCEPTED_SERVERLESS_OPERATIONS = {
  max_instance_request_concurrency: [40, 80],
  startup_cpu_boost: [true, false],
} as const;
