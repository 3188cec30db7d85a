import { type Operation, Operations } from "./google-stand-in-operations";
import { isObject, type JsonObject } from "./google-stand-in-schema";
import { ApiError, type Call, counted, type Service, textsAt } from "./google-stand-in-services";
import { readTable, type Row, type TableReport } from "./google-stand-in-tables";
import { SignedUploads } from "./google-stand-in-uploads";

type JobState = "PENDING" | "VALIDATING" | "FAILED_VALIDATION" | "READY" | "RUNNING" | "COMPLETED";

interface Job {
  readonly name: string;
  readonly displayName: string;
  readonly assetSource: string;
  readonly files: Map<string, JsonObject>;
  readonly assets: JsonObject[];
  state: JobState;
  /** When the current phase ends, by the clock of the operations. */
  phaseEndsAt: number;
  tables: readonly TableReport[];
  report: JsonObject;
}

/** The time of everything whose order does not matter. */
const TIME = "2026-08-01T12:00:00Z";

const ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The resource that a call is about: every path parameter is a resource name. */
function placeOf({ parameters }: Call): string {
  return parameters.parent ?? parameters.name ?? "";
}

function nameOf({ parameters }: Call): string {
  return parameters.name ?? "";
}

function newName(call: Call, collection: string, parameter: string): string {
  const id = call.query.get(parameter) ?? "";
  if (!ID.test(id)) throw new ApiError(400, "INVALID_ARGUMENT", `${parameter} "${id}" is not valid.`);
  return `${call.parameters.parent ?? ""}/${collection}/${id}`;
}

function requireFree(items: ReadonlyMap<string, unknown>, name: string): void {
  if (items.has(name)) throw new ApiError(409, "ALREADY_EXISTS", `${name} already exists.`);
}

function find<Item>(items: ReadonlyMap<string, Item>, call: Call): Item {
  const item = items.get(nameOf(call));
  if (item === undefined) throw new ApiError(404, "NOT_FOUND", `${nameOf(call)} was not found.`);
  return item;
}

function jobResource({ assetSource, displayName, name, report, state }: Job): JsonObject {
  return { name, displayName, assetSource, state: `IMPORT_JOB_STATE_${state}`, createTime: TIME, ...report };
}

function hasError(file: JsonObject): boolean {
  const errors = [file.fileErrors, file.rowErrors].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return errors.filter(isObject).some((error) => {
    const own = Array.isArray(error.errors) ? (error.errors as unknown[]).filter(isObject) : [error];
    return own.some(({ severity }) => severity !== "WARNING");
  });
}

function assetOf(row: Row, index: number, { assetSource, name }: Job): JsonObject {
  const [, project = "", , location = ""] = name.split("/");
  return {
    name: `projects/${project}/locations/${location}/assets/${name.split("/").at(-1) ?? ""}-${index + 1}`,
    createTime: TIME,
    sources: [assetSource],
    machineDetails: { machineName: row.MachineName ?? "", guestOs: { osName: row.OsType ?? "" } },
  };
}

/** Collections filled by users; they can only be listed and deleted. */
const USER_COLLECTIONS = ["reportConfigs", "assetsExportJobs", "groups", "preferenceSets", "discoveryClients"] as const;

/** Calls that a validation or an import takes; more than its operation takes, which ends before the phase. */
const CALLS_PER_PHASE = 2;

/**
 * Migration Center: sources, import jobs with their states, signed URLs for their files, and the assets that an import
 * creates.
 */
export class MigrationCenter {
  readonly operations = new Operations();
  readonly uploads = new SignedUploads();
  readonly regions = ["europe-west1", "us-central1"];
  /** Maximum page size of a list, whatever the client requests. */
  longestPage = 1000;
  importResult: number | undefined;
  /** Makes the operation that creates a file end without the signed URL, which must then be read. */
  hidesAddresses = false;
  readonly findings: JsonObject[] = [];
  readonly unreachable: string[] = [];
  readonly sources = new Map<string, JsonObject>();
  readonly jobs = new Map<string, Job>();
  private readonly byRequestId = new Map<string, Operation>();
  readonly assets: JsonObject[] = [];
  readonly others = new Map<string, JsonObject[]>(USER_COLLECTIONS.map((name) => [name, []]));

  readonly service: Service = {
    description: "migrationcenter.v1",
    endpointVariable: "GOOGLE_MIGRATION_CENTER_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: counted((call) => this.tick(call), {
      "projects.locations.get": (call) => this.region(call.parameters.name ?? ""),
      "projects.locations.operations.get": (call) => this.operation(call),
      "projects.locations.sources.create": (call) => this.createSource(call),
      "projects.locations.sources.get": (call) => find(this.sources, call),
      "projects.locations.sources.list": (call) => this.list("sources", [...this.sources.values()], call),
      "projects.locations.sources.delete": (call) => this.deleteSource(call),
      "projects.locations.importJobs.create": (call) => this.createJob(call),
      "projects.locations.importJobs.get": (call) => jobResource(find(this.jobs, call)),
      "projects.locations.importJobs.list": (call) =>
        this.list("importJobs", [...this.jobs.values()].map(jobResource), call),
      "projects.locations.importJobs.delete": (call) => this.deleteJob(call),
      "projects.locations.importJobs.validate": (call) => this.startPhase(call, ["PENDING", "FAILED_VALIDATION"]),
      "projects.locations.importJobs.run": (call) => this.startPhase(call, ["READY"]),
      "projects.locations.importJobs.importDataFiles.create": (call) => this.createFile(call),
      "projects.locations.importJobs.importDataFiles.get": (call) => this.file(call.parameters.name ?? ""),
      "projects.locations.assets.list": (call) => this.listAssets(call),
      "projects.locations.assets.batchDelete": (call) => this.deleteAssets(call),
      ...Object.fromEntries(
        USER_COLLECTIONS.flatMap((name) => [
          [`projects.locations.${name}.list`, (call: Call) => this.list(name, this.others.get(name) ?? [], call)],
          [`projects.locations.${name}.delete`, (call: Call) => this.deleteOther(name, call)],
        ]),
      ),
    }),
  };

  /** @param host of the stand-in, once it listens, for signed URLs */
  constructor(private readonly host: () => string) {}

  get allAssets(): readonly JsonObject[] {
    return [...this.assets, ...[...this.jobs.values()].flatMap(({ assets }) => assets)];
  }

  private tick(call: Call): void {
    this.operations.tick();
    for (const job of this.jobs.values()) this.advance(job);
    this.region(placeOf(call));
  }

  private region(place: string): JsonObject {
    const [, project, , locationId] = place.split("/");
    if (locationId === undefined) return {};
    if (this.regions.includes(locationId))
      return { name: `projects/${project ?? ""}/locations/${locationId}`, locationId };
    throw new ApiError(404, "NOT_FOUND", `Location ${locationId} is not found or access is unauthorized.`);
  }

  /** One page; a client that does not encode the page token breaks it. */
  private list(field: string, items: readonly JsonObject[], { query }: Call): JsonObject {
    const size = Math.min(Number(query.get("pageSize") ?? 0) || 500, this.longestPage);
    const token = query.get("pageToken") ?? "from=0&+/";
    const start = Number(/^from=(\d+)&\+\/$/.exec(token)?.[1] ?? Number.NaN);
    if (Number.isNaN(start)) throw new ApiError(400, "INVALID_ARGUMENT", `page token "${token}" is invalid`);
    const page = items.slice(start, start + size);
    return {
      ...(page.length === 0 ? {} : { [field]: page }),
      ...(start + size < items.length ? { nextPageToken: `from=${start + size}&+/` } : {}),
      ...(this.unreachable.length === 0 ? {} : { unreachable: this.unreachable }),
    };
  }

  private createSource(call: Call): JsonObject {
    const name = newName(call, "sources", "sourceId");
    const source = { ...call.body, name, state: "ACTIVE", createTime: TIME, updateTime: TIME };
    return this.accept(
      call,
      name,
      () => {
        this.sources.set(name, source);
        return typed("Source", source);
      },
      () => requireFree(this.sources, name),
    );
  }

  private deleteSource(call: Call): JsonObject {
    find(this.sources, call);
    const name = nameOf(call);
    const isUsed =
      [...this.jobs.values()].some(({ assetSource }) => assetSource === name) ||
      (this.others.get("discoveryClients") ?? []).some(({ source }) => source === name);
    if (isUsed) throw new ApiError(400, "FAILED_PRECONDITION", `${name} is still in use.`);
    return this.accept(call, name, () => void this.sources.delete(name));
  }

  private createJob(call: Call): JsonObject {
    const name = newName(call, "importJobs", "importJobId");
    const { assetSource, displayName } = call.body;
    if (typeof assetSource !== "string" || !this.sources.has(assetSource)) {
      throw new ApiError(400, "INVALID_ARGUMENT", `asset_source "${String(assetSource)}" does not exist.`);
    }
    const job: Job = {
      name,
      displayName: typeof displayName === "string" ? displayName : "",
      assetSource,
      files: new Map(),
      assets: [],
      state: "PENDING",
      phaseEndsAt: 0,
      tables: [],
      report: {},
    };
    return this.accept(
      call,
      name,
      () => {
        this.jobs.set(name, job);
        return typed("ImportJob", jobResource(job));
      },
      () => requireFree(this.jobs, name),
    );
  }

  private deleteJob(call: Call): JsonObject {
    const job = find(this.jobs, call);
    if (job.files.size > 0 && call.query.get("force") !== "true")
      throw new ApiError(400, "FAILED_PRECONDITION", `${job.name} has data files; use force.`);
    return this.accept(call, job.name, () => void this.jobs.delete(job.name));
  }

  private createFile(call: Call): JsonObject {
    const job = find(this.jobs, { ...call, parameters: { name: call.parameters.parent ?? "" } });
    const name = newName(call, "importDataFiles", "importDataFileId");
    if (call.body.format === undefined) throw new ApiError(400, "INVALID_ARGUMENT", "format is required.");
    const file = {
      ...call.body,
      name,
      state: "ACTIVE",
      createTime: TIME,
      uploadFileInfo: { ...this.uploads.sign(this.host(), name), uriExpirationTime: TIME },
    };
    return this.accept(
      call,
      name,
      () => {
        job.files.set(name, file);
        const { uploadFileInfo, ...rest } = file;
        return typed("ImportDataFile", this.hidesAddresses ? rest : { ...rest, uploadFileInfo });
      },
      () => {
        requireFree(job.files, name);
        if (job.state !== "PENDING") throw new ApiError(400, "FAILED_PRECONDITION", `${job.name} is ${job.state}.`);
      },
    );
  }

  private file(name: string): JsonObject {
    const file = this.jobs.get(name.replace(/\/importDataFiles\/.*$/, ""))?.files.get(name);
    if (file === undefined) throw new ApiError(404, "NOT_FOUND", `${name} was not found.`);
    return file;
  }

  private startPhase(call: Call, from: readonly JobState[]): JsonObject {
    const job = find(this.jobs, call);
    return this.accept(
      call,
      job.name,
      () => undefined,
      () => {
        if (!from.includes(job.state)) {
          throw new ApiError(400, "FAILED_PRECONDITION", `${job.name} is in state ${job.state}.`);
        }
        // An operation that is meant to fail starts nothing.
        if (this.operations.failures.has(call.method.id.replace("migrationcenter.", ""))) return;
        job.state = from.includes("READY") ? "RUNNING" : "VALIDATING";
        job.phaseEndsAt = this.operations.clock + CALLS_PER_PHASE;
      },
    );
  }

  /** Accepts a call as an operation. A repeated request id returns the operation of the first request. */
  private accept(
    call: Call,
    target: string,
    effect: () => JsonObject | undefined,
    checks: () => void = () => undefined,
  ): JsonObject {
    const inBody = call.body.requestId;
    const requestId = typeof inBody === "string" ? inBody : call.query.get("requestId");
    if (requestId !== null && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId))
      throw new ApiError(400, "INVALID_ARGUMENT", `requestId "${requestId}" is not a UUID.`);
    const known = this.byRequestId.get(requestId ?? "");
    if (known !== undefined) return operationResource(known);
    checks();
    const operation = this.operations.begin(call, target, effect);
    if (requestId !== null) this.byRequestId.set(requestId, operation);
    return operationResource(operation);
  }

  private operation(call: Call): JsonObject {
    const operation = this.operations.find(nameOf(call).split("/").at(-1) ?? "");
    if (operation === undefined) throw new ApiError(404, "NOT_FOUND", "The operation was not found.");
    return operationResource(operation);
  }

  private advance(job: Job): void {
    if (job.phaseEndsAt > this.operations.clock) return;
    if (job.state === "VALIDATING") this.validate(job);
    else if (job.state === "RUNNING") this.run(job);
  }

  private validate(job: Job): void {
    job.tables = [...job.files.values()].map(({ displayName, format, name }) =>
      readTable(String(displayName), String(format), this.uploads.objects.get(String(name))),
    );
    const findings = this.findings.splice(0);
    const isRefused = job.tables.some(({ kind }) => kind === undefined) || findings.some((file) => hasError(file));
    job.state = isRefused ? "FAILED_VALIDATION" : "READY";
    job.report = { validationReport: { fileValidations: [...job.tables.map(({ report }) => report), ...findings] } };
  }

  private run(job: Job): void {
    const machines = job.tables.filter(({ kind }) => kind === "vmInfo").flatMap(({ rows }) => rows);
    const totalRowsCount = job.tables.reduce((count, { rows }) => count + rows.length, 0);
    const imported = machines.slice(0, this.importResult);
    job.state = "COMPLETED";
    job.assets.push(...imported.map((row, index) => assetOf(row, index, job)));
    job.report = { executionReport: { framesReported: imported.length, totalRowsCount } };
  }

  private listAssets(call: Call): JsonObject {
    const shown = this.allAssets.filter(({ hidden }) => hidden !== true || call.query.get("showHidden") === "true");
    return this.list("assets", shown, call);
  }

  private deleteAssets(call: Call): JsonObject {
    const names = textsAt(call.body, "names");
    for (const assets of [this.assets, ...[...this.jobs.values()].map((job) => job.assets)]) {
      assets.splice(0, assets.length, ...assets.filter(({ name }) => !names.includes(String(name))));
    }
    return {};
  }

  private deleteOther(collection: string, call: Call): JsonObject {
    const name = nameOf(call);
    const items = this.others.get(collection) ?? [];
    if (!items.some((item) => item.name === name)) throw new ApiError(404, "NOT_FOUND", `${name} was not found.`);
    const left = items.filter((item) => item.name !== name);
    return this.accept(call, name, () => void this.others.set(collection, left));
  }
}

function operationResource({ done, failure, name, response, target }: Operation): JsonObject {
  const outcome = failure === undefined ? { response: response ?? EMPTY_RESPONSE } : { error: failure };
  return {
    name: `${target.split("/").slice(0, 4).join("/")}/operations/${name}`,
    ...(done ? { done, ...outcome } : {}),
  };
}

function typed(type: string, value: JsonObject): JsonObject {
  return { "@type": `type.googleapis.com/google.cloud.migrationcenter.v1.${type}`, ...value };
}

const EMPTY_RESPONSE: JsonObject = { "@type": "type.googleapis.com/google.protobuf.Empty" };
