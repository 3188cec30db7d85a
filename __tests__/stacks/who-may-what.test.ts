import { grantsOf } from "../../stacks/folder/access-grants";
import { ACTORS, COPIES, LISTENERS, PROTOCOLS, REASONS, SECRETS } from "../../stacks/folder/access-texts";
import { ConfigurationFacts } from "../../stacks/folder/configuration-facts";
import { DATA } from "../../stacks/folder/data-texts";
import { keptData } from "../../stacks/folder/kept-data";
import { OPENING_TYPES, openPorts, opposite } from "../../stacks/folder/open-ports";
import { readSecrets } from "../../stacks/folder/secret-readers";
import { whoMayWhat } from "../../stacks/folder/who-may-what";
import { type Terraform } from "../support/synthesis";
import { settledFolder } from "./settled-folders";
import { shippedStacks } from "./shipped-stacks";

const factsOf = (configuration: Terraform) =>
  new ConfigurationFacts(configuration as unknown as Readonly<Record<string, unknown>>);

const stacks = Object.entries(shippedStacks()).map(([name, terraform]) => ({
  name,
  terraform,
  facts: factsOf(terraform),
}));

/** The page of a stack in any deployment. */
const pageOf = (name: string): string => {
  const { terraform } = stacks.find((each) => each.name === name) ?? {};
  return whoMayWhat(terraform as unknown as Readonly<Record<string, unknown>>);
};

/** Rows of a table, as cells, under a heading. */
function rowsIn(page: string, heading: string): string[][] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [own = ""] = section.split("\n## ");
  const lines = own.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.slice(2, -2).split(" | "));
}

/** What gives somebody a right, or makes a secret readable. */
const GRANTING = /_iam_(?:member|binding|policy)$|role_binding_v1$|^aws_iam_policy$/;

/** Types that neither grant, nor listen, nor keep data that the page should tell of: parts of those that do. */
const OTHERS: readonly string[] = [
  "aws_iam_user",
  "aws_iam_user_policy_attachment",
  "google_certificate_manager_certificate",
  "google_certificate_manager_certificate_map",
  "google_certificate_manager_certificate_map_entry",
  "google_certificate_manager_dns_authorization",
  "google_cloud_run_v2_job",
  "google_cloud_run_v2_worker_pool",
  "google_cloud_scheduler_job",
  "google_compute_address",
  "google_compute_global_address",
  "google_compute_managed_ssl_certificate",
  "google_compute_network",
  "google_compute_region_backend_service",
  "google_compute_region_network_endpoint_group",
  "google_compute_region_ssl_policy",
  "google_compute_region_target_http_proxy",
  "google_compute_region_target_https_proxy",
  "google_compute_region_url_map",
  "google_compute_router",
  "google_compute_router_nat",
  "google_compute_security_policy",
  "google_compute_ssl_policy",
  "google_compute_subnetwork",
  "google_compute_target_http_proxy",
  "google_compute_target_https_proxy",
  "google_compute_url_map",
  "google_dns_record_set",
  "google_monitoring_alert_policy",
  "google_monitoring_custom_service",
  "google_monitoring_dashboard",
  "google_monitoring_slo",
  "google_monitoring_uptime_check_config",
  "google_secret_manager_secret_version",
  "google_service_account",
  "google_sql_user",
  "google_storage_bucket_object",
  "google_workload_identity_service_agent",
  "kubernetes_config_map_v1",
  "kubernetes_cron_job_v1",
  "kubernetes_horizontal_pod_autoscaler_v2",
  "kubernetes_job_v1",
  "kubernetes_namespace_v1",
  "kubernetes_pod_disruption_budget_v1",
  "kubernetes_resource_quota_v1",
  "kubernetes_role_v1",
  "kubernetes_service_account_v1",
  "random_id",
  "tls_private_key",
];

describe("The page of who may what", () => {
  it("has every type of resource, or it is known that the type gives nothing to tell", () => {
    const ofData = DATA.flatMap(({ of }) => of.map((address) => address.split(".")[0] ?? ""));
    const known = new Set([...OTHERS, ...OPENING_TYPES, ...ofData]);
    const used = [...new Set(stacks.flatMap(({ facts }) => facts.resources.map(({ type }) => type)))];
    expect(used.filter((type) => !known.has(type) && !GRANTING.test(type))).toEqual([]);
    expect(OTHERS.filter((type) => !used.includes(type))).toEqual([]);
  });

  it("has each grant of each stack once, and a reason for each", () => {
    for (const { facts, name } of stacks) {
      const granting = facts.ofType(GRANTING).map((each) => `${each.type}.${each.name}`);
      const told = grantsOf(facts).map(({ address }) => address);
      expect([name, told.filter((address) => !address.includes("_v2_service.")).sort()]).toEqual([
        name,
        granting.sort(),
      ]);
      expect(() => pageOf(name)).not.toThrow();
    }
  });

  it("has no text that nothing needs", () => {
    const grants = stacks.flatMap(({ facts }) => grantsOf(facts));
    const needed = grants.filter(({ secret }) => secret === undefined).map(({ actor, role }) => `${actor} ${role}`);
    expect(Object.keys(REASONS).filter((key) => !needed.includes(key))).toEqual([]);
    expect(Object.keys(ACTORS).filter((key) => !grants.some(({ actor }) => actor === key))).toEqual([]);
    const secrets = stacks.flatMap(({ facts }) =>
      facts.ofType(/^google_secret_manager_secret$/).map(({ name }) => name),
    );
    expect(Object.keys(SECRETS).filter((key) => !secrets.includes(key))).toEqual([]);
    const copies = stacks.flatMap(({ facts }) => facts.ofType(/^kubernetes_secret_v1$/).map(({ name }) => name));
    expect(Object.keys(COPIES).filter((key) => !copies.includes(key))).toEqual([]);
    const ports = stacks.flatMap(({ facts }) => openPorts(facts));
    expect(Object.keys(LISTENERS).filter((key) => !ports.some(({ address }) => address === key))).toEqual([]);
    const numbers = ports.flatMap(({ address, port }) =>
      (port.match(/\d+/g) ?? []).flatMap((number) => [number, `${address} ${number}`]),
    );
    expect(Object.keys(PROTOCOLS).filter((key) => !numbers.includes(key))).toEqual([]);
    const told = stacks.flatMap(({ facts }) => keptData(facts).map(({ what }) => what));
    expect(DATA.filter(({ what }) => !told.includes(what))).toEqual([]);
  });

  it("refuses a grant, a port and a secret without a text", () => {
    const role = { member: "allUsers", project: "a", role: "roles/owner" };
    const account = { account_id: "other", project: "a" };
    const withResource = (type: string, body: object, more = {}) => ({ resource: { [type]: { one: body }, ...more } });
    expect(() => whoMayWhat(withResource("google_project_iam_member", role))).toThrow(/public has roles\/owner, and/);
    const member = { ...role, member: "serviceAccount:other@a.iam.gserviceaccount.com" };
    const other = withResource("google_project_iam_member", member, { google_service_account: { other: account } });
    expect(() => whoMayWhat(other)).toThrow("the account other has no text");
    expect(() => whoMayWhat(withResource("google_compute_global_forwarding_rule", { port_range: "443" }))).toThrow(
      "google_compute_global_forwarding_rule.one opens a port, and has no text",
    );
    expect(() => whoMayWhat(withResource("google_secret_manager_secret", { secret_id: "a" }))).toThrow("has no text");
  });

  it("has for each secret somebody who reads it", () => {
    for (const { facts } of stacks)
      expect(readSecrets(facts, grantsOf(facts)).filter(({ readers }) => readers.length === 0)).toEqual([]);
  });

  it("says no expression of Terraform, and no empty value", () => {
    for (const { name } of stacks)
      expect([name, pageOf(name).match(/\$\{|\b(?:var|local|each)[.]\w|undefined|``/g)]).toEqual([name, null]);
  });

  it("says with which input there is what only some deployments have", () => {
    const roles = rowsIn(pageOf("idp-serverless"), "Roles");
    const ofBucket = roles.filter(
      ([who, role]) => who === "Server and workers" && role === "`roles/storage.objectUser`",
    );
    expect(ofBucket.map((cells) => cells.at(-1))).toEqual(["without `existing_bucket`", "with `existing_bucket`"]);
    const secrets = rowsIn(pageOf("idp-serverless"), "Secrets");
    const [ldap] = secrets.filter(([secret]) => secret?.includes("-ldap-token"));
    expect(ldap?.slice(1)).toEqual(["token of the LDAP outpost", "server and workers", "with `ldap` in `blueprints`"]);
    const ports = rowsIn(pageOf("idp-kubernetes"), "Open ports");
    const [, pods] = ports.filter(([what]) => what === "pods of the server");
    expect(pods?.slice(1)).toEqual(["TCP 9443", "HTTPS", "`0.0.0.0/0`", "without `domain`"]);
  });

  it.each(["idp-serverless", "idp-kubernetes"])("tells of the accounts of an audit log in %s", (name) => {
    const page = pageOf(name);
    const writer = "Writer of the copy (Cloud Logging)";
    const ofWriter = rowsIn(page, "Roles").filter(([who]) => who === writer);
    expect(ofWriter.map(([, role, on, , when]) => [role, on, when])).toEqual(
      [
        ["`roles/logging.logWriter`", "the project", "project"],
        ["`roles/pubsub.publisher`", "the topic", "topic"],
        ["`roles/bigquery.dataEditor`", "the dataset", "dataset"],
      ].map(([role, on, kind]) => [
        role,
        `${on} in \`audit_log.destination\``,
        `with a ${kind} in \`audit_log.destination\``,
      ]),
    );
    expect(rowsIn(page, "Who").filter(([who]) => who === writer)).toHaveLength(1);
    const [encrypts] = rowsIn(page, "Roles").filter(([who]) => who === "the CMEK account of Cloud Logging");
    expect(encrypts?.[2]).toBe("the key in `kms_keys.logs`, else the one in `kms_keys.default`");
    expect(encrypts?.[4]).toBe(
      "with `kms_keys.project_number`, with `audit_log`, with `kms_keys.logs` or `kms_keys.default`",
    );
  });

  it("says of each time of data which input decides, and its value in the folder", async () => {
    const settings = {
      project_id: "my-project",
      backups: { log_days: 3 },
      dumps: { schedule: "0 3 * * *" },
      region: "europe-west1",
    };
    const page = (await settledFolder("idp-serverless", settings)).read("who-may-what.md");
    const rows = rowsIn(page, "Data");
    const cellsOf = (what: RegExp) => rows.find(([first = ""]) => what.test(first)) ?? [];
    expect(cellsOf(/^Transaction logs/)[3]).toBe("`backups.log_days` days, here `3`");
    expect(cellsOf(/^Transaction logs/)[2]).toBe("Cloud SQL, in `region`, here `europe-west1`");
    expect(cellsOf(/^Dumps/)[3]).toMatch(
      /^`dumps.retention_days` days, here `30`, then, to restore it, `soft_delete_days` days, here `7`;/,
    );
  });

  it("has in the folder for one deployment only what is there, and says no conditions", async () => {
    const folder = await settledFolder("idp-serverless", { project_id: "my-project" });
    const page = folder.read("who-may-what.md");
    expect(page).not.toMatch(/\| When \||existing_|grant_roles|own_parts|dumps? of the database/i);
    expect(rowsIn(page, "Who").map(([who]) => who)).toEqual([
      "Server and workers",
      "Jobs that prepare the database",
      "The build of the image",
      "Anyone",
    ]);
    expect(folder.read("README.md")).toContain("[who may what](who-may-what.md)");
  });

  it("names an account of others by its input and its address in the folder", async () => {
    const settings = {
      project_id: "my-project",
      own_parts: "deleted",
      existing_service_accounts: { service: "run@my-project.iam.gserviceaccount.com" },
    };
    const page = (await settledFolder("idp-serverless", settings)).read("who-may-what.md");
    const [server] = rowsIn(page, "Who");
    expect(server?.[1]).toBe(
      "the one in `existing_service_accounts.service`, here `run@my-project.iam.gserviceaccount.com`",
    );
  });
});

describe("A condition in words", () => {
  const facts = new ConfigurationFacts({
    locals: { is_made: '${var.existing_bucket == null || var.own_parts != "deleted"}' },
    variable: {
      existing_bucket: { default: null },
      dump_schedule: { default: null },
      check_up: { default: {}, type: 'object({ every = optional(string, "1h"), is_loud = optional(bool, true) })' },
      grant: { default: true },
      ipv6: { default: false },
      mode: { default: "a" },
      names: { default: [] },
      key: { default: "" },
      machines: { default: 2 },
      spares: { default: 0 },
    },
  });

  it.each([
    ["local.is_made", ["without `existing_bucket`"]],
    ["var.dump_schedule != null && var.ipv6", ["with `dump_schedule`", "with `ipv6`"]],
    ["(var.dump_schedule != null || var.ipv6) && var.ipv6", ["with `ipv6`"]],
    ["var.dump_schedule != null || var.ipv6", ["with `dump_schedule` or with `ipv6`"]],
    ["var.check_up != null", ["unless `check_up` is null"]],
    ["var.check_up.is_loud", ["unless `check_up.is_loud` is false"]],
    ["var.grant", ["unless `grant` is false"]],
    ["!var.grant", ["with `grant = false`"]],
    ["!var.ipv6", ["without `ipv6`"]],
    ['var.mode == "b"', ['with `mode = "b"`']],
    ['var.mode != "b"', ['unless `mode = "b"`']],
    ['contains(var.names, "ldap")', ["with `ldap` in `names`"]],
    ["length(var.names) > 0", ["with `names`"]],
    ["length(var.names) == 0", ["without `names`"]],
    ['var.key != ""', ["with `key`"]],
    ['(var.mode == "internal" ? var.key : null) != null', ['with `key` and `mode = "internal"`']],
    ['(var.mode != "internal" ? var.key : null) != null', ['with `key`, unless `mode = "internal"`']],
    ["try(var.existing_bucket.name, null) != null", ["with `existing_bucket.name`"]],
    [
      "(var.dump_schedule != null ? try(coalesce(var.keys.a, var.keys.b), null) : null) != null",
      ["with `dump_schedule`", "with `keys.a` or `keys.b`"],
    ],
    ["try(coalesce(var.keys.a, var.keys.default), null) != null", ["with `keys.a` or `keys.default`"]],
    [
      "(var.dump_schedule != null && var.ipv6) || !var.grant",
      ["with `dump_schedule` and with `ipv6` or with `grant = false`"],
    ],
    [
      "var.dump_schedule != null && var.ipv6 || !var.grant",
      ["with `dump_schedule` and with `ipv6` or with `grant = false`"],
    ],
    ["(var.dump_schedule != null ? try(var.keys.a, null) : null) != null", ["with `dump_schedule`", "with `keys.a`"]],
    ["length(concat(var.names, var.others)) > 0", ["with `names` or `others`"]],
    ['can(regex("^a[.]b", try(var.keys.a, null)))', ["with `keys.a`"]],
  ])("is said so that a reader knows what to set: %s", (condition, words) => {
    expect(facts.inWords(condition)).toEqual(words);
  });

  it.each([
    ['!can(regex("^a", var.key))', ['where `!can(regex("^a", var.key))`']],
    ["var.machines > 3", ["where `var.machines > 3`"]],
    ["lower(var.key) == null", ["where `lower(var.key) == null`"]],
    [
      "((var.ipv6 || !var.grant) && var.machines > 3) || var.existing_bucket == null",
      ["where `(var.ipv6 \\|\\| !var.grant) && var.machines > 3` or without `existing_bucket`"],
    ],
  ])("is shown as it is where there are no words for it: %s", (condition, words) => {
    expect(facts.inWords(condition)).toEqual(words);
  });

  it("has words for every condition of the shipped stacks", () => {
    expect(stacks.filter(({ name }) => pageOf(name).includes("where `")).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    [undefined, []],
    [2, []],
    [0, ["never"]],
    ["${var.ipv6 ? 1 : 0}", ["with `ipv6`"]],
    ["${var.machines}", ["unless `machines = 0`"]],
    ["${var.spares}", ["with `spares`"]],
    ["${var.ipv6 ? var.machines : 0}", ["where `var.ipv6 ? var.machines : 0`"]],
  ])("is read from the number of resources: %s", (count, words) => {
    expect(facts.conditionsOf({ count })).toEqual(words);
  });

  it.each([
    ["var.a != null", "var.a == null"],
    ['var.a == "b"', 'var.a != "b"'],
    ["length(var.a) == 0", "length(var.a) > 0"],
    ["length(var.a) > 0", "length(var.a) == 0"],
    ["var.a", "!var.a"],
    ["!var.a", "var.a"],
    ["var.a > 3", "!(var.a > 3)"],
    ["var.a != null && var.b == null", "(var.a == null || var.b != null)"],
    ["var.a || (var.b && var.c == null)", "(!var.a && (!var.b || var.c != null))"],
  ])("has an opposite: %s", (condition, expected) => {
    expect(opposite(condition)).toBe(expected);
  });
});
