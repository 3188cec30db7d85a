import { DATABASE_ALERTS } from "../../../lib/platform/monitoring/database-alerts";
import { NEVER } from "../../idp/recovery/promote-scene";
import { type Binding } from "../../support/google-stand-in-policies";
import { linesOfRestore } from "../../support/google-stand-in-restores";
import { LoopbackServer } from "../../support/loopback-server";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { requireActions, StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { type CloudObject, pathOf } from "../project/cloud";
import { membersOf, textAt, textsAt, type Value, valueAt, type ValueObject } from "../project/terraform-value";
import {
  HOME,
  INSTANCE,
  joinScripts,
  requireSuccess,
  SENDING_SECRETS,
  SERVERS,
  type Settings,
  settingsOf,
} from "./region-lost";

const AWAY = "us-east1";
const PROJECT = "my-project";
const GRANT = "google_project_iam_member";
const BACKEND = "google_compute_backend_service";
const CLIENT = "roles/cloudsql.client";
const COMPUTE = "https://www.googleapis.com/compute/v1/";
const BACKUPS = "settings.0.backup_configuration.0";

const alertPolicy = (id: string) => `google_monitoring_alert_policy.monitoring_alerts["${id}"]`;

/**
 * What is planned once the second region has taken over: its database is watched instead of the first one, and a
 * destroy says that it keeps no backup of it.
 */
const WATCHED_THERE = {
  ...Object.fromEntries(Object.keys(DATABASE_ALERTS).map((id) => [alertPolicy(id), "update"] as const)),
  [alertPolicy("standby-behind")]: "delete",
  "google_monitoring_dashboard.monitoring_dashboard[0]": "update",
  "terraform_data.deletion_guard": "update",
} as const;

type ApiObject = Readonly<Record<string, unknown>>;

/** Members of a block that the API has under other names, where they are set. */
const inApi = (block: Value, names: Readonly<Record<string, string>>): ApiObject =>
  Object.fromEntries(
    Object.entries(names).flatMap(([ours, theirs]) => {
      const value = valueAt(block, ours);
      return value === null || value === "" ? [] : [[theirs, value]];
    }),
  );

const SCALING = {
  min_instance_count: "minInstanceCount",
  max_instance_count: "maxInstanceCount",
  manual_instance_count: "manualInstanceCount",
  scaling_mode: "scalingMode",
};

/** How servers of a type are scaled; a worker pool has a number alone. */
const scalingOf = (type: string): Readonly<Record<string, string>> =>
  type.endsWith("_worker_pool") ? { manual_instance_count: SCALING.manual_instance_count } : SCALING;

const BACKUP_NAMES = {
  enabled: "enabled",
  start_time: "startTime",
  location: "location",
  point_in_time_recovery_enabled: "pointInTimeRecoveryEnabled",
  transaction_log_retention_days: "transactionLogRetentionDays",
};

/** A deployment with a second region, of which scripts and Terraform each see what the other does. */
class Pair {
  /** When both databases could be written to, by the calls after which that was so. */
  private readonly mistakes: string[] = [];
  private readonly address: LoopbackServer;
  /** Backups of the primary, as Terraform has made them. */
  private readonly primaryBackups: Value;

  private constructor(
    private readonly deployment: Deployment,
    private readonly settings: Settings,
  ) {
    const { cloud, web } = deployment;
    this.primaryBackups = valueAt(cloud.find(INSTANCE, this.instanceIn(HOME))?.values, BACKUPS);
    // Users are answered by a server that reaches a database that takes writes, in a region that is there.
    this.address = new LoopbackServer((_, response) => {
      const isServed = this.serves(this.led) && this.led !== this.deployment.cloud.lostRegion;
      response.writeHead(isServed ? 200 : 503).end();
    });
    const { onRequest } = web;
    web.onRequest = (request) => {
      onRequest(request);
      if (this.serves(HOME) && this.serves(AWAY)) this.mistakes.push(request.method);
    };
    web.jobs.outcomeOf = (run) => {
      const account = this.accountOf(run.job);
      const closed = run.databases.filter((name) => !this.mayConnect(account, name.split(":").at(-1) ?? ""));
      if (closed.length > 0)
        return { isSuccess: false, lines: [`failed: ${account} may not connect to ${closed.join()}`] };
      const isComparison = run.command.join(" ").includes("pg_current_wal_flush_lsn");
      return { isSuccess: true, lines: isComparison ? ["caught up: all up to 0/3000060"] : linesOfRestore(run) };
    };
    web.metrics.lags.set(`${PROJECT}:${this.standby}`, { seconds: 2, time: new Date().toISOString() });
  }

  /** Runs work with a deployment whose standby waits. */
  static async use(deployment: Deployment, work: (pair: Pair) => Promise<void>): Promise<void> {
    joinScripts(deployment);
    const pair = new Pair(deployment, await settingsOf(deployment));
    await pair.address.start();
    try {
      await work(pair);
    } finally {
      await pair.address.stop();
    }
    if (pair.mistakes.length > 0)
      throw new StepFailure("promote.sh", `both were written to at ${pair.mistakes.join()}`);
  }

  /** Name of the standby's instance. */
  get standby(): string {
    return this.settings.STANDBY_INSTANCE ?? "";
  }

  private instanceIn(region: string): string {
    return (region === HOME ? this.settings.INSTANCE : this.standby) ?? "";
  }

  /** Runs the script, which must say this. */
  async promote(words: readonly string[], ...said: readonly (string | RegExp)[]): Promise<void> {
    this.show();
    const further = {
      ...this.settings,
      SERVICE_URL: `http://${this.address.host}`,
      SCALE_SECONDS: "5",
      STOP_SECONDS: "5",
    };
    const run = await this.deployment.script(["scripts/promote.sh", ...words, "--yes"], further);
    const step = `promote.sh ${words.join(" ")}`;
    const output = requireSuccess(step, run);
    const missing = said.filter((part) => !(typeof part === "string" ? output.includes(part) : part.test(output)));
    if (missing.length > 0) throw new StepFailure(step, `it does not say ${missing.join(", ")}:\n${output}`);
    this.take();
    const { requests } = this.deployment.web;
    requests.splice(0, requests.length, ...requests.filter(({ method }) => !SENDING_SECRETS.test(method)));
  }

  /** Fails unless servers of this region alone have users, instances, and a database. */
  requireServing(region: string): void {
    const other = region === HOME ? AWAY : HOME;
    if (this.led !== region || !this.serves(region) || this.serves(other))
      throw new StepFailure("promote.sh", `users are sent to ${this.led}, and ${region} shall serve them alone`);
  }

  /** Fails unless home has neither servers nor a database that runs. */
  requireHomeClosed(): void {
    const { web } = this.deployment;
    const policy = web.sql.instances.get(`${PROJECT}/${this.instanceIn(HOME)}`)?.settings.activationPolicy;
    if (policy !== "NEVER" || this.runs(HOME)) throw new StepFailure("promote.sh", "home is not closed");
  }

  private get led(): string {
    const { resources } = this.deployment.web.loadBalancers;
    const path = `${PROJECT}/global/backendServices/${this.settings.BACKEND_SERVICE ?? ""}`;
    const [group = ""] = ((resources.get(path)?.backends ?? []) as readonly { readonly group: string }[]).map(
      (each) => each.group,
    );
    return /regions\/([^/]+)/.exec(group)?.[1] ?? "";
  }

  private runs(region: string): boolean {
    const name = `projects/${PROJECT}/locations/${region}/services/${this.settings.SERVICE ?? ""}`;
    const scaling = this.deployment.web.jobs.scalings.get(name) ?? {};
    return scaling.scalingMode !== "MANUAL" || scaling.manualInstanceCount !== 0;
  }

  /** Whether servers of a region run, may connect to their database, and can write there. */
  private serves(region: string): boolean {
    const { web } = this.deployment;
    const name = this.instanceIn(region);
    const instance = web.sql.instances.get(`${PROJECT}/${name}`);
    const takesWrites = instance?.primary === undefined && instance?.settings.activationPolicy !== "NEVER";
    return takesWrites && this.runs(region) && this.mayConnect(web.jobs.account, name);
  }

  private accountOf(job: string): string {
    const source = this.deployment.cloud
      .ofType("google_cloud_run_v2_job")
      .find(({ values }) => values.name === this.settings.INIT_JOB);
    if (source === undefined) throw new Error(`nobody knows the account of ${job}`);
    return textAt(source.values, "template.0.template.0.service_account");
  }

  private mayConnect(account: string, instance: string): boolean {
    return (this.deployment.web.policies.bindings.get(PROJECT) ?? []).some(
      ({ condition, members, role }) =>
        role === CLIENT &&
        members.includes(`serviceAccount:${account}`) &&
        condition?.expression.endsWith(`/instances/${instance}"`) === true,
    );
  }

  /** Shows the scripts what Terraform has made. */
  private show(): void {
    const { cloud, web } = this.deployment;
    for (const { values } of cloud.ofType(INSTANCE)) {
      const name = textAt(values, "name");
      const primary = textAt(values, "master_instance_name");
      const known = web.sql.instances.get(`${PROJECT}/${name}`);
      const region = textAt(values, "region");
      const made = known ?? web.sql.makeReplica(PROJECT, name, primary, region);
      made.primary = primary === "" ? undefined : primary;
      const backups = inApi(valueAt(values, BACKUPS), BACKUP_NAMES);
      made.settings = {
        ...made.settings,
        edition: textAt(values, "settings.0.edition") || "ENTERPRISE",
        activationPolicy: textAt(values, "settings.0.activation_policy") || "ALWAYS",
        deletionProtectionEnabled: valueAt(values, "settings.0.deletion_protection_enabled") === true,
        ...(backups.enabled === true ? { backupConfiguration: { ...backups, ...RETAINED } } : {}),
      };
    }
    for (const { id, type, values } of SERVERS.flatMap((each) => cloud.ofType(each))) {
      web.jobs.servers.add(id);
      web.jobs.scalings.set(id, inApi(valueAt(values, "scaling.0"), scalingOf(type)));
      const read = textsAt(values, "template.0.containers.0.env.*.value_source.0.secret_key_ref.0.secret");
      web.jobs.secrets.set(id, read);
      // Those of others are everywhere.
      for (const secret of read)
        web.secrets.regions.set(secret.includes("/") ? secret : `projects/${PROJECT}/secrets/${secret}`, []);
      web.jobs.account = textAt(values, "template.0.service_account");
    }
    for (const { values } of cloud.ofType("google_secret_manager_secret")) {
      const locations = textsAt(values, "replication.0.user_managed.0.replicas.*.location");
      web.secrets.regions.set(`projects/${PROJECT}/secrets/${textAt(values, "secret_id")}`, locations);
    }
    const grants = new Map<string, Binding>();
    for (const { values } of cloud.ofType(GRANT)) {
      const [role, title] = [textAt(values, "role"), textAt(values, "condition.0.title")];
      const expression = textAt(values, "condition.0.expression");
      const key = `${role} ${title}`;
      const members = [...(grants.get(key)?.members ?? []), textAt(values, "member")];
      grants.set(key, { role, members, ...(title === "" ? {} : { condition: { title, expression } }) });
    }
    // What a script has ended is none of Terraform's.
    const ended = (web.policies.bindings.get(PROJECT) ?? []).filter(
      ({ condition }) => condition?.expression.startsWith(NEVER) === true,
    );
    web.policies.bindings.set(PROJECT, [...grants.values(), ...ended]);
    for (const { values } of cloud.ofType(BACKEND)) {
      const groups = textsAt(values, "backend.*.group").map((group) => ({ group: COMPUTE + pathOf(group) }));
      const path = `${PROJECT}/global/backendServices/${textAt(values, "name")}`;
      web.loadBalancers.add(path, { protocol: "HTTPS", fingerprint: "Zmlyc3Q=", backends: groups });
    }
  }

  /** Lets Terraform find what a script has done. */
  private take(): void {
    this.takeInstances();
    this.takeScalings();
    this.takeGrants();
    this.takeBackends();
  }

  private change(object: CloudObject, values: ValueObject): void {
    this.deployment.cloud.objects.set(`${object.type} ${object.id}`, {
      ...object,
      values: { ...object.values, ...values },
    });
  }

  private takeInstances(): void {
    const { cloud, web } = this.deployment;
    for (const object of cloud.ofType(INSTANCE)) {
      const name = textAt(object.values, "name");
      const instance = web.sql.instances.get(`${PROJECT}/${name}`);
      if (instance === undefined) continue;
      const { activationPolicy = "ALWAYS", backupConfiguration, deletionProtectionEnabled } = instance.settings;
      const primary = textAt(object.values, "master_instance_name");
      const { primary: source = "" } = instance;
      if (primary !== "" && source === "") {
        for (const roles of [cloud.databaseRoles, cloud.roleMakers])
          for (const [role, value] of roles)
            if (role.startsWith(`${primary}/`)) roles.set(role.replace(primary, name), value);
      }
      const [settings] = membersOf(object.values.settings) as readonly ValueObject[];
      const was = settings?.activation_policy === "NEVER" ? "ALWAYS" : (settings?.activation_policy ?? null);
      this.change(object, {
        ...(primary === source
          ? {}
          : {
              master_instance_name: source,
              instance_type: source === "" ? "CLOUD_SQL_INSTANCE" : "READ_REPLICA_INSTANCE",
            }),
        settings: [
          {
            ...settings,
            // Terraform has nothing for the default where it was never told.
            activation_policy: activationPolicy === "ALWAYS" ? was : String(activationPolicy),
            deletion_protection_enabled: deletionProtectionEnabled as boolean,
            backup_configuration: this.backupsAsRead(object, backupConfiguration as ApiObject | undefined),
          },
        ],
      });
    }
  }

  /** Cloud SQL chooses what it is not told. */
  private backupsAsRead({ values }: CloudObject, given: ApiObject | undefined): Value {
    // What a replica had as a primary, Cloud SQL turns off; Terraform then reads it as it was made.
    if (given?.enabled === false) return [];
    if (given?.enabled !== true) return valueAt(values, "settings.0.backup_configuration");
    const told = Object.fromEntries(
      Object.entries(BACKUP_NAMES).map(([ours, theirs]) => [ours, (given[theirs] ?? null) as Value]),
    );
    const chosen = { start_time: "13:00", transaction_log_retention_days: 7 };
    const retained = [{ retained_backups: 7, retention_unit: "COUNT" }];
    const missing = Object.entries(chosen).filter(([name]) => told[name] === null);
    const block = (this.primaryBackups ?? {}) as ValueObject;
    return [{ ...block, ...told, ...Object.fromEntries(missing), backup_retention_settings: retained }];
  }

  private takeScalings(): void {
    const { cloud, web } = this.deployment;
    for (const object of SERVERS.flatMap((type) => cloud.ofType(type))) {
      const scaling: Readonly<Record<string, unknown>> = web.jobs.scalings.get(object.id) ?? {};
      const [before] = membersOf(object.values.scaling) as readonly ValueObject[];
      const read = Object.entries(scalingOf(object.type)).map(([ours, theirs]) => {
        const unset = typeof before?.[ours] === "number" ? 0 : null;
        return [ours, (scaling[theirs] ?? unset) as Value];
      });
      this.change(object, { scaling: [{ ...before, ...Object.fromEntries(read) }] });
    }
  }

  /** Grants that a script has withdrawn, with what Terraform knew of them. */
  private readonly withdrawn = new Map<string, CloudObject>();

  private takeGrants(): void {
    const { cloud, web } = this.deployment;
    const bindings = web.policies.bindings.get(PROJECT) ?? [];
    const isThere = ({ values }: CloudObject) =>
      bindings.some(
        ({ condition, members, role }) =>
          role === textAt(values, "role") &&
          members.includes(textAt(values, "member")) &&
          (condition?.title ?? "") === textAt(values, "condition.0.title") &&
          (condition?.expression ?? "") === textAt(values, "condition.0.expression"),
      );
    for (const object of cloud.ofType(GRANT)) {
      if (isThere(object)) continue;
      this.withdrawn.set(object.id, object);
      cloud.objects.delete(`${GRANT} ${object.id}`);
    }
    for (const [id, object] of this.withdrawn) {
      if (!isThere(object)) continue;
      cloud.objects.set(`${GRANT} ${id}`, object);
      cloud.givenByOthers.add(`${GRANT} ${id}`);
      this.withdrawn.delete(id);
    }
  }

  private takeBackends(): void {
    const { cloud, web } = this.deployment;
    for (const object of cloud.ofType(BACKEND)) {
      const path = `${PROJECT}/global/backendServices/${textAt(object.values, "name")}`;
      const backends = (web.loadBalancers.resources.get(path)?.backends ?? []) as readonly { readonly group: string }[];
      const [block] = membersOf(object.values.backend) as readonly ValueObject[];
      const isUrl = textAt(block, "group").startsWith("https:");
      const groupOf = (group: string) => (isUrl ? group : pathOf(group));
      this.change(object, { backend: backends.map(({ group }) => ({ ...block, group: groupOf(group) })) });
    }
  }
}

const RETAINED = { backupRetentionSettings: { retainedBackups: 7, retentionUnit: "COUNT" } };

const withStandby = (inputs: Inputs, standby: Inputs): Inputs => ({ ...inputs, standby: { region: AWAY, ...standby } });

/** What the next apply after the way home may do. */
async function renew(deployment: Deployment, inputs: Inputs, pair: Pair): Promise<void> {
  const former = pair.standby;
  await deployment.settle(withStandby(inputs, { number: 2 }));
  const names = deployment.cloud.ofType(INSTANCE).map(({ values }) => textAt(values, "name"));
  if (names.includes(former) || names.filter((name) => name.endsWith("-standby2")).length !== 1)
    throw new StepFailure("another number", `the instances are ${names.join(", ")}`);
}

async function end(deployment: Deployment, inputs: Inputs, kept: readonly string[]): Promise<void> {
  await deployment.applyWith({ ...withStandby(inputs, { number: 2 }), deletion_protection: false });
  await deployment.destroy(kept);
}

/** The region at home is lost while a second one waits, which takes over; it comes back, and users go home. */
const TAKES_OVER: Episode = {
  name: "a second region takes over, and users come home",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud } = deployment;
    const { inputs } = deployment;
    const kept = [...cloud.objects.keys()];
    await deployment.settle(withStandby(inputs, {}));
    await Pair.use(deployment, async (pair) => {
      cloud.lostRegion = HOME;
      await pair.promote(["now"], "does not answer", "As soon as it is back");
      pair.requireServing(AWAY);
      cloud.lostRegion = undefined;
      await pair.promote(["now"]);
      pair.requireServing(AWAY);
      pair.requireHomeClosed();

      deployment.inputs = withStandby(inputs, { promoted: true });
      const { actions } = await deployment.plan();
      // What its primary does, the region that was lost could not say.
      requireActions("plan of a standby that has taken over", actions, {
        ...WATCHED_THERE,
        "google_sql_database_instance.standby_database[0]": "update",
      });
      await deployment.settle();

      await pair.promote(["home", "--discard"], "may be deleted");
      pair.requireServing(HOME);
      await renew(deployment, inputs, pair);
    });
    await end(deployment, inputs, kept);
  },
};

/** A drill, of which Terraform hears nothing until users are home. */
const DRILL: Episode = {
  name: "a drill of a second region",
  fromNothing: true,
  play: async (deployment) => {
    const { inputs } = deployment;
    await deployment.settle(withStandby(inputs, {}));
    await Pair.use(deployment, async (pair) => {
      await pair.promote(["look"], /secrets +those of the standby are in us-east1/);
      await pair.promote(["now", "--planned"], "has everything", "nothing is lost");
      pair.requireServing(AWAY);
      pair.requireHomeClosed();
      deployment.inputs = withStandby(inputs, { promoted: true });
      const { actions } = await deployment.plan();
      requireActions("plan of a standby after a drill", actions, WATCHED_THERE);

      await pair.promote(["home"], "is kept, and billed");
      pair.requireServing(HOME);
      deployment.inputs = withStandby(inputs, { number: 2 });
      await deployment.refuse(["apply", "-auto-approve", "-input=false"], "deletion_protection_enabled");
      await pair.promote(["home", "--discard"], "nothing is restored: that is done", "may be deleted");
      pair.requireServing(HOME);
      await renew(deployment, inputs, pair);
    });
  },
};

/** Primary and replica change places, twice, of which Terraform hears nothing. */
const CHANGES_PLACES: Episode = {
  name: "primary and replica of a second region change places",
  fromNothing: true,
  play: async (deployment) => {
    const inputs = { ...deployment.inputs, database_tier: "db-perf-optimized-N-2" };
    await deployment.settle(withStandby(inputs, {}));
    await Pair.use(deployment, async (pair) => {
      await pair.promote(["now", "--switchover"], "is the replica now. Before the next apply");
      pair.requireServing(AWAY);
      await pair.promote(["home", "--switchover"], "the standby is ready again");
      pair.requireServing(HOME);
      const { actions } = await deployment.plan();
      requireActions("plan after both have changed places twice", actions, {});
      await deployment.settle();
    });
  },
};

export const WARM_STANDBY = [TAKES_OVER, DRILL, CHANGES_PLACES];
