import { isObject, type JsonObject } from "./google-stand-in-schema";
import { ApiError, type Call, ReasonError, type Service } from "./google-stand-in-services";

export interface JobOutcome {
  /** It may be true at first: then the execution goes on until it is not. */
  readonly isRunning?: boolean;
  readonly isSuccess: boolean;
  readonly lines?: readonly string[];
}

export interface JobRun {
  readonly job: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Connection names of the databases that it reaches. */
  readonly databases: readonly string[];
  /** Time limit of an attempt, and how many more there are. */
  readonly limits: { readonly timeout: string; readonly maxRetries: number };
}

/** Jobs of Cloud Run with their logs. The client's calls are the clock. */
export class CloudRunJobs {
  /** Jobs by name, `projects/<project>/locations/<region>/jobs/<id>`. */
  readonly jobs = new Map<string, JsonObject>();
  readonly runs: JobRun[] = [];
  /** Services and worker pools by name, `projects/<project>/locations/<region>/services/<id>`. */
  readonly servers = new Set<string>();
  /** How often a server is still found after its deletion, by name. */
  readonly looksUntilGone = new Map<string, number>();
  /** How servers are scaled, by name, where somebody has said so. */
  readonly scalings = new Map<string, JsonObject>();
  /** Names of the secrets that servers read, by name of the server. */
  readonly secrets = new Map<string, readonly string[]>();
  /** Account that services run as. */
  account = "";
  callsUntilDone = 1;
  outcomeOf: (run: JobRun) => JobOutcome = () => ({ isSuccess: true });
  private readonly deleted = new Set<string>();
  private readonly executions: { name: string; endsAt: number; outcome: JobOutcome }[] = [];
  private clock = 0;

  readonly service: Service = {
    description: "run.v2",
    endpointVariable: "GOOGLE_CLOUD_RUN_V2_CUSTOM_ENDPOINT",
    basePath: "v2/",
    handlers: {
      "projects.locations.jobs.get": (call) => this.find(call),
      "projects.locations.jobs.list": () => ({ jobs: [...this.jobs.values()] }),
      "projects.locations.jobs.create": (call) => this.create(call),
      "projects.locations.jobs.delete": (call) => this.delete(call),
      "projects.locations.jobs.run": (call) => this.run(call),
      "projects.locations.jobs.executions.list": (call) => this.list(call.parameters.parent ?? ""),
      "projects.locations.services.get": (call) => this.getServer(call),
      "projects.locations.services.patch": (call) => this.scale(call),
      "projects.locations.services.delete": (call) => this.deleteServer(call),
      "projects.locations.workerPools.delete": (call) => this.deleteServer(call),
      "projects.locations.workerPools.get": (call) => this.getServer(call),
      "projects.locations.workerPools.patch": (call) => this.scale(call),
      "projects.locations.operations.get": ({ parameters: { name = "" } }) => ({ name, done: true }),
    },
  };

  readonly log: Service = {
    description: "logging.v2",
    endpointVariable: "GOOGLE_LOGGING_CUSTOM_ENDPOINT",
    basePath: "v2/",
    handlers: { "entries.list": (call) => this.entries(call.body) },
  };

  make(name: string, container: JsonObject, volumes: readonly JsonObject[] = []): void {
    this.jobs.set(name, {
      name,
      labels: { application: "idp" },
      template: { taskCount: 1, template: { containers: [container], maxRetries: 2, timeout: "600s", volumes } },
      terminalCondition: { type: "Ready", state: "CONDITION_SUCCEEDED" },
    });
  }

  /** Gives a job an account. */
  runAs(name: string, serviceAccount: string): void {
    const job = this.jobs.get(name);
    if (job === undefined) throw new Error(`there is no job ${name}`);
    const outer = inner(job.template);
    this.jobs.set(name, { ...job, template: { ...outer, template: { ...inner(outer.template), serviceAccount } } });
  }

  /** Starts a job as its schedule does; it runs until `end` is called. */
  startBySchedule(name: string): { readonly end: () => void } {
    const outcome = { isRunning: true, isSuccess: true };
    const id = `${name.split("/").at(-1) ?? ""}-s${this.executions.length}`;
    this.executions.push({ name: `${name}/executions/${id}`, endsAt: 0, outcome });
    return { end: () => (outcome.isRunning = false) };
  }

  private find({ parameters: { name = "" } }: Call): JsonObject {
    const job = this.jobs.get(name);
    if (job === undefined) throw new ApiError(404, "NOT_FOUND", `Resource '${name}' was not found.`);
    return job;
  }

  private create({ body, parameters: { parent = "" }, query }: Call): JsonObject {
    const name = `${parent}/jobs/${query.get("jobId") ?? ""}`;
    if (this.jobs.has(name)) throw new ApiError(409, "ALREADY_EXISTS", `Resource '${name}' already exists.`);
    const createTime = new Date().toISOString();
    this.jobs.set(name, {
      ...body,
      name,
      createTime,
      terminalCondition: { type: "Ready", state: "CONDITION_SUCCEEDED" },
    });
    return { name: `${parent}/operations/create-${this.clock}` };
  }

  private delete(call: Call): JsonObject {
    const { name } = this.find(call);
    this.jobs.delete(String(name));
    return { name: `${String(name).split("/jobs/")[0] ?? ""}/operations/delete-${this.clock}` };
  }

  private server({ parameters: { name = "" } }: Call): string {
    if (!this.servers.has(name)) throw new ApiError(404, "NOT_FOUND", `Resource '${name}' was not found.`);
    return name;
  }

  private getServer(call: Call): JsonObject {
    const name = this.server(call);
    if (this.deleted.has(name)) this.countDown(name);
    const account = this.account === "" ? {} : { serviceAccount: this.account };
    const read = (this.secrets.get(name) ?? []).map((secret, index) => ({
      name: `SECRET_${index}`,
      valueSource: { secretKeyRef: { secret, version: "1" } },
    }));
    const containers = read.length === 0 ? {} : { containers: [{ env: read }] };
    return { name, scaling: this.scalings.get(name) ?? {}, template: { ...account, ...containers } };
  }

  private scale(call: Call): JsonObject {
    const name = this.server(call);
    if (call.query.get("updateMask") !== "scaling")
      throw new ApiError(400, "INVALID_ARGUMENT", "Only the scaling can be changed here.");
    this.scalings.set(name, inner(call.body.scaling));
    return { name: `${name.split("/").slice(0, 4).join("/")}/operations/scale-${this.clock}` };
  }

  private deleteServer(call: Call): JsonObject {
    const name = this.server(call);
    this.deleted.add(name);
    this.countDown(name);
    return { name: `${name.split("/").slice(0, 4).join("/")}/operations/delete-${this.clock}` };
  }

  private countDown(name: string): void {
    const looks = this.looksUntilGone.get(name) ?? 0;
    this.looksUntilGone.set(name, looks - 1);
    if (looks > 0) return;
    this.servers.delete(name);
    this.deleted.delete(name);
  }

  private run(call: Call): JsonObject {
    const job = this.find(call);
    const run = runOf(job);
    this.runs.push(run);
    const name = `${run.job}/executions/${run.job.split("/").at(-1) ?? ""}-${this.runs.length}`;
    this.executions.push({ name, endsAt: this.clock + this.callsUntilDone, outcome: this.outcomeOf(run) });
    return { name: `${run.job.split("/jobs/")[0] ?? ""}/operations/run-${this.runs.length}` };
  }

  private list(job: string): JsonObject {
    this.clock += 1;
    // They are deleted with their job.
    const executions = (this.jobs.has(job) ? this.executions : [])
      .filter(({ name }) => name.startsWith(`${job}/executions/`))
      .map(({ endsAt, name, outcome: { isRunning = endsAt > this.clock, isSuccess } }) => ({
        name,
        logUri: `https://console.cloud.google.com/logs/${name.split("/").at(-1) ?? ""}`,
        ...(isRunning ? { runningCount: 1 } : { completionTime: "2026-11-22T12:00:00Z" }),
        ...(isRunning ? {} : isSuccess ? { succeededCount: 1 } : { failedCount: 1 }),
      }))
      .reverse();
    return executions.length === 0 ? {} : { executions };
  }

  private entries({ filter }: JsonObject): JsonObject {
    const [, execution = ""] = /execution_name"="([^"]+)"/.exec(String(filter)) ?? [];
    const [, text = ""] = /textPayload:"([^"]+)"/.exec(String(filter)) ?? [];
    const { outcome } = this.executions.find(({ name }) => name.endsWith(`/${execution}`)) ?? {};
    const newestFirst = (outcome?.lines ?? []).filter((line) => line.includes(text)).reverse();
    return newestFirst.length === 0 ? {} : { entries: newestFirst.map((textPayload) => ({ textPayload })) };
  }
}

function runOf(job: JsonObject): JobRun {
  const template = inner(inner(job.template).template);
  const container = inner(listOf(template.containers)[0]);
  const environment = listOf(container.env).map(inner);
  return {
    job: String(job.name),
    command: [...listOf(container.command), ...listOf(container.args)].map(String),
    limits: { timeout: String(template.timeout), maxRetries: Number(template.maxRetries) },
    environment: Object.fromEntries(
      environment.filter(({ value }) => value !== undefined).map(({ name, value }) => [String(name), String(value)]),
    ),
    databases: listOf(template.volumes).flatMap((volume) =>
      listOf(inner(inner(volume).cloudSqlInstance).instances).map(String),
    ),
  };
}

function inner(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Secret Manager: the newest version of each secret, by `projects/<project>/secrets/<id>`. */
export class StoredSecrets {
  readonly payloads = new Map<string, string>();
  /** Regions of the secrets that are not everywhere, by name. */
  readonly regions = new Map<string, readonly string[]>();
  readonly annotations = new Map<string, JsonObject>();

  readonly service: Service = {
    description: "secretmanager.v1",
    endpointVariable: "GOOGLE_SECRET_MANAGER_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: {
      "projects.secrets.create": (call) => this.create(call),
      "projects.secrets.get": ({ parameters: { name = "" } }) => this.get(name),
      "projects.secrets.patch": (call) => this.annotate(call),
      "projects.secrets.addVersion": (call) => this.add(call),
      "projects.secrets.versions.access": ({ parameters: { name = "" } }) => this.access(name),
    },
  };

  private create({ body, parameters: { parent = "" }, query }: Call): JsonObject {
    const name = `${parent}/secrets/${query.get("secretId") ?? ""}`;
    if (this.regions.has(name)) throw new ApiError(409, "ALREADY_EXISTS", `Secret [${name}] already exists.`);
    const replicas = listOf(inner(inner(body.replication).userManaged).replicas).map(inner);
    this.regions.set(
      name,
      replicas.map(({ location }) => String(location)),
    );
    this.annotations.set(name, inner(body.annotations));
    return { ...body, name };
  }

  private annotate({ body, parameters: { name = "" }, query }: Call): JsonObject {
    const secret = this.get(name);
    if (query.get("updateMask") !== "annotations")
      throw new ApiError(400, "INVALID_ARGUMENT", "Only the annotations can be changed here.");
    this.annotations.set(name, inner(body.annotations));
    return { ...secret, annotations: inner(body.annotations) };
  }

  private get(name: string): JsonObject {
    if (!this.regions.has(name) && !this.payloads.has(name))
      throw new ApiError(404, "NOT_FOUND", `Secret [${name}] not found.`);
    const regions = this.regions.get(name) ?? [];
    const replicas = regions.map((location) => ({ location }));
    const replication = regions.length === 0 ? { automatic: {} } : { userManaged: { replicas } };
    return { name, replication, annotations: this.annotations.get(name) ?? {} };
  }

  private add({ body, parameters: { parent = "" } }: Call): JsonObject {
    if (!this.regions.has(parent)) throw new ApiError(404, "NOT_FOUND", `Secret [${parent}] not found.`);
    this.payloads.set(parent, Buffer.from(String(inner(body.payload).data), "base64").toString());
    return { name: `${parent}/versions/1`, state: "ENABLED" };
  }

  private access(name: string): JsonObject {
    const payload = this.payloads.get(name.replace(/\/versions\/(latest|[0-9]+)$/, ""));
    if (payload === undefined) throw new ApiError(404, "NOT_FOUND", `Secret Version [${name}] not found.`);
    return {
      name: name.replace("latest", "1"),
      payload: { data: Buffer.from(payload).toString("base64") },
    };
  }
}

/** An object in a bucket, or what soft deletion keeps of it. */
export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  readonly generation: string;
  readonly softDeleteTime?: string;
  readonly updated?: string;
}

/** Cloud Storage: objects, and soft-deleted ones. */
export class StoredObjects {
  objects: readonly StoredObject[] = [];
  /** Regions of the buckets that are not in many, by name. */
  readonly regions = new Map<string, readonly string[]>();
  pageSize = 2;

  readonly service: Service = {
    description: "storage.v1",
    endpointVariable: "GOOGLE_STORAGE_CUSTOM_ENDPOINT",
    basePath: "storage/v1/",
    handlers: {
      "buckets.get": ({ parameters: { bucket = "" } }) => this.bucket(bucket),
      "objects.get": (call) => this.get(call),
      "objects.list": (call) => this.list(call),
      "objects.rewrite": (call) => this.rewrite(call),
      "objects.restore": (call) => this.restore(call),
    },
  };

  /** In capital letters, as Cloud Storage writes locations. */
  private bucket(name: string): JsonObject {
    const [one = "US", ...others] = (this.regions.get(name) ?? []).map((region) => region.toUpperCase());
    const bucket = { kind: "storage#bucket", name };
    if (others.length === 0) return { ...bucket, location: one };
    return { ...bucket, location: "US", customPlacementConfig: { dataLocations: [one, ...others] } };
  }

  private find(bucket: string, name: string): StoredObject {
    const isMeant = (object: StoredObject) => object.bucket === bucket && object.name === name;
    const found = this.objects.find((object) => isMeant(object) && object.softDeleteTime === undefined);
    if (found === undefined) throw new ApiError(404, "NOT_FOUND", `No such object: ${bucket}/${name}`);
    return found;
  }

  private get({ parameters: { bucket = "", object = "" } }: Call): JsonObject {
    return { ...this.find(bucket, object), kind: "storage#object" };
  }

  /** Takes two calls for each object, as for a large one. */
  private rewrite({ parameters, query }: Call): JsonObject {
    const { destinationBucket: bucket = "", destinationObject: name = "" } = parameters;
    const source = this.find(parameters.sourceBucket ?? "", parameters.sourceObject ?? "");
    const kind = "storage#rewriteResponse";
    const { generation = "0" } = this.objects.find((each) => each.bucket === bucket && each.name === name) ?? {};
    if ((query.get("ifGenerationMatch") ?? generation) !== generation)
      throw new ReasonError(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.");
    if (query.get("rewriteToken") !== "a token+") return { kind, done: false, rewriteToken: "a token+" };
    const others = this.objects.filter((object) => object.bucket !== bucket || object.name !== name);
    const copy = { bucket, name, generation: source.generation };
    this.objects = [...others, copy];
    return { kind, done: true, resource: { ...copy, kind: "storage#object" } };
  }

  private list({ parameters: { bucket }, query }: Call): JsonObject {
    const wanted = this.objects.filter(
      (object) =>
        object.bucket === bucket &&
        (object.softDeleteTime !== undefined) === (query.get("softDeleted") === "true") &&
        object.name.startsWith(query.get("prefix") ?? ""),
    );
    const start = Number(query.get("pageToken") ?? 0);
    const items = wanted.slice(start, start + this.pageSize).map((object) => ({ ...object, kind: "storage#object" }));
    const next = start + this.pageSize;
    return { kind: "storage#objects", items, ...(next < wanted.length ? { nextPageToken: String(next) } : {}) };
  }

  private restore({ parameters: { bucket = "", object: name = "" }, query }: Call): JsonObject {
    const generation = query.get("generation") ?? "";
    const deleted = this.objects.find((object) => object.name === name && object.generation === generation);
    if (deleted?.softDeleteTime === undefined)
      throw new ApiError(404, "NOT_FOUND", `No such object: ${bucket}/${name}`);
    const isThere = this.objects.some((object) => object.name === name && object.softDeleteTime === undefined);
    if (isThere && query.get("ifGenerationMatch") === "0")
      throw new ReasonError(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.");
    const restored = { bucket, name, generation: `${Number(generation) + 1000}` };
    this.objects = [...this.objects.filter((object) => object !== deleted), restored];
    return { ...restored, kind: "storage#object" };
  }
}
