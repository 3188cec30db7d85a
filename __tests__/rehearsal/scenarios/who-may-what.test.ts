import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ACTORS, LISTENERS } from "../../../stacks/folder/access-texts";
import { settledFolder } from "../../stacks/settled-folders";
import { describeWith, programPath } from "../../support/programs";
import { Deployment, type Inputs } from "../deployment/deployment";
import { WITH_DOMAIN } from "./domain";
import { WITH_DUMP } from "./dump";
import { WITH_RECEIVERS } from "./monitoring";
import { WITH_MAIL, WITH_SEPARATE_WORKER } from "./settings";
import { REHEARSALS } from "./stacks";

type Values = Readonly<Record<string, unknown>>;

/** A resource that a plan creates. */
interface Planned {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly after: Values;
}

/** What the plan does not know yet, from the resource to which the configuration refers. */
interface ConfiguredResource {
  readonly address: string;
  readonly expressions: Readonly<Record<string, { readonly references?: readonly string[] }>>;
}

/** As the page calls what Cloud Logging alone can name. */
const CMEK_ACCOUNT = "the CMEK account of Cloud Logging";

class Plan {
  constructor(
    readonly created: readonly Planned[],
    private readonly configured: readonly ConfiguredResource[],
  ) {}

  ofType(pattern: RegExp): readonly Planned[] {
    return this.created.filter(({ type }) => pattern.test(type));
  }

  /** A created resource of a type to which an argument refers. */
  private referred(grant: Planned, argument: string, wanted: RegExp): Planned | undefined {
    const [reference] = this.referencesOf(grant, argument).filter((each) => wanted.test(each));
    return this.created.find((each) => reference?.startsWith(`${each.type}.${each.name}`));
  }

  private referencesOf({ name, type }: Planned, argument: string): readonly string[] {
    const own = this.configured.find(({ address }) => address === `${type}.${name}`);
    return own?.expressions[argument]?.references ?? [];
  }

  private refersTo(grant: Planned, argument: string, wanted: RegExp): boolean {
    return this.referencesOf(grant, argument).some((each) => wanted.test(each));
  }

  /** The member of a grant, without its kind. */
  memberOf(grant: Planned): string {
    if (typeof grant.after.member === "string") return grant.after.member.replace(/^serviceAccount:/, "");
    const sink = this.referred(grant, "member", /^google_logging_project_sink[.]/);
    if (sink !== undefined) return String(sink.after.name);
    if (this.refersTo(grant, "member", /^data[.]google_logging_project_cmek_settings[.]/)) return CMEK_ACCOUNT;
    const account = this.referred(grant, "member", /^google_service_account[.]/);
    if (account === undefined) throw new Error(`nobody knows the member of ${grant.address}`);
    return `${String(account.after.account_id)}@${String(account.after.project)}.iam.gserviceaccount.com`;
  }

  /** The name of what a role is granted on, which ends the path of it. */
  targetOf(grant: Planned): string {
    const arguments_ = ["secret_id", "bucket", "repository", "crypto_key_id", "service_account_id", "topic", "name"];
    for (const argument of arguments_) {
      const value = grant.after[argument];
      if (typeof value === "string") return argument === "crypto_key_id" ? value : (value.split("/").at(-1) ?? "");
      const resource = this.referred(grant, argument, /^google_(?!service_account)/);
      if (resource !== undefined) return String(resource.after.secret_id ?? resource.after.name);
      const account = this.referred(grant, argument, /^google_service_account[.]/);
      if (account !== undefined)
        return `${String(account.after.account_id)}@${String(account.after.project)}.iam.gserviceaccount.com`;
    }
    return "";
  }
}

async function planOf(name: string, folder: string, inputs: Inputs): Promise<Plan> {
  let text = "";
  const options = { source: folder, inputs, program: programPath("terraform"), externalResourcesExist: true };
  await Deployment.use(options, async (deployment) => {
    REHEARSALS[name]?.prepare?.(deployment);
    await deployment.init();
    const { file } = await deployment.plan();
    text = await deployment.succeed("show", "-json", file);
  });
  const { configuration, resource_changes: changes } = JSON.parse(text) as {
    readonly configuration: { readonly root_module: { readonly resources: readonly ConfiguredResource[] } };
    readonly resource_changes: readonly (Omit<Planned, "after"> & {
      readonly change: { readonly actions: readonly string[]; readonly after: Values };
    })[];
  };
  const created = changes.filter(({ change }) => change.actions.includes("create"));
  return new Plan(
    created.map(({ address, change, name: own, type }) => ({ address, name: own, type, after: change.after })),
    configuration.root_module.resources,
  );
}

/** A page as its tables: rows by heading, each as cells. */
function tablesIn(page: string): (heading: string) => string[][] {
  return (heading) => {
    const [, section = ""] = page.split(`\n## ${heading}\n`);
    const [own = ""] = section.split("\n## ");
    const lines = own.split("\n").filter((line) => line.startsWith("| "));
    return lines.slice(2).map((line) => line.slice(2, -2).split(" | "));
  };
}

/** Names in a cell, as patterns: what stands for a value may be anything. */
function patternsIn(cell: string): RegExp[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => {
    const parts = name.split(/<[^>]+>|…/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".+")}$`);
  });
}

const isNamed = (cell: string, name: string): boolean => patternsIn(cell).some((pattern) => pattern.test(name));

const lowerFirst = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** The rows of roles that tell of a grant. */
function rowsOf(plan: Plan, tables: ReturnType<typeof tablesIn>, grant: Planned, inputs: Inputs): string[][] {
  const member = plan.memberOf(grant);
  const target = plan.targetOf(grant);
  const whose = tables("Who").filter(([, account = ""]) => isNamed(account, member));
  const titles = whose.map(([title]) => title);
  const rows = tables("Roles").filter(([who = "", role = "", on = ""]) => {
    const isTheirs =
      titles.includes(who) || who === member || isNamed(who, member.replace(/^.*[.]svc[.]id[.]goog\[(.*)\]$/, "$1"));
    const isThere =
      grant.type === "google_project_iam_member"
        ? isOnProject(grant, on)
        : isNamed(on, target) || isGiven(on, target, inputs) || on.startsWith("the key in");
    return isTheirs && role === `\`${String(grant.after.role)}\`` && isThere;
  });
  if (grant.type !== "google_service_account_iam_member") return rows;
  // The name of a pod's account may begin with that of another, where a placeholder may be anything.
  const longest = Math.max(...rows.map(([who = ""]) => who.length));
  return rows.filter(([who = ""]) => who.length === longest);
}

/** Whether a cell names an input whose value is what a role is granted on. */
function isGiven(on: string, target: string, inputs: Inputs): boolean {
  const [, path = ""] = /`(existing_[\w.]+|audit_log[.]destination|dumps[.]copy_bucket)`/.exec(on) ?? [];
  return path !== "" && JSON.stringify(at(inputs, path) ?? null).includes(target);
}

/** Whether a cell says the project, or the one database that the condition of a grant names. */
function isOnProject({ after }: Planned, on: string): boolean {
  const [condition] = (after.condition ?? []) as readonly { readonly expression: string }[];
  if (condition === undefined) return !on.includes(" alone");
  const [, instance = ""] = /instances\/([\w-]+)"$/.exec(condition.expression) ?? [];
  return on.endsWith(" alone") && (isNamed(on, instance) || on.includes("`existing_database`"));
}

/** What a planned resource opens, by the values of the plan. */
function portsOf({ after, type }: Planned): string[] {
  const blocks = (value: unknown) => (Array.isArray(value) ? value : []) as readonly Values[];
  switch (type) {
    case "google_compute_global_forwarding_rule":
    case "google_compute_forwarding_rule":
      return [`TCP ${String(after.port_range)}`];
    case "google_compute_firewall":
      return blocks(after.allow).map(({ ports, protocol }) =>
        protocol === "all"
          ? "every port"
          : [String(protocol).toUpperCase(), ((ports ?? []) as string[]).join(", ")].join(" ").trim(),
      );
    case "google_compute_instance":
      return ["as the rules allow"];
    case "google_container_cluster":
    case "kubernetes_ingress_v1":
      return ["TCP 443"];
    case "google_cloud_run_v2_service":
      return after.default_uri_disabled === true ? [] : ["TCP 443"];
    case "google_sql_database_instance":
      return ["TCP 3307"];
    case "kubernetes_service_v1":
      return blocks(blocks(after.spec)[0]?.port).map(({ port, protocol }) => `${String(protocol)} ${String(port)}`);
    case "kubernetes_network_policy_v1": {
      const [spec] = blocks(after.spec);
      const rules = blocks(spec?.ingress);
      const isClosed = (spec?.policy_types as string[]).includes("Ingress") && rules.length === 0;
      const ports = rules.flatMap((rule) => blocks(rule.ports));
      return isClosed ? ["none"] : ports.map(({ port, protocol }) => `${String(protocol)} ${String(port)}`);
    }
    default:
      return [];
  }
}

const KEYS = {
  default: "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp",
  project_number: "123456789012",
};

const NEARLY_EVERYTHING: Inputs = {
  ...WITH_DOMAIN,
  ...WITH_MAIL,
  ...WITH_RECEIVERS,
  ...WITH_DUMP,
  ...WITH_SEPARATE_WORKER,
  domain_options: { ipv6: true },
  kms_keys: KEYS,
  blueprints: ["ldap", "radius"],
  bootstrap_token: true,
  database_passwords: { version: 1 },
  backups: { log_days: 3, retention_count: 9 },
  dumps: { schedule: "30 4 * * *", at_apply: true, lock_days: 40, copy_bucket: "acme-backups" },
};

const WITH_AUDIT_LOG: Inputs = {
  audit_log: { destination: "pubsub.googleapis.com/projects/audit-project/topics/sign-ins" },
};

const OF_OTHERS: Inputs = {
  own_parts: "deleted",
  existing_service_accounts: {
    service: "run@my-project.iam.gserviceaccount.com",
    job: "job@my-project.iam.gserviceaccount.com",
  },
};

const NETWORK: Inputs = {
  network: "projects/shared/global/networks/main",
  subnetwork: "projects/shared/regions/us-central1/subnetworks/services",
};

const ROWS: readonly (readonly [name: string, settings: string, inputs: Inputs])[] = [
  ["idp-serverless", "the defaults", {}],
  [
    "idp-serverless",
    "nearly everything",
    { ...NEARLY_EVERYTHING, ...WITH_AUDIT_LOG, close_default_address: true, public_access: "all-users" },
  ],
  ["idp-serverless", "a network and accounts of others", { ...OF_OTHERS, ...NETWORK }],
  ["idp-kubernetes", "the defaults", {}],
  ["idp-kubernetes", "nearly everything", { ...NEARLY_EVERYTHING, ...WITH_AUDIT_LOG, outposts: {} }],
  ["idp-kubernetes", "accounts of others", OF_OTHERS],
  ["assessment-lab", "the defaults", {}],
];

/** Times of data in a plan, in the words of the page. */
const TIMES: Readonly<Record<string, readonly (readonly [path: string, inWords: (value: string) => string])[]>> = {
  google_sql_database_instance: [
    ["settings.0.backup_configuration.0.backup_retention_settings.0.retained_backups", (count) => `here \`${count}\``],
    ["settings.0.backup_configuration.0.transaction_log_retention_days", (days) => `days, here \`${days}\``],
    ["settings.0.final_backup_config.0.retention_days", (days) => `days, here \`${days}\``],
  ],
  google_storage_bucket: [
    [
      "soft_delete_policy.0.retention_duration_seconds",
      (seconds) => (seconds === "0" ? "nothing restores it" : "7 days"),
    ],
    ["lifecycle_rule.0.condition.0.age", (days) => `days, here \`${days}\``],
  ],
  google_artifact_registry_repository: [
    ["cleanup_policies.0.most_recent_versions.0.keep_count", (count) => `newest ${count}`],
  ],
};

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((part, each) => (part as Values | undefined)?.[each], value);

describeWith(["terraform", "curl", "jq"], "The page of who may what, beside a plan of its folder", () => {
  it.each(ROWS)(
    "has each grant, reader of a secret, port and time of the plan, and no others: %s with %s",
    async (name, _, settings) => {
      const inputs = { ...REHEARSALS[name]?.inputs, ...settings };
      const { path } = await settledFolder(name, inputs);
      const { variable } = JSON.parse(readFileSync(join(path, "cdk.tf.json"), "utf8")) as { readonly variable: Inputs };
      const left = Object.fromEntries(Object.entries(inputs).filter(([input]) => input in variable));
      const plan = await planOf(name, path, left);
      const page = readFileSync(join(path, "who-may-what.md"), "utf8");
      const tables = tablesIn(page);

      // Grants.
      const grants = plan.ofType(/_iam_member$/).filter(({ type }) => !type.startsWith("google_secret_manager"));
      const told = grants.map((grant) => ({ grant: grant.address, rows: rowsOf(plan, tables, grant, inputs) }));
      expect(told.filter(({ rows }) => rows.length !== 1)).toEqual([]);
      const ofPlan = new Set(told.flatMap(({ rows }) => rows.map((cells) => cells.join("|"))));
      const alone = tables("Roles").filter(
        (cells) => cells[1]?.startsWith("`") === true && !ofPlan.has(cells.join("|")),
      );
      expect(alone).toEqual([]);
      const open = plan
        .ofType(/^google_cloud_run_v2_service$/)
        .some(({ after }) => after.invoker_iam_disabled === true);
      expect(page.includes("none: the invoker check is off")).toBe(open);
      expect(page.includes("a role of Kubernetes")).toBe(plan.ofType(/^kubernetes_role_binding_v1$/).length > 0);

      // Accounts.
      const accounts = plan.ofType(/^google_service_account$/).map(({ after }) => String(after.account_id));
      const cells = tables("Who").map(([, account = ""]) => account);
      expect(accounts.filter((id) => !cells.some((cell) => isNamed(cell.replaceAll(/@[^`]*/g, ""), id)))).toEqual([]);
      const shown = cells.filter((cell) => cell.includes("…@"));
      expect(name === "assessment-lab" ? [] : shown).toHaveLength(accounts.length);

      // Secrets and their readers.
      const rows = tables("Secrets");
      const secrets = plan.ofType(/^google_secret_manager_secret$/).map(({ after }) => String(after.secret_id));
      const created = rows.filter(([secret = ""]) => secret.startsWith("`secret-"));
      expect(created).toHaveLength(secrets.length);
      expect(secrets.filter((secret) => !created.some(([cell = ""]) => isNamed(cell, secret)))).toEqual([]);
      const reading = plan.ofType(/^google_secret_manager_secret_iam_member$/).map((grant) => {
        const [title = ""] = tables("Who").find(([, account = ""]) => isNamed(account, plan.memberOf(grant))) ?? [];
        return { title: lowerFirst(title), secret: plan.targetOf(grant), isGiven: grant.address.includes('["') };
      });
      const readersIn = (cell = "") => cell.split("; ");
      const untold = reading.filter(({ isGiven, secret, title }) => {
        const row = rows.find(([cell = ""]) =>
          isGiven ? cell.includes("` in") || !cell.startsWith("`") : isNamed(cell, secret),
        );
        return title === "" || !readersIn(row?.[2]).includes(title);
      });
      expect(untold).toEqual([]);
      const titles = Object.values(ACTORS).map(({ title }) => lowerFirst(title));
      const unplanned = created.flatMap(([secret = "", , readers]) =>
        readersIn(readers)
          .filter((reader) => titles.includes(reader))
          .filter((reader) => !reading.some((each) => each.title === reader && isNamed(secret, each.secret)))
          .map((reader) => [secret, reader]),
      );
      expect(unplanned).toEqual([]);
      const copies = plan.ofType(/^kubernetes_secret_v1$/);
      const copied = rows.flatMap(([, , readers]) =>
        readersIn(readers).filter((reader) => reader.includes(", by the Kubernetes secret ")),
      );
      expect(new Set(copied).size).toBe(copies.length);

      // Ports, by the words for what listens.
      const listening = new Map<string, string[]>();
      for (const resource of plan.created) {
        const what = LISTENERS[`${resource.type}.${resource.name}`];
        const ports = portsOf(resource);
        if (ports.length > 0) expect([resource.address, what]).not.toContain(undefined);
        if (ports.length > 0 && what !== undefined) listening.set(what, ports);
      }
      const open_ = new Map<string, string[]>();
      for (const [what = "", port = "", , from = ""] of tables("Open ports")) {
        if (from.startsWith("nobody, unless")) continue;
        const [own = ""] = what.split("; ");
        const numbers = port.includes("TCP 80, 443") ? [port] : port.split(", ");
        open_.set(own, [...(open_.get(own) ?? []), ...numbers]);
      }
      expect(Object.fromEntries(open_)).toEqual(Object.fromEntries(listening));
      const [database] = plan.ofType(/^google_sql_database_instance$/);
      const isPublic = at(database?.after, "settings.0.ip_configuration.0.ipv4_enabled") === true;
      expect(page.includes("; public address")).toBe(isPublic);
      expect(page.includes("; private address")).toBe(database !== undefined && !isPublic);
      const ranges = plan.ofType(/^google_compute_firewall$|network_policy_v1$/).flatMap(({ after }) => {
        const text = JSON.stringify(after.source_ranges ?? (after.spec as readonly Values[])[0]?.ingress ?? []);
        return text.match(/\d+[.]\d+[.]\d+[.]\d+\/\d+/g) ?? [];
      });
      expect(ranges.filter((range) => !page.includes(range))).toEqual([]);

      // Times, and where data lies.
      for (const { after, type } of plan.created)
        for (const [argument, inWords] of TIMES[type] ?? []) {
          const value = at(after, argument);
          if (value !== undefined && value !== null) expect(page).toContain(inWords(String(value as number | string)));
        }
      const places = tables("Data").map(([, , place = ""]) => place);
      const buckets = plan.ofType(/^google_storage_bucket$/).map(({ after }) => String(after.name));
      expect(places.filter((place) => place.includes("Cloud Storage"))).toHaveLength(buckets.length);
    },
    300_000,
  );
});
