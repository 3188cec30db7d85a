import { createHash } from "node:crypto";

import { type ApiMethod, isObject, type JsonObject } from "./google-stand-in-schema";

/** An authenticated request that matches the API's description. */
export interface Call {
  readonly method: ApiMethod;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** Fields that the body sets to null, by which a patch takes them away. */
  readonly nulls: readonly string[];
}

/** Returns the body of a 200 response; throws an ApiError for any other. A method without a handler returns `{}`. */
export type Handler = (call: Call) => JsonObject;

/** Handlers of an API whose clock are the calls of its clients. */
export function counted(
  tick: (call: Call) => void,
  handlers: Readonly<Record<string, Handler>>,
): Readonly<Record<string, Handler>> {
  const count = (handler: Handler) => (call: Call) => {
    tick(call);
    return handler(call);
  };
  return Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, count(handler)]));
}

export interface Service {
  /** File in `api-descriptions`, without `.json`. */
  readonly description: string;
  /** Environment variable that overrides the endpoint for the Terraform provider and the scripts. */
  readonly endpointVariable: string;
  readonly basePath: string;
  readonly handlers?: Readonly<Record<string, Handler>>;
}

export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly status: string,
    message: string,
    readonly details: readonly JsonObject[] = [],
  ) {
    super(message);
  }

  get body(): JsonObject {
    const { code, status, message, details } = this;
    return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } };
  }
}

/** An error response of Compute Engine, which names a reason in place of a status. */
export class ReasonError extends ApiError {
  constructor(
    code: number,
    readonly reason: string,
    message: string,
  ) {
    super(code, "", message);
  }

  override get body(): JsonObject {
    const { code, message, reason } = this;
    return { error: { code, message, errors: [{ message, domain: "global", reason }] } };
  }
}

export function errorReason(reason: string, metadata: Readonly<Record<string, string>> = {}): JsonObject {
  return { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com", metadata };
}

/** APIs without handlers: description, name in the variable of the endpoint, and base path. */
const PROBED = [
  ["certificatemanager.v1", "CERTIFICATE_MANAGER", "v1/"],
  ["cloudscheduler.v1", "CLOUD_SCHEDULER", "v1/"],
  ["container.v1", "CONTAINER", "v1/"],
  ["dns.v1", "DNS", "dns/v1/"],
  ["workloadidentity.v1", "WORKLOAD_IDENTITY", "v1/"],
] as const;

export const PROBED_SERVICES = PROBED.map(([description, name, basePath]): Service => {
  return { description, endpointVariable: `GOOGLE_${name}_CUSTOM_ENDPOINT`, basePath };
});

/** Artifact Registry: which image tags exist. */
export class ArtifactRegistry {
  /** Image with its tag (`us-central1-docker.pkg.dev/project/repository/name:tag`) to digest. */
  readonly digests = new Map<string, string>();

  readonly service: Service = {
    description: "artifactregistry.v1",
    endpointVariable: "GOOGLE_ARTIFACT_REGISTRY_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: {
      "projects.locations.repositories.list": () => ({}),
      "projects.locations.repositories.packages.tags.get": (call) => this.tag(call),
      "projects.locations.repositories.packages.tags.list": ({ parameters: { parent = "" } }) => ({
        tags: [...this.digests.keys()].map((image) => ({ name: `${parent}/tags/${image.replace(/^.*:/, "")}` })),
      }),
    },
  };

  push(image: string): string {
    const digest = `sha256:${createHash("sha256").update(image).digest("hex")}`;
    this.digests.set(image, digest);
    return digest;
  }

  private tag(call: Call): JsonObject {
    const name = call.parameters.name ?? "";
    const [, project = "", , location = "", , repository = "", , ...rest] = name.split("/");
    const image = `${location}-docker.pkg.dev/${project}/${repository}/${rest.slice(0, -2).join("/")}:${rest.at(-1) ?? ""}`;
    const digest = this.digests.get(image);
    if (digest === undefined) throw new ApiError(404, "NOT_FOUND", "Requested entity was not found.");
    return { name, version: name.replace(/\/tags\/.*$/, `/versions/${digest}`) };
  }
}

/** Service Usage: which APIs are on, and the operations that turn them on. */
export class ServiceUsage {
  readonly enabled = new Set<string>();
  operationError: { readonly code: number; readonly message: string } | undefined;
  private readonly operations = new Map<string, { polls: number; service: string }>();

  readonly service: Service = {
    description: "serviceusage.v1",
    endpointVariable: "GOOGLE_SERVICE_USAGE_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: {
      "services.get": (call) => this.state(call.parameters.name ?? ""),
      "services.enable": (call) => this.enable(call.parameters.name ?? ""),
      "operations.get": (call) => this.operation(call.parameters.name ?? ""),
    },
  };

  private state(name: string): JsonObject {
    const [, project = "", , service = ""] = name.split("/");
    return { name, parent: `projects/${project}`, state: this.enabled.has(service) ? "ENABLED" : "DISABLED" };
  }

  private enable(name: string): JsonObject {
    const operation = `operations/acf.p2-${this.operations.size + 1}`;
    this.operations.set(operation, { polls: 2, service: name });
    return this.operation(operation);
  }

  private operation(name: string): JsonObject {
    const operation = this.operations.get(name);
    if (operation === undefined) throw new ApiError(404, "NOT_FOUND", `Operation ${name} not found.`);
    if (operation.polls > 0) {
      operation.polls -= 1;
      return { name };
    }
    if (this.operationError !== undefined) return { name, done: true, error: this.operationError };
    this.enabled.add(operation.service.split("/").at(-1) ?? "");
    const type = "type.googleapis.com/google.api.serviceusage.v1.EnableServiceResponse";
    return { name, done: true, response: { "@type": type, service: this.state(operation.service) } };
  }
}

export function textsAt(value: unknown, name: string): readonly string[] {
  const list: unknown = isObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === "string") : [];
}
