import Ajv, { type ValidateFunction } from "ajv";

import { type Table } from "../../lib/core/inputs/rows";
import { type Facts } from "../../lib/core/inputs/rules";
import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { LAB } from "../../lib/lab/lab-inputs";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { inputSchema } from "../../stacks/folder/input-schema";

/**
 * Values that an editor must mark: of an input, of a member (`smtp.port`), of every entry of a list or a map (`*`), or
 * of every key of a map (`~`).
 */
type Wrong = Readonly<Record<string, readonly unknown[]>>;

/** What has a form, which this text is far from. */
const FORMLESS = ["?"];
const WITH_A_FORM = [
  "application_name",
  "application_version",
  "backups.location",
  "build.location",
  "build.pool",
  "check_up.schedule",
  "alert_emails.*",
  "cloudb_region",
  "database_flags.~",
  "database_tier",
  "deployment_id",
  "domain",
  "dns_zone.name",
  "dns_zone.project",
  "dumps.copy_bucket",
  "dumps.schedule",
  "environment_variables.~",
  "existing_backup_plan",
  "existing_bucket.name",
  "existing_container_image",
  "existing_security_policy",
  "geoip.account_id",
  "image_mirror",
  "image_project",
  "kms_key",
  "labels.*",
  "labels.~",
  "linux_vm_machine_type",
  "namespace",
  "network",
  "notification_channels.all.*",
  "notification_channels.critical.*",
  "notification_channels.error.*",
  "notification_channels.warning.*",
  "project_id",
  "region",
  "secret_environment_variables.~",
  "secret_locations.*",
  "recovery_access.reader",
  "sign_in_probe.client_id",
  "sign_in_probe.flow",
  "sign_in_probe.redirect_uri",
  "sign_in_probe.schedule",
  "smtp.from",
  "smtp.host",
  "standby.region",
  "standby.subnetwork",
  "subnetwork",
  "existing_database.administrator.user",
  "existing_database.connection_name",
  "existing_database.user",
  "kms_keys.project_number",
  "domain_options.strict_transport_security",
  "tenant_id",
  "windows_vm_machine_type",
  ...[
    "existing_database.administrator.secret",
    "existing_database.password_secret",
    "geoip.license_key_secret",
    "existing_secrets.bootstrap_password",
    "existing_secrets.secret_key",
    "secret_environment_variables.*",
    "smtp.password_secret",
  ].flatMap((reference) => [`${reference}.secret_id`, `${reference}.version`]),
];

/** What is one of a few words. */
const WORDLESS = ["something else"];
const OF_A_FEW_WORDS = [
  "alerts.~",
  "blueprints.*",
  "certificate_validation",
  "control_plane_endpoint",
  "database_availability",
  "load_balancer",
  "log_level",
  "maintenance_window.track",
  "own_parts",
  "protection.waf",
  "public_access",
  "sign_in_probe.ends_at",
  "smtp.encryption",
  "vpc_egress",
  "windows_password",
  "worker_mode",
];

/** What is a whole number from 1. */
const COUNTLESS = [0, 1.5];
const COUNTS = [
  "database_passwords.version",
  "liveness_probe.failure_threshold",
  "max_instance_count",
  "startup_probe.failure_threshold",
  "worker.count",
  "worker.processes",
  "worker.threads",
];

const each = (paths: readonly string[], values: readonly unknown[]): Wrong =>
  Object.fromEntries(paths.map((path) => [path, values]));

const WRONG: Wrong = {
  ...each(WITH_A_FORM, FORMLESS),
  ...each(OF_A_FEW_WORDS, WORDLESS),
  ...each(COUNTS, COUNTLESS),
  application_version: ["?", "2026.5.1"],
  "audit_log.destination": ["storage.googleapis.com/a-bucket"],
  "audit_log.event_days": [0, 3651, 1.5],
  "audit_log.retention_days": [0, 3651, 1.5],
  "alerts.*.duration_seconds": [-60, 86_460, 90],
  "backups.retention_count": [0, 366, 1.5],
  "backups.final_days": [-1, 366, 1.5],
  "backups.log_days": [0, 8, 1.5],
  database_disk_limit_gb: [9, 65_537, 10.5],
  database_version: [14],
  "dumps.lock_days": [0, 3651, 1.5],
  "dumps.retention_days": [0, 3651, 1.5],
  soft_delete_days: [-1, 91, 7.5],
  "geoip.update_hours": [0, 169, 1.5],
  linux_vm_count: [-1, 1.5],
  "liveness_probe.initial_delay_seconds": [-1, 3601, 1.5],
  "liveness_probe.period_seconds": [0, 3601, 1.5],
  "maintenance_window.day": [0, 8, 1.5],
  "maintenance_window.hour": [-1, 24, 1.5],
  max_instance_request_concurrency: [0, 1001, 1.5],
  "protection.ban_seconds": [59, 3601, 60.5],
  "protection.requests_per_minute": [0, 1_000_001, 1.5],
  "protection.sign_ins_per_minute": [0, 10_001, 1.5],
  rdp_source_ranges: [[]],
  request_timeout_seconds: [0, 3601, 1.5],
  secret_locations: [[], ["us-central1", "us-central1"]],
  "standby.number": [0, 100, 1.5],
  "slo.available": [0.94, 0.99999],
  "slo.latency": [0.4, 0.99999],
  "slo.latency_ms": [0, 60_001, 1.5],
  "recovery_access.minutes": [4, 61, 7.5],
  "sign_in_probe.slow_seconds": [0, 61, 1.5],
  "smtp.port": [0, 65_536, 1.5, 25],
  "smtp.timeout": [0, 301, 1.5],
  "smtp.username": [" idp"],
  "startup_probe.initial_delay_seconds": [-1, 241, 1.5],
  "startup_probe.period_seconds": [0, 241, 1.5],
};

interface Stack {
  readonly name: string;
  readonly inputs: Table;
  /** Of inputs whose limits are those of the platform. */
  readonly own: Wrong;
}

const STACKS: readonly Stack[] = [
  {
    name: "idp-serverless",
    inputs: SERVERLESS_INPUTS,
    own: { container_cpu: [3], min_instance_count: [-1, 1.5], "worker.cpu": [3] },
  },
  {
    name: "idp-kubernetes",
    inputs: KUBERNETES_INPUTS,
    own: { container_cpu: [0.25, 28.25, 0.6], min_instance_count: [0, 1.5], "worker.cpu": [0.25, 28.25, 0.6] },
  },
  { name: "assessment-lab", inputs: LAB, own: {} },
];

/** Keywords that refuse values of the right type. */
const KEYWORDS = ["enum", "maximum", "minItems", "minimum", "multipleOf", "not", "pattern", "uniqueItems"];

/** The parts of a schema by the paths of the values that they are about. */
function partsOf(schema: Facts, path = ""): [path: string, part: Facts][] {
  const inside = (name: string) => (path === "" ? name : `${path}.${name}`);
  const {
    additionalProperties: entries,
    items,
    properties = {},
    propertyNames: keys,
  } = schema as Record<string, Facts>;
  return [
    [path, schema],
    ...Object.entries(properties as Record<string, Facts>).flatMap(([name, part]) => partsOf(part, inside(name))),
    ...[items, entries].flatMap((part) => (typeof part === "object" ? partsOf(part, inside("*")) : [])),
    ...(keys === undefined ? [] : partsOf(keys, inside("~"))),
  ];
}

/** A number, or a switch, which may be written as text; not every text is one. */
const CONVERTED = /^\^(?:\[-\+\]|\(true\|false)/;

/** The keywords of a part, each with what is left without it. */
function factsOf(part: Facts): [fact: string, rest: Facts][] {
  const choices = (part.anyOf ?? []) as readonly Facts[];
  return [
    ...KEYWORDS.filter((keyword) => keyword in part).map((keyword): [string, Facts] => {
      const rest = Object.entries(part).filter(([name]) => name !== keyword);
      return [keyword, Object.fromEntries(rest)];
    }),
    ...choices.flatMap((choice, index) =>
      factsOf(choice).map(([fact, rest]): [string, Facts] => [fact, { anyOf: choices.with(index, rest) }]),
    ),
  ];
}

// One for all, and without a look at the schemas themselves: both would take half a minute.
const ajv = new Ajv({ allowUnionTypes: true, meta: false, strict: false, validateSchema: false });
const check = (part: Facts): ValidateFunction => ajv.compile(part);

describe.each(STACKS)("The schema of the inputs of $name", ({ inputs, name, own }) => {
  const schema = JSON.parse(JSON.stringify(inputSchema(name, inputs))) as Facts;
  const parts = partsOf(schema);
  const isConverted = ({ anyOf, pattern }: Facts) => anyOf !== undefined || CONVERTED.test(String(pattern));
  const wrongOf = (path: string, part: Facts) => [
    ...(own[path] ?? WRONG[path] ?? []),
    ...(isConverted(part) ? ["many"] : []),
  ];

  it("refuses every value that an editor must mark", () => {
    const accepted = parts.flatMap(([path, part]) => {
      const wrong = wrongOf(path, part);
      const accepts = wrong.length > 0 ? check(part) : () => false;
      return wrong.filter((value) => accepts(value)).map((value) => `${path}: ${JSON.stringify(value)}`);
    });
    expect(accepted).toEqual([]);
  });

  it("has no fact that could be removed unnoticed: each refuses a value that nothing else does", () => {
    const unnoticed = parts.flatMap(([path, part]) =>
      factsOf(part)
        .filter(([, rest]) => {
          const accepts = check(rest);
          return !wrongOf(path, part).some((value) => accepts(value));
        })
        .map(([fact]) => `${path}: ${fact}`),
    );
    expect(unnoticed).toEqual([]);
  });

  it("has numbers and switches where the inputs are some", () => {
    const types = Object.values(inputs).filter(({ type }) => type === "number" || type === "bool");
    const converted = parts.filter(([path, part]) => !path.includes(".") && isConverted(part));
    expect(converted).toHaveLength(types.length);
  });
});

it("Every value that an editor must mark is of an input", () => {
  const paths = STACKS.flatMap(({ inputs, name }) => partsOf(inputSchema(name, inputs)).map(([path]) => path));
  expect(Object.keys(WRONG).filter((path) => !paths.includes(path))).toEqual([]);
});
