import { describeWith } from "../support/programs";
import { kubernetesTerraform } from "./kubernetes-stack";
import { serverlessTerraform } from "./serverless-stack";
import { type Inputs, warnings } from "./terraform-run";

const CHECK = "inputs_have_effect";
const DOMAIN = { domain: "login.example.com" };
const CLIENT_SECRET = { IDP_BLUEPRINT_OIDC_CLIENT_SECRET: { secret_id: "client-secret", version: "1" } };
const DATABASE = {
  connection_name: "shared-data:us-central1:postgres",
  database: "idp",
  user: "idp",
  password_secret: { secret_id: "idp-password", version: "1" },
};
const ALERTS = { alerts: { uptime: { enabled: false } } };

/** A year before the fixes of PostgreSQL 15 end, and a second earlier. */
const NOW = "2026-11-11T00:00:00Z";
const BEFORE = "2026-11-10T23:59:59Z";

/** A part of a configuration as at that time, of a deployment that was made then, or before that was recorded. */
const at = <Part>(time: string, made: string | undefined, part: Part): Part =>
  JSON.parse(
    JSON.stringify(part)
      .replaceAll("plantimestamp()", `\\"${time}\\"`)
      .replaceAll("terraform_data.protected_identity.input.since", made === undefined ? "null" : `\\"${made}\\"`),
  ) as Part;

/** Inputs with the beginning of what is said of them; of the others, nothing is said. */
const OF_BOTH: readonly (readonly [Inputs, string?])[] = [
  [{}],
  [{ region: "europe-west15" }, 'region is "europe-west15"; it is none of the regions known on '],
  [{ region: "europe-west10" }],
  [{ project_id: "my-project" }, 'project_id is "my-project", the project of the examples; '],
  [
    ALERTS,
    "alerts is set, and nobody gets an alert; there are none without alert_emails or notification_channels; set alert_emails, or ",
  ],
  [{ ...ALERTS, alert_emails: ["on-call@example.com"] }],
  [
    { alerts: { uptime: {}, memory: { threshold: 0.8 } }, alert_emails: ["on-call@example.com"] },
    "alerts sets nothing for uptime; ",
  ],
  [
    {
      environment_variables: { LOG_LEVEL: "debug", TZ: "UTC", https_proxy: "http://proxy", IDP_X: "1", PYTHONFOO: "1" },
      secret_environment_variables: { SMTP_PASSWORD: { secret_id: "smtp", version: 1 } },
    },
    "environment_variables or secret_environment_variables has LOG_LEVEL, SMTP_PASSWORD; neither the application nor ",
  ],
  [
    {
      environment_variables: { IDP_EMAIL__HOST: "env://MAIL_HOST?none", MAIL_HOST: "smtp.example.com", TMPDIR: "/tmp" },
      secret_environment_variables: { dramatiq_queue_prefetch: { secret_id: "prefetch", version: 1 } },
    },
  ],
  [{ dumps: { schedule: "0-59 * * * *" } }, "dumps.schedule dumps the whole database several times an hour; "],
  [{ dumps: { schedule: "0 * * * *" } }],
  [{ check_up: { limits: { restore_drill_days: 100 } } }],
  [{ existing_database: DATABASE }],
  [
    { check_up: { limits: { restore_drill_days: 100 } }, existing_database: DATABASE },
    "check_up.limits judges restore drills, and existing_database is given; ",
  ],
  [
    { environment_variables: { AUTHENTIK_GDPR_COMPLIANCE: "false", IDP_AVATARS: "initials", IDP_AVATARS_URL: "x" } },
    "environment_variables has AUTHENTIK_GDPR_COMPLIANCE, IDP_AVATARS; that counts at the first start only",
  ],
  [
    { environment_variables: { IDP_EMAIL__USE_SSL: "true", AUTHENTIK_EMAIL__USE_TLS: "True" } },
    "environment_variables has true for IDP_EMAIL__USE_SSL and for IDP_EMAIL__USE_TLS; ",
  ],
  [{ environment_variables: { IDP_EMAIL__USE_SSL: "true", IDP_EMAIL__USE_TLS: "false" } }],
  [
    { environment_variables: { AUTHENTIK_POSTGRESQL__USE_PGBOUNCER: "true" } },
    "environment_variables has IDP_POSTGRESQL__USE_PGBOUNCER or IDP_POSTGRESQL__CONN_MAX_AGE and there is a connection pool; ",
  ],
  [{ environment_variables: { IDP_POSTGRESQL__CONN_MAX_AGE: "0", IDP_POSTGRESQL__USE_PGBOUNCER: "false" } }],
  [{ connection_pool: false, environment_variables: { IDP_POSTGRESQL__CONN_MAX_AGE: "60" } }],
  [
    { ...DOMAIN, environment_variables: { IDP_COOKIE_DOMAIN: "gin.example.com" } },
    'environment_variables has IDP_COOKIE_DOMAIN, which does not cover domain "login.example.com"; ',
  ],
  [{ ...DOMAIN, environment_variables: { IDP_COOKIE_DOMAIN: ".example.com" } }],
  [{ ...DOMAIN, environment_variables: { IDP_COOKIE_DOMAIN: "login.example.com" } }],
  ...[{ worker: { threads: 1 } }, { environment_variables: { IDP_WORKER__THREADS: "1" } }].map(
    (inputs) => [inputs, "worker.threads, or IDP_WORKER__THREADS in environment_variables, is 1; each "] as const,
  ),
  [{ worker: { processes: 1, threads: 2 } }],
  [
    { container_cpu: 1, container_memory: "1Gi" },
    'container_memory is "1Gi"; a server with a worker beside it needs 2Gi',
  ],
  [{ container_cpu: 1, container_memory: "2Gi" }],
  [{ domain_options: { ipv6: true } }, "domain_options has a header or an IPv6 address without domain; "],
  [{ domain_options: { ipv6: true }, ...DOMAIN }],
  [
    { domain_options: { strict_transport_security: "" } },
    "domain_options has a header or an IPv6 address without domain; ",
  ],
  [{ domain_options: { strict_transport_security: "" }, ...DOMAIN }],
  [{ blueprints: ["password-recovery"] }, 'blueprints has "password-recovery" and smtp is not given; '],
  [{ blueprints: ["password-recovery"], environment_variables: { AUTHENTIK_EMAIL__HOST: "smtp.example.com" } }],
  [
    { blueprints: ["oidc-client"] },
    'blueprints has "oidc-client" and secret_environment_variables has no IDP_BLUEPRINT',
  ],
  [{ blueprints: ["oidc-client"], secret_environment_variables: CLIENT_SECRET }],
];

/** Regions that there are not, with what is said of others, in one line. */
const REGIONS: readonly (readonly [string, RegExp])[] = [
  ["australia-southest1", /; known there: australia-southeast1, australia-southeast2; look it up with /],
  ["me-west2", /; known there: me-central1, me-central2, me-west1; look it up with /],
  ["eurpe-west1", /; known there: none; look it up with /],
];

const UNSEEN = { ...DOMAIN, domain_options: { request_log_sample_rate: 0 } };
const PREVIEW_UNSEEN = "request_log_sample_rate is 0 and protection has rules in preview; ";

describeWith(["terraform"], "A plan warns of inputs that do nothing or harm, and of no others", () => {
  it.each([
    [
      "serverless",
      serverlessTerraform,
      [
        [{ uptime_check: true, public_access: false }, 'uptime_check is true and public_access is "false"; '],
        [{ public_access: false }],
        [{ sign_in_probe: {}, public_access: false }, 'sign_in_probe is given and public_access is "false"; '],
        [{ sign_in_probe: {} }],
        [{ ...DOMAIN, protection: {} }, "close_default_address is false; a security policy protects only the domain, "],
        [{ ...DOMAIN, protection: {}, close_default_address: true }],
        [{ ...UNSEEN, protection: {}, close_default_address: true }, PREVIEW_UNSEEN],
        [{ ...UNSEEN, protection: { waf: "enforce" }, close_default_address: true }],
        [{ certificate_validation: "load-balancer" }, "certificate_validation is set without domain; "],
        [{ certificate_validation: "load-balancer", ...DOMAIN }],
      ],
    ],
    [
      "kubernetes",
      kubernetesTerraform,
      [
        [{ blueprints: ["radius"] }, 'blueprints has "ldap" or "radius" and outposts is not set; '],
        [{ blueprints: ["radius"], outposts: {} }],
        [{ request_timeout_seconds: 60 }, "request_timeout_seconds is set without domain; "],
        [{ request_timeout_seconds: 60, ...DOMAIN }],
        [{ ...UNSEEN, protection: { waf: "enforce", preview_limits: true } }, PREVIEW_UNSEEN],
        [{ ...UNSEEN, protection: { waf: "enforce" } }],
        [{ certificate_validation: "dns" }, "certificate_validation is set without domain; "],
      ],
    ],
  ] as const)("%s", (_, terraformOf, further) => {
    const { check, locals, variable } = terraformOf();
    const rows: readonly (readonly [Inputs, string?])[] = [...OF_BOTH, ...further];
    const sets = rows.map(([inputs]) => ({ project_id: "demo-project", ...inputs }));
    const said = warnings({ locals, variable, check: { [CHECK]: check?.[CHECK] } }, sets);
    expect(said).toEqual(
      rows.map(([, beginning]) => (beginning === undefined ? [] : [expect.stringContaining(beginning) as unknown])),
    );
  });

  it("names the regions of the same continent for one that there is not", () => {
    const { check, locals, variable } = serverlessTerraform();
    const sets = REGIONS.map(([region]) => ({ project_id: "demo-project", region }));
    const said = warnings({ locals, variable, check: { [CHECK]: check?.[CHECK] } }, sets);
    expect(said).toEqual(REGIONS.map(([, hint]) => [expect.stringMatching(hint) as unknown]));
  });

  it.each([
    ["a year before the end of its fixes", NOW, "2026-01-01T00:00:00Z", true],
    ["of a deployment from before that was recorded", NOW, undefined, true],
    ["of one that was made a day ago", NOW, "2026-11-10T00:00:00Z", true],
    ["not of one that was made less than a day ago", NOW, "2026-11-10T00:00:01Z", false],
    ["not of one that is planned now", NOW, NOW, false],
    ["not before that year", BEFORE, "2026-01-01T00:00:00Z", false],
  ])("of a version of PostgreSQL, %s", (_, time, made, isSaid) => {
    const { check, locals, variable } = serverlessTerraform();
    const sets = [15, 16, 17].map((version) => ({ project_id: "demo-project", database_version: version }));
    const judging = at(time, made, { locals, check: { versions: check?.database_version_lasts } });
    const said = warnings({ variable, ...judging }, sets);
    const beginning = "database_version is 15; PostgreSQL makes no fixes of it after 11 November 2027; ";
    expect(said).toEqual([isSaid ? [expect.stringContaining(beginning)] : [], [], []]);
  });
});
