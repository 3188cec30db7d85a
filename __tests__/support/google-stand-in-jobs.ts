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
  callsUntilDone = 1;
  outcomeOf: (run: JobRun) => JobOutcome = () => ({ isSuccess: true });
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

  readonly service: Service = {
    description: "secretmanager.v1",
    endpointVariable: "GOOGLE_SECRET_MANAGER_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: { "projects.secrets.versions.access": ({ parameters: { name = "" } }) => this.access(name) },
  };

  private access(name: string): JsonObject {
    const payload = this.payloads.get(name.replace("/versions/latest", ""));
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
}

/** Cloud Storage: objects, and soft-deleted ones. */
export class StoredObjects {
  objects: readonly StoredObject[] = [];
  pageSize = 2;

  readonly service: Service = {
    description: "storage.v1",
    endpointVariable: "GOOGLE_STORAGE_CUSTOM_ENDPOINT",
    basePath: "storage/v1/",
    handlers: {
      "objects.list": (call) => this.list(call),
      "objects.restore": (call) => this.restore(call),
    },
  };

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
