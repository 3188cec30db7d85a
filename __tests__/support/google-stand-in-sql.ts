import { type Operation, Operations } from "./google-stand-in-operations";
import { isObject, type JsonObject } from "./google-stand-in-schema";
import { type Call, counted, ReasonError, type Service } from "./google-stand-in-services";

/** An instance of Cloud SQL with what the scripts depend on. */
export interface SqlInstanceState {
  createTime: string;
  state: string;
  settings: JsonObject;
  /** Names of its databases with the number of users in each. */
  databases: Map<string, number>;
  readonly passwords: Map<string, string>;
  /** @default us-central1 */
  readonly region?: string;
  /** Name of its primary, of a replica. @default none: an instance of its own */
  primary?: string;
  /** Name of the replica with which it can change places. @default none */
  recoveryReplica?: string;
}

/** A time of the stand-in's own, which passes with its calls. */
const EPOCH = Date.UTC(2026, 10, 22, 12);

/** Cloud SQL: instances, their clones, backups and logins. The client's calls are the clock. */
export class CloudSql {
  readonly operations = new Operations();
  /** Instances by `<project>/<name>`. */
  readonly instances = new Map<string, SqlInstanceState>();
  /** Backups by name, `projects/<project>/backups/<id>`. */
  readonly backups = new Map<string, JsonObject>();
  /** What lists of backups and instances could not reach. */
  warnings: readonly JsonObject[] = [];
  /** Whether an instance that has replicas is refused to be stopped. */
  keepsPrimaries = false;
  /** Whether there is an instance that is not among `instances`. */
  hasInstance: (instance: string) => boolean = () => false;
  /** Whether an instance that is not among `instances` has a database. */
  hasDatabase: (instance: string, database: string) => boolean = () => false;

  readonly service: Service = {
    description: "sqladmin.v1beta4",
    endpointVariable: "GOOGLE_SQL_CUSTOM_ENDPOINT",
    basePath: "sql/v1beta4/",
    handlers: counted(() => this.operations.tick(), {
      "instances.list": ({ parameters: { project = "" } }) => this.list(project),
      "instances.get": (call) => this.get(call),
      "instances.clone": (call) => this.clone(call),
      "instances.patch": (call) => this.patch(call),
      "instances.delete": (call) => this.delete(call),
      "instances.restoreBackup": (call) => this.restore(call),
      "instances.promoteReplica": (call) => this.promote(call),
      "instances.switchover": (call) => this.switchOver(call),
      "backups.createBackup": (call) => this.backUp(call),
      "backups.listBackups": (call) => this.listBackups(call),
      "backups.getBackup": (call) => this.backupOf(call.parameters.name ?? ""),
      "databases.get": (call) => this.database(call),
      "operations.get": (call) => this.operation(call),
      "operations.list": (call) => this.listOperations(call),
      "users.update": (call) => this.setPassword(call),
    }),
  };

  /** Creates an instance as Terraform does: protected, and with a final backup at its deletion. */
  make(project: string, name: string, databases: Readonly<Record<string, number>> = {}): SqlInstanceState {
    const instance: SqlInstanceState = {
      createTime: new Date().toISOString(),
      state: "RUNNABLE",
      settings: {
        deletionProtectionEnabled: true,
        finalBackupConfig: { enabled: true, retentionDays: 30 },
        retainBackupsOnDelete: true,
      },
      databases: new Map(Object.entries(databases)),
      passwords: new Map([["postgres", "first"]]),
    };
    this.instances.set(`${project}/${name}`, instance);
    return instance;
  }

  /** Creates a replica of an instance in another region. */
  makeReplica(project: string, name: string, primary: string, region: string): SqlInstanceState {
    const { databases, settings } = this.make(project, name);
    const source = this.instances.get(`${project}/${primary}`);
    const replica: SqlInstanceState = {
      createTime: new Date().toISOString(),
      state: "RUNNABLE",
      settings,
      databases: source?.databases ?? databases,
      passwords: new Map(source?.passwords),
      region,
      primary,
    };
    this.instances.set(`${project}/${name}`, replica);
    return replica;
  }

  addBackup(project: string, instance: string, values: JsonObject = {}): string {
    const name = `projects/${project}/backups/b${this.backups.size + 1}`;
    this.backups.set(name, {
      name,
      kind: "sql#backup",
      instance,
      type: "ON_DEMAND",
      state: "SUCCESSFUL",
      backupInterval: interval(),
      ...values,
    });
    return name;
  }

  get billed(): readonly string[] {
    return [...this.instances.keys(), ...this.backups.keys()];
  }

  private time(): string {
    return new Date(EPOCH + this.operations.clock * 1000).toISOString();
  }

  private find({ parameters: { project = "", instance = "" } }: Call): readonly [string, SqlInstanceState] {
    const found = this.instances.get(`${project}/${instance}`);
    if (found === undefined)
      throw new ReasonError(404, "instanceDoesNotExist", "The Cloud SQL instance does not exist.");
    return [`${project}/${instance}`, found];
  }

  private get(call: Call): JsonObject {
    const { instance: name = "", project = "" } = call.parameters;
    if (this.hasInstance(name)) return { kind: "sql#instance", name, project, state: "RUNNABLE" };
    return resource(...this.find(call));
  }

  private list(project: string): JsonObject {
    const items = [...this.instances].filter(([key]) => key.startsWith(`${project}/`));
    const listed = items.length === 0 ? {} : { items: items.map(([key, instance]) => resource(key, instance)) };
    return this.withWarnings(listed);
  }

  private withWarnings(listed: JsonObject): JsonObject {
    return this.warnings.length === 0 ? listed : { ...listed, warnings: this.warnings };
  }

  private clone(call: Call): JsonObject {
    const [key, source] = this.find(call);
    const context = isObject(call.body.cloneContext) ? call.body.cloneContext : {};
    const name = String(context.destinationInstanceName);
    const target = `${key.split("/")[0] ?? ""}/${name}`;
    if (this.instances.has(target))
      throw new ReasonError(409, "instanceAlreadyExists", "The Cloud SQL instance already exists.");
    return this.accept(
      call,
      name,
      () => {
        const clone = this.instances.get(target);
        if (clone !== undefined) clone.state = "RUNNABLE";
      },
      () => {
        this.instances.set(target, {
          createTime: new Date().toISOString(),
          state: "PENDING_CREATE",
          settings: source.settings,
          databases: new Map(source.databases),
          passwords: new Map(source.passwords),
        });
      },
    );
  }

  private patch(call: Call): JsonObject {
    const [key, instance] = this.find(call);
    const settings = isObject(call.body.settings) ? call.body.settings : {};
    const name = key.split("/")[1] ?? "";
    this.requireRecoveryReplica(key, replicaIn(call.body));
    const hasReplica = [...this.instances.values()].some(({ primary }) => primary === name);
    if (settings.activationPolicy === "NEVER" && hasReplica && this.keepsPrimaries)
      throw new ReasonError(400, "invalid", "An instance with replicas cannot be stopped.");
    return this.accept(call, name, () => {
      instance.settings = { ...instance.settings, ...settings };
      instance.recoveryReplica = replicaIn(call.body) ?? instance.recoveryReplica;
    });
  }

  /** Refuses a disaster recovery replica that Cloud SQL refuses; undefined is none. */
  private requireRecoveryReplica(key: string, name: string | undefined): void {
    if (name === undefined) return;
    const [project = "", primary = ""] = key.split("/");
    const [source, replica] = [this.instances.get(key), this.instances.get(`${project}/${name}`)];
    if (replica?.primary !== primary)
      throw new ReasonError(400, "invalid", "The DR replica is not a replica of the instance.");
    if ([source, replica].some((each) => each?.settings.edition !== "ENTERPRISE_PLUS"))
      throw new ReasonError(400, "invalid", "A DR replica needs the edition Enterprise Plus.");
    const backups = source?.settings.backupConfiguration;
    if (!isObject(backups) || backups.enabled !== true || backups.pointInTimeRecoveryEnabled !== true)
      throw new ReasonError(400, "invalid", "A DR replica needs point-in-time recovery of its primary.");
  }

  private promote(call: Call): JsonObject {
    const [key, instance] = this.find(call);
    if (instance.primary === undefined) throw new ReasonError(400, "invalid", "The instance is not a read replica.");
    return this.accept(call, key.split("/")[1] ?? "", () => {
      instance.primary = undefined;
    });
  }

  /** Primary and replica exchange their parts. The former primary has no backups then. */
  private switchOver(call: Call): JsonObject {
    const [key, instance] = this.find(call);
    const [project = "", name = ""] = key.split("/");
    const { primary = "" } = instance;
    const former = this.instances.get(`${project}/${primary}`);
    if (former === undefined) throw new ReasonError(400, "invalid", "The instance is not a read replica.");
    if (former.recoveryReplica !== name)
      throw new ReasonError(400, "invalid", "The instance is not the DR replica of its primary.");
    this.requireRecoveryReplica(`${project}/${primary}`, name);
    return this.accept(call, name, () => {
      Object.assign(instance, { primary: undefined, recoveryReplica: primary });
      Object.assign(former, { primary: name, recoveryReplica: undefined });
      const backupConfiguration = { enabled: false, pointInTimeRecoveryEnabled: false };
      former.settings = { ...former.settings, backupConfiguration };
    });
  }

  private delete(call: Call): JsonObject {
    const [key, { settings }] = this.find(call);
    const [project = "", name = ""] = key.split("/");
    if (settings.deletionProtectionEnabled === true)
      throw new ReasonError(400, "deletionProtectionEnabled", "The instance is protected from deletion.");
    return this.accept(call, name, () => {
      this.instances.delete(key);
      const { finalBackupConfig: final } = settings;
      const isWanted = call.query.get("enableFinalBackup") ?? String(isObject(final) && final.enabled === true);
      if (isWanted === "true") this.addBackup(project, name, { type: "FINAL", instanceDeletionTime: this.time() });
    });
  }

  private restore(call: Call): JsonObject {
    const [key, instance] = this.find(call);
    const { backup } = call.body;
    const { instance: source, state } = this.backupOf(typeof backup === "string" ? backup : "");
    if (state !== "SUCCESSFUL") throw new ReasonError(400, "invalid", "The backup is not successful.");
    return this.accept(call, key.split("/")[1] ?? "", () => {
      instance.databases = new Map([
        ["restored", 1],
        [String(source), 3],
      ]);
      instance.passwords.set("postgres", "of the backup");
    });
  }

  private backUp(call: Call): JsonObject {
    const { description, ttlDays } = call.body;
    const instance = String(call.body.instance);
    let name = "";
    return this.accept(
      call,
      instance,
      () => this.backups.set(name, { ...this.backups.get(name), state: "SUCCESSFUL", backupInterval: interval() }),
      () => {
        const project = (call.parameters.parent ?? "").replace("projects/", "");
        name = this.addBackup(project, instance, {
          description,
          state: "RUNNING",
          backupInterval: { startTime: interval().startTime },
          expiryTime: new Date(EPOCH + Number(ttlDays) * 86_400_000).toISOString(),
        });
      },
      () =>
        this.backups.set(name, { ...this.backups.get(name), state: "FAILED", error: { kind: "sql#operationError" } }),
    );
  }

  private listBackups({ parameters: { parent = "" }, query }: Call): JsonObject {
    const filters = (query.get("filter") ?? "").split(" AND ").filter((filter) => filter !== "");
    const backups = [...this.backups.values()].filter(
      (backup) =>
        String(backup.name).startsWith(`${parent}/`) &&
        filters.every((filter) => backup[filter.split(":")[0] ?? ""] === filter.split(":")[1]),
    );
    return this.withWarnings(backups.length === 0 ? {} : { backups });
  }

  private backupOf(name: string): JsonObject {
    const backup = this.backups.get(name);
    if (backup === undefined) throw new ReasonError(404, "backupDoesNotExist", `Backup ${name} does not exist.`);
    return backup;
  }

  private database({ parameters: { project = "", instance = "", database = "" } }: Call): JsonObject {
    const known = this.instances.get(`${project}/${instance}`)?.databases.has(database);
    if (!(known ?? this.hasDatabase(instance, database)))
      throw new ReasonError(404, "databaseDoesNotExist", "Not Found");
    return { kind: "sql#database", name: database, instance, project };
  }

  private setPassword(call: Call): JsonObject {
    const [key, instance] = this.find(call);
    const name = call.query.get("name") ?? "";
    const password = String(call.body.password);
    return this.accept(call, key.split("/")[1] ?? "", () => instance.passwords.set(name, password));
  }

  private accept(
    call: Call,
    instance: string,
    effect: () => void,
    atOnce: () => void = () => undefined,
    atFailure: () => void = () => undefined,
  ): JsonObject {
    if (this.operations.isBusy(instance, call.parameters.instance ?? instance))
      throw new ReasonError(409, "operationInProgress", "Another operation was already in progress.");
    atOnce();
    const operation = this.operations.begin(call, instance, effect);
    if (operation.failure !== undefined) atFailure();
    return operationResource(operation);
  }

  private operation({ parameters: { operation: name = "" } }: Call): JsonObject {
    const operation = this.operations.find(name);
    if (operation === undefined) throw new ReasonError(404, "operationDoesNotExist", "The operation does not exist.");
    return operationResource(operation);
  }

  private listOperations({ query }: Call): JsonObject {
    const items = this.operations.on(query.get("instance") ?? "").map(operationResource);
    return items.length === 0 ? {} : { items: items.slice(0, Number(query.get("maxResults") ?? 10)) };
  }
}

const OPERATION_TYPES: Readonly<Record<string, string>> = {
  "instances.restoreBackup": "RESTORE_VOLUME",
  "instances.promoteReplica": "PROMOTE_REPLICA",
  "instances.switchover": "SWITCHOVER",
};

function operationResource({ done, failure, insertTime, method, name, target }: Operation): JsonObject {
  return {
    kind: "sql#operation",
    name,
    targetId: target,
    insertTime,
    ...(method in OPERATION_TYPES ? { operationType: OPERATION_TYPES[method] } : {}),
    status: done ? "DONE" : "RUNNING",
    ...(done && failure !== undefined ? { error: { kind: "sql#operationErrors", errors: [failure] } } : {}),
  };
}

/** Name of the disaster recovery replica that an instance shall have. */
function replicaIn({ replicationCluster }: JsonObject): string | undefined {
  if (!isObject(replicationCluster)) return undefined;
  return String(replicationCluster.failoverDrReplicaName).split(":").at(-1);
}

function resource(key: string, instance: SqlInstanceState): JsonObject {
  const { createTime, primary, recoveryReplica, region = "us-central1", settings, state } = instance;
  const [project = "", name = ""] = key.split("/");
  return {
    kind: "sql#instance",
    name,
    project,
    state,
    settings,
    createTime,
    connectionName: `${project}:${region}:${name}`,
    region,
    instanceType: primary === undefined ? "CLOUD_SQL_INSTANCE" : "READ_REPLICA_INSTANCE",
    ...(primary === undefined ? {} : { masterInstanceName: `${project}:${primary}` }),
    ...(recoveryReplica === undefined
      ? {}
      : { replicationCluster: { failoverDrReplicaName: `${project}:${recoveryReplica}` } }),
  };
}

/** By the clock of the machine, with which the scripts compare it. */
function interval(): JsonObject {
  const now = new Date().toISOString();
  return { startTime: now, endTime: now };
}
