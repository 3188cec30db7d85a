import { type JsonObject } from "./google-stand-in-schema";
import { ApiError, type Call } from "./google-stand-in-services";

/** Numbers of google.rpc.Code, as in an operation's error. */
const STATUS_CODES: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  INTERNAL: 13,
};

interface Operation {
  readonly name: string;
  readonly endsAt: number;
  /** Called when the operation ends; returns its response, or throws an ApiError if it fails. */
  readonly effect: () => JsonObject;
  readonly metadata: JsonObject;
  outcome: JsonObject | undefined;
}

/**
 * Long-running operations of one API: accepted at once, carried out a few calls later.
 *
 * The client's calls are the clock, so that a killed client finds everything as it was.
 */
export class Operations {
  /** Calls until an operation ends, not counting its own. */
  callsUntilDone = 1;
  /** Errors of the next operations, by method id. */
  readonly failures = new Map<string, ApiError>();
  /** Calls so far. */
  clock = 0;
  private readonly operations = new Map<string, Operation>();
  private readonly byRequestId = new Map<string, Operation>();

  /** Counts one call and carries out what is due. */
  tick(): void {
    this.clock += 1;
    for (const operation of this.operations.values()) {
      if (operation.outcome !== undefined || operation.endsAt > this.clock) continue;
      try {
        operation.outcome = { response: operation.effect() };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { details, message, status } = error;
        const code = STATUS_CODES[status] ?? 2;
        operation.outcome = { error: { code, message, ...(details.length === 0 ? {} : { details }) } };
      }
    }
  }

  /** Accepts a call as an operation. A repeated request id returns the operation of the first request. */
  accept(call: Call, target: string, effect: Operation["effect"], checks: () => void = () => undefined): JsonObject {
    const inBody = call.body.requestId;
    const requestId = typeof inBody === "string" ? inBody : call.query.get("requestId");
    if (requestId !== null && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId)) {
      throw new ApiError(400, "INVALID_ARGUMENT", `requestId "${requestId}" is not a UUID.`);
    }
    const known = requestId === null ? undefined : this.byRequestId.get(requestId);
    if (known !== undefined) return resource(known);
    checks();
    const failure = this.failures.get(call.method.id);
    this.failures.delete(call.method.id);
    const operation: Operation = {
      name: `${target.split("/").slice(0, 4).join("/")}/operations/operation-${this.operations.size + 1}`,
      endsAt: this.clock + this.callsUntilDone,
      effect: () => {
        if (failure !== undefined) throw failure;
        return effect();
      },
      metadata: {
        "@type": "type.googleapis.com/google.cloud.migrationcenter.v1.OperationMetadata",
        createTime: "2026-08-01T12:00:00Z",
        target,
        verb: call.method.id.split(".").at(-1),
        apiVersion: "v1",
      },
      outcome: undefined,
    };
    this.operations.set(operation.name, operation);
    if (requestId !== null) this.byRequestId.set(requestId, operation);
    return resource(operation);
  }

  get(call: Call): JsonObject {
    const operation = this.operations.get(call.parameters.name ?? "");
    if (operation === undefined) throw new ApiError(404, "NOT_FOUND", "The operation was not found.");
    return resource(operation);
  }
}

function resource({ name, metadata, outcome }: Operation): JsonObject {
  return outcome === undefined ? { name, metadata } : { name, metadata, done: true, ...outcome };
}

/** The response of an operation, with its type. */
export function typed(type: string, value: JsonObject): JsonObject {
  return { "@type": `type.googleapis.com/google.cloud.migrationcenter.v1.${type}`, ...value };
}

export const EMPTY_RESPONSE: JsonObject = { "@type": "type.googleapis.com/google.protobuf.Empty" };
