import { type IncomingMessage, type ServerResponse } from "node:http";

import { CloudBuild } from "./google-stand-in-builds";
import { CloudRunJobs, StoredObjects, StoredSecrets } from "./google-stand-in-jobs";
import { LoadBalancers } from "./google-stand-in-load-balancers";
import { Metrics } from "./google-stand-in-metrics";
import { MigrationCenter } from "./google-stand-in-migration";
import { ProjectPolicies } from "./google-stand-in-policies";
import {
  type ApiDescription,
  bodyProblems,
  isObject,
  type JsonObject,
  loadDescription,
  matchMethod,
  type MethodMatch,
  queryProblems,
  withoutNulls,
} from "./google-stand-in-schema";
import {
  ApiError,
  ArtifactRegistry,
  errorReason,
  PROBED_SERVICES,
  type Service,
  ServiceUsage,
} from "./google-stand-in-services";
import { CloudSql } from "./google-stand-in-sql";
import { UPLOAD_PATH } from "./google-stand-in-uploads";
import { LoopbackServer } from "./loopback-server";

export type Fault =
  | { readonly kind: "status"; readonly error: ApiError; readonly retryAfterSeconds?: number }
  /** A proxy or portal answers instead of the API; with `location` it redirects. */
  | { readonly kind: "html"; readonly status: number; readonly page: string; readonly location?: string }
  | { readonly kind: "service-disabled" }
  | { readonly kind: "expired-token" }
  | { readonly kind: "slow"; readonly milliseconds: number }
  /** The connection breaks; with `carriedOut` only after the request has taken effect. */
  | { readonly kind: "reset"; readonly carriedOut?: boolean };

export interface RecordedRequest {
  /** Method id of the API's description, like `cloudbuild.projects.builds.create`. */
  readonly method: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: JsonObject;
}

const TOKEN_PATH = "/computeMetadata/v1/instance/service-accounts/default/token";

/**
 * Google's APIs on the loopback interface, each below a path of its name, and a metadata server.
 *
 * Every request is checked against the API's own description: method, path, query and body, field by field. To add an
 * API, add a file in `api-descriptions` and an entry with handlers in `services`.
 */
export class GoogleStandIn {
  readonly registry = new ArtifactRegistry();
  readonly builds = new CloudBuild(this.registry);
  readonly usage = new ServiceUsage();
  readonly loadBalancers = new LoadBalancers();
  readonly sql = new CloudSql();
  readonly jobs = new CloudRunJobs();
  readonly secrets = new StoredSecrets();
  readonly storage = new StoredObjects();
  readonly metrics = new Metrics();
  readonly policies = new ProjectPolicies();
  readonly migration = new MigrationCenter(() => this.host);
  readonly requests: RecordedRequest[] = [];
  /** The stand-in's own responses that the APIs' descriptions do not allow; the client gets HTTP 500 instead. */
  readonly mistakes: string[] = [];
  readonly tokens = new Set(["ya29.first"]);
  /** What token services answer, by path with its query. The method of such a call is its path. */
  tokenServices: Readonly<Record<string, JsonObject>> = {};
  /** Token of the metadata server; undefined if there is no metadata server. */
  metadataToken: string | undefined;

  onRequest: (request: RecordedRequest) => void = () => undefined;
  /** Whether a path is of a region that cannot be reached: it answers 503. */
  isLost: (path: string) => boolean = () => false;

  private readonly descriptions = new Map<string, { description: ApiDescription; service: Service }>();
  private readonly faults: { target: string; fault: Fault; left: number }[] = [];
  private readonly server: LoopbackServer;

  constructor() {
    const { builds, jobs, loadBalancers, metrics, migration, policies, registry, secrets, sql, storage, usage } = this;
    const parts = [builds, registry, usage, loadBalancers, sql, jobs, secrets, storage, migration, metrics, policies];
    for (const service of [...parts.map((part) => part.service), jobs.log, policies.iam, ...PROBED_SERVICES]) {
      const description = loadDescription(service.description);
      this.descriptions.set(description.name, { description, service });
    }
    this.server = new LoopbackServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        if (error instanceof OwnMistake) this.mistakes.push(error.message);
        response.writeHead(500, { "content-type": "text/plain" }).end(`stand-in failed: ${String(error)}`);
      });
    });
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  get host(): string {
    return this.server.host;
  }

  /** Environment that directs the Terraform provider and the scripts to the stand-in. */
  get environment(): Readonly<Record<string, string>> {
    return {
      GCE_METADATA_HOST: this.host,
      ...Object.fromEntries(
        [...this.descriptions].map(([name, { service }]) => [
          service.endpointVariable,
          `http://${this.host}/${name}/${service.basePath}`,
        ]),
      ),
    };
  }

  /** Makes the next `times` requests to a method id, or to an API by name, fail. */
  inject(target: string, fault: Fault, times = 1): void {
    this.faults.push({ target, fault, left: times });
  }

  requestsTo(method: string): readonly RecordedRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  private record(request: RecordedRequest): void {
    this.requests.push(request);
    this.onRequest(request);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await bodyOf(request);
    const url = new URL(request.url ?? "/", `http://${this.host}`);
    if (url.pathname === TOKEN_PATH) {
      this.answerToken(request, response);
      return;
    }
    if (url.pathname.startsWith(UPLOAD_PATH)) {
      this.takeUpload(request, response, url, bytes);
      return;
    }
    const token = this.tokenServices[url.pathname + url.search];
    if (token !== undefined) {
      this.giveToken(request, response, { bytes, token, url });
      return;
    }
    const [, name = "", ...rest] = url.pathname.split("/");
    const api = this.descriptions.get(name);
    const match = api && matchMethod(api.description, request.method ?? "", rest.join("/"));
    const text = bytes.toString("utf8");
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    this.record({
      method: match?.method.id ?? "unknown",
      httpMethod: request.method ?? "",
      path: url.pathname + url.search,
      headers: request.headers,
      body: isObject(body) ? body : {},
    });
    if (api === undefined || match === undefined) {
      sendHtml(response, 404, "<title>Error 404 (Not Found)!!1</title><p>The requested URL was not found.</p>");
      return;
    }

    const fault = this.takeFault(match.method.id, name);
    if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
    const isCarriedOut = fault?.kind === "reset" && fault.carriedOut === true;
    if (!isCarriedOut && isCutOff(fault, request, response)) return;
    try {
      this.authenticate(request, fault);
      if (this.isLost(url.pathname)) throw new ApiError(503, "UNAVAILABLE", "The service is currently unavailable.");
      refuseFault(fault, name);
      const answer = carryOut(api, match, url.searchParams, body);
      if (fault?.kind === "reset") request.socket.resetAndDestroy();
      else sendJson(response, 200, answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const retryAfter = fault?.kind === "status" ? fault.retryAfterSeconds : undefined;
      sendJson(response, error.code, error.body, retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` });
    }
  }

  /** A write to a signed URL: no API call, so no token and no JSON. Faults are those injected into `storage.upload`. */
  private takeUpload(request: IncomingMessage, response: ServerResponse, url: URL, bytes: Buffer): void {
    const { headers, method: httpMethod = "" } = request;
    this.record({ method: "storage.upload", httpMethod, path: url.pathname + url.search, headers, body: {} });
    const fault = this.takeFault("storage.upload", "storage.upload");
    if (isCutOff(fault, request, response, ` ${url.href}`)) return;
    const answer =
      fault?.kind === "status"
        ? { status: fault.error.code, body: `<Error><Code>${fault.error.status}</Code></Error>` }
        : this.migration.uploads.write(request, url, bytes);
    response.writeHead(answer.status, { "content-type": "application/xml; charset=UTF-8" }).end(answer.body);
  }

  private giveToken(
    request: IncomingMessage,
    response: ServerResponse,
    { bytes, token, url }: { readonly bytes: Buffer; readonly token: JsonObject; readonly url: URL },
  ): void {
    const { headers, method: httpMethod = "" } = request;
    const method = url.pathname.slice(1);
    const text = bytes.toString("utf8");
    const body = text.startsWith("{")
      ? (JSON.parse(text) as JsonObject)
      : Object.fromEntries(new URLSearchParams(text));
    this.record({ method, httpMethod, path: url.pathname, headers, body });
    const fault = this.takeFault(method, method);
    if (isCutOff(fault, request, response)) return;
    if (fault === undefined) sendJson(response, 200, token);
    else throw new Error(`token services have no fault of the kind ${fault.kind}`);
  }

  private takeFault(method: string, api: string): Fault | undefined {
    const entry = this.faults.find(({ target, left }) => left > 0 && (target === method || target === api));
    if (entry !== undefined) entry.left -= 1;
    return entry?.fault;
  }

  private authenticate(request: IncomingMessage, fault: Fault | undefined): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (fault?.kind === "expired-token") this.tokens.delete(token);
    if (!this.tokens.has(token)) {
      throw new ApiError(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", [
        errorReason("ACCESS_TOKEN_EXPIRED"),
      ]);
    }
  }

  private answerToken(request: IncomingMessage, response: ServerResponse): void {
    if (this.metadataToken === undefined || request.headers["metadata-flavor"] !== "Google") {
      sendHtml(response, this.metadataToken === undefined ? 404 : 403, "<title>Metadata</title>");
      return;
    }
    sendJson(response, 200, { access_token: this.metadataToken, expires_in: 3599, token_type: "Bearer" });
  }
}

/** Breaks the connection, or answers as a proxy would, if the fault says so; returns whether it has. */
function isCutOff(
  fault: Fault | undefined,
  { socket }: IncomingMessage,
  response: ServerResponse,
  words = "",
): boolean {
  if (fault?.kind === "reset") socket.resetAndDestroy();
  if (fault?.kind === "html") {
    if (fault.location !== undefined) response.setHeader("location", fault.location);
    sendHtml(response, fault.status, fault.page + words);
  }
  return fault?.kind === "reset" || fault?.kind === "html";
}

function refuseFault(fault: Fault | undefined, api: string): void {
  if (fault?.kind === "status") throw fault.error;
  if (fault?.kind === "service-disabled") {
    throw new ApiError(
      403,
      "PERMISSION_DENIED",
      `The API ${api} has not been used in project demo before or it is disabled. Enable it and retry.`,
      [errorReason("SERVICE_DISABLED", { service: `${api}.googleapis.com` })],
    );
  }
}

/** Checks the request, calls the handler, and checks its response too: a stand-in must not invent fields. */
function carryOut(
  { description, service }: { readonly description: ApiDescription; readonly service: Service },
  { method, parameters }: MethodMatch,
  query: URLSearchParams,
  sent: unknown,
): JsonObject {
  const body = withoutNulls(sent);
  const problems = [
    ...queryProblems(description, method, query),
    ...bodyProblems(description, method.request, body, "request"),
  ];
  if (problems.length > 0) {
    throw new ApiError(400, "INVALID_ARGUMENT", `Invalid JSON payload received. ${problems.join(" ")}`);
  }
  const handler = service.handlers?.[method.id.slice(description.name.length + 1)];
  const fields = isObject(sent) ? Object.keys(sent) : [];
  const nulls = fields.filter((field) => (sent as JsonObject)[field] === null);
  const answer = handler?.({ method, parameters, query, body: isObject(body) ? body : {}, nulls }) ?? {};
  const mistakes = bodyProblems(description, method.response, answer, "answer");
  if (mistakes.length > 0) throw new OwnMistake(`${method.id} answers against its description: ${mistakes.join("; ")}`);
  return answer;
}

class OwnMistake extends Error {}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sendJson(response: ServerResponse, status: number, body: JsonObject, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
  response.end(JSON.stringify(body, undefined, 2));
}

function sendHtml(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=UTF-8" }).end(page);
}
