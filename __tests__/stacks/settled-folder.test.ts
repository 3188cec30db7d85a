import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { flag, mapOf, number, object, text, textMap, texts } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { warningTexts } from "../../lib/core/inputs/warnings";
import { packageFile } from "../../lib/core/package-file";
import { parseStateBackend } from "../../lib/core/state-backend";
import { RECOMMENDED_VERSION } from "../../lib/idp/releases";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { createStacks } from "../../stacks/all-stacks";
import { convertedSettings } from "../../stacks/folder/converted-settings";
import { pageFor, settledSection } from "../../stacks/folder/settled-pages";
import { usedInputs } from "../../stacks/folder/used-inputs";
import { readSettingsFile } from "../../stacks/settings-file";
import { describeWith } from "../support/programs";
import { resourceAddresses, synthesizeInto, type Terraform, terraformOf } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { type Settings, settledFolder, settledStack } from "./settled-folders";
import { localsOf, refusalsOfPlans } from "./terraform-run";

const configurationOf = async (name: string, settings: Settings): Promise<Terraform> =>
  terraformOf(await settledStack(name, { project_id: "my-project", ...settings }));

/** Messages anywhere in a configuration. */
const messagesIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) => (key === "error_message" ? [String(each)] : messagesIn(each)));

/** Counts of the resources that have one. */
const countsIn = ({ resource = {} }: Terraform): unknown[] =>
  Object.values(resource).flatMap((elements) => Object.values(elements).flatMap(({ count }) => count ?? []));

const NETWORK = {
  network: "projects/shared/global/networks/main",
  subnetwork: "projects/shared/regions/us-central1/subnetworks/services",
};

const NEARLY_EVERYTHING = {
  ...NETWORK,
  domain: "a.example.com",
  protection: {},
  domain_options: { ipv6: true, request_log_sample_rate: 0.5 },
  worker_mode: "separate",
  alert_emails: ["a@b.c"],
  smtp: { host: "mail.example.com", from: "a@example.com" },
  dumps: { schedule: "0 3 * * *" },
  kms_keys: { default: "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp" },
  existing_service_accounts: { service: "run@my-project.iam.gserviceaccount.com" },
  database_passwords: { version: 1 },
  bootstrap_token: true,
};

describe("The folder for one deployment", () => {
  it("has no part that another deployment needs, and nothing that a plan counts", async () => {
    const terraform = await configurationOf("idp-serverless", {});
    expect(countsIn(terraform)).toEqual([]);
    expect(resourceAddresses(terraform)).toHaveLength(53);
    expect(Object.keys(terraform.variable ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(domain|dump_|existing_|kms_keys|smtp|network)/)]),
    );
    const cluster = await configurationOf("idp-kubernetes", {});
    expect(countsIn(cluster)).toEqual([]);
    expect(JSON.stringify(cluster.resource)).not.toMatch(/"for_each":(?:\[\]|"\$\{\[\]\}")/);
  });

  it("has the script that lets a second region take over where there can be one, and only there", async () => {
    const scriptsOf = async (name: string, settings: Settings) => {
      const { files } = await settledFolder(name, { project_id: "my-project", ...settings });
      return files.filter((file) => /promote|connect-right|standby-|replica-position/.test(file));
    };
    const standby = { domain: "a.example.com", standby: { region: "us-east1" } };
    const both = [
      "scripts/connect-right.sh",
      "scripts/connect-rights.jq",
      "scripts/promote.sh",
      "scripts/replica-position.sh",
      "scripts/standby-servers.sh",
      "scripts/standby-state.sh",
    ];
    expect((await scriptsOf("idp-serverless", standby)).sort()).toEqual(both);
    expect(await scriptsOf("idp-serverless", {})).toEqual([]);
    const general = async (name: string) => {
      const app = new App({ outdir: temporaryFolder() });
      await createStacks(app, { backend: parseStateBackend("STATE_BACKEND", "local") }, [name]);
      return synthesizeInto(app, name).files.filter((file) => both.includes(file));
    };
    expect(await general("idp-kubernetes")).toEqual([]);
    expect((await general("idp-serverless")).sort()).toEqual(both);
  });

  it("has a block without a condition where an input decides on one, or no such block and no such input", async () => {
    const window = { maintenance_window: { day: 6, hour: 2 } };
    const clusterWith = async (settings: Settings) => {
      const { resource, variable = {} } = await configurationOf("idp-kubernetes", settings);
      return { cluster: resource?.google_container_cluster?.cluster, variable };
    };
    const set = await clusterWith(window);
    expect(set.cluster).toMatchObject({ maintenance_policy: { recurring_window: [expect.anything()] } });
    expect(set.variable.maintenance_window).toMatchObject({ nullable: false });
    const unset = await clusterWith({});
    expect(unset.cluster?.maintenance_policy).toBeUndefined();
    expect(unset.cluster?.dynamic ?? {}).not.toHaveProperty("maintenance_policy");
    expect(unset.variable.maintenance_window).toBeUndefined();
  });

  it("has an input that a part is repeated for, or that counts only where somebody gets alerts, or neither", async () => {
    const names = ["secret_environment_variables", "secret_locations", "alerts"];
    const left = async (settings: Settings) => {
      const { variable = {} } = await configurationOf("idp-serverless", settings);
      return names.filter((name) => name in variable);
    };
    expect(await left({})).toEqual([]);
    expect(await left({ alert_emails: ["on-call@example.com"] })).toEqual(["alerts"]);
    const secret = { IDP_TOKEN: { secret_id: "token", version: "1" } };
    expect(await left({ secret_environment_variables: secret, secret_locations: ["us-central1"] })).toEqual([
      "secret_environment_variables",
      "secret_locations",
    ]);
  });

  it("stores each secret where the settings say, without a block that is repeated", async () => {
    const replicasOf = async (settings: Settings) => {
      const { resource } = await configurationOf("idp-serverless", settings);
      return resource?.google_secret_manager_secret?.secrets_secret_key?.replication;
    };
    const key = "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp";
    expect(await replicasOf({})).toEqual({ user_managed: { replicas: [{ location: "${var.region}" }] } });
    expect(await replicasOf({ kms_keys: { default: key } })).toMatchObject({
      user_managed: { replicas: [{ dynamic: { customer_managed_encryption: expect.anything() as unknown } }] },
    });
  });

  it("tells of no project to name where the settings have one", async () => {
    const folder = await settledFolder("idp-serverless", { project_id: "sign-in-project" });
    const readme = folder.read("README.md");
    expect(readme).toContain("and run:\n\n```sh\nterraform init\n```\n");
    expect(readme).not.toContain("PROJECT");
  });

  it("keeps what is set as a variable that must be set, and fixes switches and words", async () => {
    const settings = {
      domain: "sign-in.example.com",
      alert_emails: ["on-call@example.com"],
      smtp: {
        host: "mail.example.com",
        from: "sign-in@example.com",
        username: "idp",
        password_secret: { secret_id: "smtp", version: "1" },
      },
      worker_mode: "separate",
      dashboard: false,
    };
    const { resource, variable = {} } = await configurationOf("idp-serverless", settings);
    expect(variable.domain).toMatchObject({ default: "sign-in.example.com", nullable: false });
    expect(variable.alert_emails).toMatchObject({ default: ["on-call@example.com"] });
    expect(variable.smtp).toMatchObject({ default: settings.smtp, nullable: false });
    expect(variable.worker_mode).toBeUndefined();
    expect(variable.dashboard).toBeUndefined();
    expect(resource).toHaveProperty("google_cloud_run_v2_worker_pool.worker");
    expect(resource).not.toHaveProperty("google_monitoring_dashboard");
    expect(resource?.google_cloud_run_v2_job?.check_up_job).not.toHaveProperty("count");
  });

  it("leaves what counts to a plan, and secrets to each apply", async () => {
    const lab = await configurationOf("assessment-lab", { linux_vm_count: 2 });
    expect(lab.variable?.linux_vm_count).toMatchObject({ default: 2 });
    expect(lab.variable).toHaveProperty("cloudb_secret_access_key");
    const rotated = await configurationOf("idp-serverless", { database_passwords: { version: 1 } });
    expect(rotated.variable?.database_passwords).toMatchObject({ default: { version: 1 }, nullable: false });
  });

  it("has pages, an example and a schema of the inputs and outputs that are left", async () => {
    const folder = await settledFolder("idp-serverless", { project_id: "my-project", domain: "a.example.com" });
    const page = folder.read("idp-serverless.md");
    expect(page).toContain("| `domain` | string |");
    expect(page).toContain("| `service_url` |");
    expect(page).not.toContain("| `smtp` |");
    expect(page).not.toContain("| `dump_bucket` |");
    const { properties } = JSON.parse(folder.read("inputs.schema.json")) as { readonly properties: Settings };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["project_id", "domain"]));
    expect(properties).not.toHaveProperty("smtp");
    expect(folder.read("terraform.tfvars.example")).not.toMatch(/^#?smtp /m);
    const readme = folder.read("README.md");
    expect(readme).toMatch(/^- as by default: .*, `smtp`, /m);
    expect(readme).toContain("These stay variables, which must not become null or empty: `domain`.");
    expect(readme).toContain("npm run synth -- idp-serverless --hcl --settings");
  });

  it("has the settings as defaults in its page, and the members that are left", async () => {
    const channels = { critical: ["projects/a/notificationChannels/1"] };
    const settings = {
      domain: "a.example.com",
      notification_channels: channels,
      container_cpu: 4,
    };
    const folder = await settledFolder("idp-serverless", { project_id: "my-project", ...settings });
    const rows = folder.read("idp-serverless.md").split("\n");
    const rowOf = (name: string) => rows.filter((row) => row.startsWith(`| \`${name}\` |`)).join("\n");
    expect(rowOf("project_id")).toContain('| string | `"my-project"` |');
    expect(rowOf("container_cpu")).toContain("| number | `4` |");
    expect(rowOf("domain")).toContain('| string | `"a.example.com"` |');
    const bySeverity = rowOf("notification_channels");
    expect(bySeverity).toContain('| `object({ critical = optional(list(string), []) })` | `{"critical":');
    expect(bySeverity).not.toContain("warning");
    const { properties } = JSON.parse(folder.read("inputs.schema.json")) as { readonly properties: Settings };
    expect(properties).toHaveProperty("notification_channels.properties.critical");
    expect(properties).not.toHaveProperty("notification_channels.properties.warning");
    expect(folder.read("terraform.tfvars.example")).toContain(
      "# Type: object({ critical = optional(list(string), []) })",
    );
  });

  it("keeps what is none by null, empty objects, and what another input's rule needs", async () => {
    const settings = { domain: "a.example.com", protection: {}, alert_emails: ["a@b.c"], check_up: null };
    const { resource, variable = {} } = await configurationOf("idp-serverless", settings);
    expect(variable.check_up).toBeUndefined();
    expect(resource?.google_cloud_run_v2_job).not.toHaveProperty("check_up_job");
    expect(variable.protection).toMatchObject({ default: {}, nullable: false });
    expect(variable).toHaveProperty("secret_key.default", {});
    const bySeverity = { notification_channels: { critical: ["projects/a/notificationChannels/1"] } };
    expect(countsIn(await configurationOf("idp-serverless", bySeverity))).toEqual([]);
  });

  it("has no input that can have no other value, and no member that nothing uses", async () => {
    const protectedOne = { domain: "a.example.com", protection: {} };
    const accounts = { existing_service_accounts: { service: "run@my-project.iam.gserviceaccount.com" } };
    const { variable = {} } = await configurationOf("idp-serverless", { ...protectedOne, ...accounts });
    expect(variable).not.toHaveProperty("existing_security_policy");
    const { description, validation } = variable.existing_service_accounts ?? {};
    expect(description).not.toMatch(/nodes|scheduler/);
    // Terraform drops members that a type has not.
    expect(JSON.stringify(validation)).toContain("try(var.existing_service_accounts.nodes, null) == null");
  });

  it.each<[string, Settings]>([
    ["the defaults", {}],
    ["a domain", { domain: "a.example.com", protection: {}, worker_mode: "separate" }],
    ["mail and alerts", { smtp: { host: "mail.example.com", from: "a@example.com" }, alert_emails: ["a@b.c"] }],
    ["nearly everything", NEARLY_EVERYTHING],
  ])("says of each input that a message names, and that is not there, how to change it: %s", async (_, settings) => {
    const terraform = await configurationOf("idp-serverless", settings);
    const left = Object.keys(terraform.variable ?? {});
    const gone = Object.keys(SERVERLESS_INPUTS)
      .map(terraformName)
      .filter((name) => name.includes("_") && !left.includes(name));
    const note = /In this folder, (.*) (?:is|are) settled: to change (?:it|them), synthesize it again/;
    const unsaid = messagesIn(terraform).flatMap((message) => {
      const [, names = ""] = note.exec(message) ?? [];
      const named = gone.filter((name) => new RegExp(`(?<![\\w./-])${name}(?![\\w/-])`).test(message));
      return named.filter((name) => !names.includes(name)).map((name) => `${name}: ${message}`);
    });
    expect(unsaid).toEqual([]);
  });

  it("says nothing of inputs that a message only seems to name, and has no output that can only be null", async () => {
    const { check, output, resource, variable = {} } = await configurationOf("idp-serverless", {});
    expect(output).not.toHaveProperty("load_balancer_address");
    expect(JSON.stringify(variable.worker)).toContain("In this folder, worker.count, worker.cpu and");
    expect(JSON.stringify(variable.max_instance_count)).not.toContain("worker.count");
    const noted = [...messagesIn(resource), ...messagesIn(check)].filter((text) =>
      /(blueprints|protection) (is|are) settled/.test(text),
    );
    expect(noted).toEqual([]);
  });

  it("offers the settings, and not examples, to who copies the file of examples", async () => {
    const folder = await settledFolder("idp-serverless", { project_id: "my-project", application_version: "2026.8.6" });
    const example = folder.read("terraform.tfvars.example");
    expect(example).toContain('#project_id = "my-project"');
    expect(example).toContain('#application_version = "2026.8.6"');
  });

  it("hints at no other value where the settings have the one that is shown", async () => {
    const settings = { project_id: "my-project", domain: "a.example.com", protection: {} };
    const example = (await settledFolder("idp-serverless", settings)).read("terraform.tfvars.example");
    expect(example).toMatch(/^#protection = [{][}]$/m);
    expect(example).toMatch(/^#domain = "a.example.com"$/m);
  });

  it("refuses settings with what is only doubted below the problems, but for what is wrong itself", async () => {
    const wrong = { project_id: 5, region: "europe-wset1", min_instance_count: 5 };
    const refused = settledStack("idp-serverless", { ...wrong, application_version: "2026.5.4" });
    await expect(refused).rejects.toThrow(
      /: 2 problems\n {2}- project_id is [^\n]*\n {2}- min_instance_count is [^\n]*\nwarning: region is [^\n]*\nwarning: application_version is "2026[.]5[.]4"[^\n]*$/,
    );
    const region = settledStack("idp-serverless", { project_id: "a-project", region: ["a"], tenant_id: "A B" });
    await expect(region).rejects.toThrow(/^(?!.*warning).*2 problems/s);
    const open = { project_id: "a-project", domain: "a.example.com", load_balancer: "internal", protection: {} };
    const internal = settledStack("idp-serverless", { ...open, application_version: RECOMMENDED_VERSION });
    await expect(internal).rejects.toThrow(/^(?!.*warning).*1 problem.*set close_default_address to true/s);
    const alone = settledStack("idp-serverless", { ...open, domain: null, load_balancer: "external" });
    await expect(alone).rejects.toThrow(
      /^(?!.*close_default_address).*1 problem.*protection is given; it needs domain/s,
    );
  });

  it("refuses settings by the names that they have in the file, also those of members", async () => {
    const settings = {
      project_id: "a-project",
      application_version: RECOMMENDED_VERSION,
      smtp: { host: "smtp.example.com", from: "a@example.com", password_secret: "unsaid" },
      secret_environment_variables: { IDP_X: {}, IDP_Y: "unsaid" },
      recovery_access: { reader: "user:a@example.com" },
      existing_secrets: { bootstrap_password: { secret_id: "first", version: "latest" } },
      dumps: [],
      secret_key: [],
    };
    const refused = settledStack("idp-serverless", settings);
    await expect(refused).rejects.toThrow(
      new RegExp(
        [
          "secret_environment_variables.*IDP_X.*secret_id is missing.*",
          "IDP_Y.*secret_id.*version.*",
          "smtp.password_secret is a string; it must be an object with secret_id and version;",
          " store the password in Secret Manager and write [{] secret_id = …, version = … [}]\n.*",
          'existing_secrets.* is .*{"secret_id":"first","version":"latest"}',
        ].join(""),
        "s",
      ),
    );
    await expect(refused).rejects.toThrow(/^(?!.*(?:unsaid|[a-z][A-Z][a-z]+(?:,|;| is|":)))/s);
  });

  it("says how to write an object where something else is given, with that if it fits", async () => {
    const settings = {
      project_id: "a-project",
      application_version: RECOMMENDED_VERSION,
      audit_log: true,
      existing_bucket: "my-uploads",
      labels: "team",
      notification_channels: ["#alerts"],
      smtp: "smtp.example.com",
    };
    const refused = settledStack("idp-serverless", settings);
    await expect(refused).rejects.toThrow("labels is a string; it must be an object; write { <name> = … }");
    await expect(refused).rejects.toThrow("destination; write {} for the defaults of all");
    await expect(refused).rejects.toThrow(
      'existing_bucket is "my-uploads", a string; it must be an object with name; write { name = "my-uploads" }',
    );
    await expect(refused).rejects.toThrow(
      /^ {2}- notification_channels is a list; .* make channels in Cloud Monitoring, .* write for example { all = \[ … \] }$/m,
    );
    await expect(refused).rejects.toThrow(
      /^ {2}- smtp is a string; .* with host and from, and optionally port, .*; write { host = …, from = … }$/m,
    );
  });

  const SECRET = { secret_id: "a", version: 1 };
  const DATABASE = {
    connection_name: "a-project:us-central1:pg",
    database: "idp",
    user: "idp",
    password_secret: SECRET,
  };
  const ACCOUNT = "idp@a-project.iam.gserviceaccount.com";

  it.each<readonly [settings: Settings, problem: string]>([
    [
      { existing_database: { ...DATABASE, connection_name: "pg" } },
      'existing_database.connection_name is "pg"; it must be <project>:<region>:<instance>; look it up with gcloud sql instances describe, as connectionName',
    ],
    [
      { existing_database: { ...DATABASE, database: "postgres" } },
      'existing_database.database is "postgres"; it must name another database, because this one is not the application\'s alone; create one in the instance',
    ],
    [
      { existing_secrets: { secret_key: { secret_id: "a", version: "latest" } } },
      'existing_secrets.secret_key is {"secret_id":"a","version":"latest"}; it must have the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; look it up with gcloud secrets versions list',
    ],
    [
      { existing_service_accounts: { service: ACCOUNT, check_up: "someone@example.com" } },
      'existing_service_accounts has check_up = "someone@example.com"; each must be the e-mail address of a service account, without serviceAccount: and ending with .gserviceaccount.com, because nothing else can run a service; look it up with gcloud iam service-accounts list',
    ],
    [
      { kms_keys: { database: "idp", project_number: "123" } },
      'kms_keys has database = "idp"; each must be the name of a key in full, projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<key>, because a key may belong to another project; look it up with gcloud kms keys list',
    ],
    [
      { network: "my-vpc" },
      'network is "my-vpc"; it must be projects/<project>/global/networks/<name>, because it may belong to another project; write it in full',
    ],
    [
      { network: "projects/p/global/networks/n" },
      'network is "projects/p/global/networks/n" and subnetwork is null; they must be given together, because addresses are taken from a subnetwork; set both, or remove both',
    ],
    [
      { network: "projects/p/global/networks/n", subnetwork: "projects/p/regions/us-east1/subnetworks/s" },
      "subnetwork is in us-east1 and region is us-central1; it must be in that region, because addresses are taken from the same region only; use a subnetwork of us-central1, or correct region",
    ],
    [
      { database_tier: "db-custom-3-3840" },
      'database_tier is "db-custom-3-3840"; it must have 1 or an even number of CPUs up to 96; use db-custom-4-3840',
    ],
    [
      { database_tier: "db-custom-2-13568" },
      'database_tier is "db-custom-2-13568"; it must have memory in steps of 256 MB, at least 3840 MB and 0.9 to 6.5 GB per CPU; use db-custom-2-13312',
    ],
    [
      { database_tier: "db-f1-micro" },
      'database_tier is "db-f1-micro"; it must be larger, because its 25 connections are too few for one instance; use db-g1-small',
    ],
    [
      { database_tier: "db-n1-standard-1" },
      'database_tier is "db-n1-standard-1"; it must be a tier of PostgreSQL, which has no db-n1; use db-custom-1-3840',
    ],
    [
      { database_version: "POSTGRES_17" },
      'database_version is "POSTGRES_17", a string; it must be a number; write one, such as 17',
    ],
    [
      { standby: { region: "us-central1" }, domain: "a.example.com" },
      'standby.region is "us-central1", as region is; it must be another region, because it takes over when that one is lost; choose another region',
    ],
    [
      { dns_zone: { name: "example" } },
      "dns_zone is given; it needs domain, because its records are those of the domain; set domain, or remove dns_zone",
    ],
    [
      { dns_zone: { name: "example", dns_name: "example.com" }, domain: "a.example.org" },
      'domain is "a.example.org" and dns_zone.dns_name is "example.com"; the domain must be that of the zone or one below it, because Cloud DNS accepts no other records; use the zone that serves the domain, or remove dns_zone',
    ],
    [
      { labels: { team: "Platform Team" } },
      'labels has team = "Platform Team"; keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them',
    ],
    [
      { region: "US-CENTRAL1" },
      'region is "US-CENTRAL1"; it must be the name of a region such as us-central1; did you mean us-central1?',
    ],
    [
      { region: "eu-west-1" },
      'region is "eu-west-1"; it must be the name of a region such as us-central1; did you mean europe-west1?',
    ],
    [
      { region: "us-central1-a" },
      'region is "us-central1-a"; it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter',
    ],
  ])("names the one rule that is broken: %j", async (settings, problem) => {
    const given = { project_id: "a-project", application_version: RECOMMENDED_VERSION, ...settings };
    await expect(settledStack("idp-serverless", given)).rejects.toThrow(`1 problem\n  - ${problem}`);
  });

  it("warns of less memory than a server and a worker need, and not of the default", async () => {
    const given = { project_id: "a-project", application_version: RECOMMENDED_VERSION };
    const warned = async (settings: Settings) =>
      warningTexts(await settledStack("idp-serverless", { ...given, ...settings }));
    expect(await warned({ container_memory: "512Mi" })).toEqual([
      'container_memory is "512Mi"; a server with a worker beside it needs 2Gi or more, because the platform ends an instance whose memory is full, and sign-ins with it; raise it, or set worker_mode to "separate": guides/worker-and-sizes.md#sizes',
    ]);
    expect(await warned({})).toEqual([]);
    expect(await warned({ container_cpu: 1, container_memory: "2048Mi" })).toEqual([]);
    expect(await warned({ container_memory: "512Mi", worker_mode: "separate" })).toEqual([]);
  });

  it("refuses settings that break a rule of several inputs", async () => {
    const given = settledStack("idp-serverless", { project_id: "my-project", min_instance_count: 5 });
    await expect(given).rejects.toThrow("min_instance_count is 5 and max_instance_count is 3");
  });
});

describe("What a folder uses of its inputs", () => {
  const forcedBy = (condition: string) => [...usedInputs({ variable: { a: { validation: [{ condition }] } } }).forced];

  it.each([
    ["${var.a == null}", ["a"]],
    ["${!var.a}", ["a"]],
    ['${var.a == "word"}', ["a"]],
    ["${length(var.a) == 0}", ["a"]],
    ["${(var.a && var.b == null) && try(var.c.d, null) == null}", ["a", "b", "c.d"]],
    ["${var.a == null || var.b == null}", []],
    ["${var.a == null ? true : var.b}", []],
    ["${(var.a || var.b) && var.c}", ["c"]],
    ["${var.a == var.b}", []],
    ["${var.a != null}", []],
    ['${var.a == "x && var.b"}', ["a"]],
    ['${contains(["x"], var.a)}', []],
  ])("is one value only, where its rule allows no other: %s", (condition, forced) => {
    expect(forcedBy(condition)).toEqual(forced);
  });
});

describe("The page of a folder for one deployment", () => {
  const table = {
    isOpen: flag({ default: false, description: "Whether it is open." }),
    dashboard: flag({ default: true, description: "Dashboard." }),
    schedule: text({ default: "daily", description: "Schedule." }),
    title: text({ default: "", description: "Title." }),
    domain: text({ default: null, description: "Domain." }),
    receivers: texts({ default: [], description: "Receivers." }),
  };

  it("says first what differs from the defaults, whatever the values have in them", () => {
    const values = { is_open: true, dashboard: false, schedule: "a|b", title: "a `b` <c>" };
    const names = ["is_open", "dashboard", "schedule", "title", "domain", "receivers"];
    const settlements = new Map(names.map((name) => [name, "fixed"] as const));
    const lines = settledSection("idp-serverless", table, { settlements, values }).split("\n");
    expect(lines.filter((line) => /^[-|]/.test(line))).toEqual([
      "- on: `is_open`",
      "- off, or none: `dashboard`",
      '- `schedule`: `"a|b"`',
      '- `title`: `` "a `b` <c>" ``',
      "- as by default: `domain`, `receivers`",
    ]);
  });

  it("has a row of an input whose default has a pipe in it", () => {
    const page = "## Inputs\n\n<!-- inputs: a -->\n\n| Input |\n\n<!-- end -->\n";
    const title = text({ default: "a|b", description: "Title." });
    expect(pageFor(page, { title }, [])).toContain('| `title` | string | `"a\\|b"` | Title. |');
  });
});

describe("A file of settings", () => {
  const read = (name: string, text: string) => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    return readSettingsFile(join(folder, name));
  };

  it("is read as Terraform reads it, in both formats", async () => {
    const settings = {
      project_id: "acme",
      smtp: { host: "a.example", port: 25 },
      alert_emails: ["a@b.c"],
      domain: null,
    };
    expect(await read("a.tfvars.json", JSON.stringify({ $schema: "inputs.schema.json", ...settings }))).toEqual(
      settings,
    );
    const hcl = [
      'project_id = "acme"',
      'smtp = { host = "a.example", port = 25 }',
      'alert_emails = ["a@b.c"]',
      "domain = null",
      'labels = { note = "$${x}" }',
    ];
    expect(await read("a.tfvars", hcl.join("\n"))).toEqual({ ...settings, labels: { note: "${x}" } });
    expect(await read("b.tfvars.json", '{"labels": {"note": "${x}"}}')).toEqual({ labels: { note: "${x}" } });
  });

  it.each([
    ["a.json", "{}", "is not named"],
    ["a.tfvars.json", "{", "a.tfvars.json, line 1, is not valid JSON"],
    ["a.tfvars.json", '{\n  "domain": "a",\n}\n', ", line 3, is not valid JSON"],
    ["a.tfvars.json", "[]", "is not an object"],
    ["a.tfvars", 'region = "a"\nproject_id =', "a.tfvars, line 2, is not valid HCL: "],
    ["a.tfvars", 'a = "b\nc = 1', ", line 1, is not valid HCL: a text has no closing quote; correct it"],
    ["a.tfvars", 'a = {\n  b = "}"\nc = 1\n', ", line 1, is not valid HCL: nothing closes its {; add the closing one"],
    ["a.tfvars", "a = 1\nb = [\n  1, # ]\n", ", line 2, is not valid HCL: nothing closes its [; add the closing one"],
    ["a.tfvars", "a = 1\nb = 1\na = 2", "a.tfvars sets a twice, in lines 1 and 3; remove one"],
    ["a.tfvars", 'region = "a"\nlabels {\n  a = 1\n}', ", line 2, has a block, labels; it must have values alone"],
    ["a.tfvars", 'provider "google" {\n}', "has a block, provider"],
    [
      "a.tfvars",
      "application_version = latest",
      'application_version = latest; latest is not in quotes; write "latest"',
    ],
    ["a.tfvars", "smtp = { host = mail }\na = b.c", 'has smtp.host = mail; mail is not in quotes; write "mail"\n'],
    ["a.tfvars", "smtp = { host = mail }\na = b.c", "calculates a;"],
    ["a.tfvars", 'region = "${home}"', "calculates region; it must have literals alone"],
    ["a.tfvars", "bootstrap_password = unsaid", /^(?!.*unsaid).*password, whose value is not in quotes/s],
    ["a.tfvars", 'project_id = lower("A")', "calculates project_id"],
    ["a.tfvars", 'labels = { (lower("B")) = 1 }', "calculates labels."],
  ])("is refused with a sentence: %s with %s", async (name, text, problem) => {
    await expect(read(name, text)).rejects.toThrow(problem);
  });

  it("is refused if there is none, or a directory, by the command with status 2 and no stack trace", async () => {
    await expect(readSettingsFile("missing.tfvars")).rejects.toThrow("missing.tfvars is not there; it must be a file");
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    await expect(readSettingsFile("package.json/a.tfvars")).rejects.toThrow("is not there");
    await expect(readSettingsFile(folder)).rejects.toThrow(`${folder} is a directory; it must be a file`);
    const program = [packageFile("node_modules/tsx/dist/cli.mjs"), packageFile("stacks/main.ts")];
    const { status, stderr } = spawnSync(process.execPath, [...program, "assessment-lab", "--settings", folder], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^settings: 1 problem\n  - \S+ is a directory; [^\n]+\n$/);
  });

  it("may have values that Terraform converts", () => {
    const table = {
      size: number({ default: 1, description: "Size." }),
      isOpen: flag({ default: false, description: "Whether it is open." }),
      title: text({ default: "", description: "Title." }),
      names: texts({ default: [], description: "Names." }),
      labels: textMap({ default: {}, description: "Labels." }),
      mail: object({ port: number({ default: 25, description: "port" }) }, { description: (each) => each }),
      alerts: mapOf({ enabled: flag({ default: true, description: "enabled" }) }, { description: (each) => each }),
    };
    const values = {
      size: "5",
      is_open: "true",
      title: 5,
      names: [1, "a"],
      labels: { a: true },
      mail: { port: "587" },
      alerts: { first: { enabled: "false" } },
      other: "5",
    };
    expect(convertedSettings(table, values)).toEqual({
      size: 5,
      is_open: true,
      title: "5",
      names: ["1", "a"],
      labels: { a: "true" },
      mail: { port: 587 },
      alerts: { first: { enabled: false } },
      other: "5",
    });
    const wrong = { size: "many", is_open: "yes", title: null, names: "a", labels: [1], mail: [] };
    expect(convertedSettings(table, wrong)).toEqual(wrong);
  });

  it("makes a folder with the converted values", async () => {
    const { variable } = await configurationOf("assessment-lab", { linux_vm_count: "2", os_login: "true" });
    expect(variable?.linux_vm_count).toMatchObject({ default: 2 });
  });
});

describeWith(["terraform"], "The folder for one deployment, judged by Terraform", () => {
  it("refuses to take over a protected deployment that has what was left out of it, and names that", async () => {
    const { locals = {}, resource = {}, variable = {} } = await configurationOf("idp-serverless", {});
    const { identity_check: check } = resource.terraform_data ?? {};
    const nothing = { existingBucket: null, existingDatabase: null };
    const judgedWith = (deployed: Readonly<Record<string, unknown>>, isProtected = true) => {
      const { precondition } = check?.lifecycle as { precondition: { condition: string }[] };
      const own = precondition.filter(({ condition }) => condition.includes("deployed_parts"));
      const known = { deployed_identity: deployed, was_protected: isProtected };
      return {
        locals: { ...localsOf(own, locals), ...known },
        variable: { deletion_protection: variable.deletion_protection },
        resource: { terraform_data: { check: { lifecycle: { precondition: own } } } },
      };
    };
    const texts = refusalsOfPlans([
      judgedWith(nothing),
      judgedWith({ ...nothing, existingBucket: "of-others", kmsKeydatabase: "key" }),
      judgedWith({ existingBucket: "of-others" }, false),
    ]);
    expect(texts).toEqual([
      [],
      [expect.stringMatching(/^the protected deployment has existing_bucket, kms_keys\.database; another one would/)],
      [],
    ]);
  });
});
