import { isObject, type JsonObject } from "./google-stand-in-schema";
import { ApiError, type Call } from "./google-stand-in-services";
import { type Row, type TableReport } from "./google-stand-in-tables";

export type JobState = "PENDING" | "VALIDATING" | "FAILED_VALIDATION" | "READY" | "RUNNING" | "COMPLETED";

/** An import job with its files and timing. */
export interface Job {
  readonly name: string;
  readonly displayName: string;
  readonly assetSource: string;
  /** Data files by id. */
  readonly files: Map<string, JsonObject>;
  readonly assets: JsonObject[];
  state: JobState;
  /** When the current phase ends, by the clock of the operations. */
  phaseEndsAt: number;
  tables: readonly TableReport[];
  report: JsonObject;
}

/** The time of everything whose order does not matter. */
export const TIME = "2026-08-01T12:00:00Z";

const ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The resource that a call is about: every path parameter is a resource name. */
export function placeOf({ parameters }: Call): string {
  return parameters.parent ?? parameters.name ?? "";
}

export function nameOf({ parameters }: Call): string {
  return parameters.name ?? "";
}

export function newName(call: Call, collection: string, parameter: string): string {
  const id = call.query.get(parameter) ?? "";
  if (!ID.test(id)) throw new ApiError(400, "INVALID_ARGUMENT", `${parameter} "${id}" is not valid.`);
  return `${call.parameters.parent ?? ""}/${collection}/${id}`;
}

export function requireFree(items: ReadonlyMap<string, unknown>, name: string): void {
  if (items.has(name)) throw new ApiError(409, "ALREADY_EXISTS", `${name} already exists.`);
}

export function find<Item>(items: ReadonlyMap<string, Item>, call: Call): Item {
  const item = items.get(nameOf(call));
  if (item === undefined) throw new ApiError(404, "NOT_FOUND", `${nameOf(call)} was not found.`);
  return item;
}

export function jobResource(job: Job): JsonObject {
  return {
    name: job.name,
    displayName: job.displayName,
    assetSource: job.assetSource,
    state: `IMPORT_JOB_STATE_${job.state}`,
    createTime: TIME,
    ...job.report,
  };
}

export function hasError(file: JsonObject): boolean {
  const errors = [file.fileErrors, file.rowErrors].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return errors.filter(isObject).some((error) => {
    const own = Array.isArray(error.errors) ? (error.errors as unknown[]).filter(isObject) : [error];
    return own.some(({ severity }) => severity !== "WARNING");
  });
}

export function assetOf(row: Row, index: number, { assetSource, name }: Job): JsonObject {
  const [, project = "", , location = ""] = name.split("/");
  return {
    name: `projects/${project}/locations/${location}/assets/${name.split("/").at(-1) ?? ""}-${index + 1}`,
    createTime: TIME,
    sources: [assetSource],
    machineDetails: { machineName: row.MachineName ?? "", guestOs: { osName: row.OsType ?? "" } },
  };
}
