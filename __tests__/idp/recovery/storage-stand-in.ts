import { existsSync, readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";

import { LoopbackServer } from "../../support/loopback-server";

export const BUCKET = "bkt-idpdemo-1a2b3c-dumps";
const TOKEN = "never-to-be-printed-token";

type Answer = (response: ServerResponse) => void;

export const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code, { "Content-Type": "application/json" }).end('{"error":{"message":"never-to-be-printed"}}');

/** Breaks the connection off. */
export const broken: Answer = (response) => response.destroy();

/** Metadata server, and Cloud Storage with a mounted bucket and others into which its files are copied. */
export class StorageStandIn extends LoopbackServer {
  /** Files by bucket and name. */
  readonly copies = new Map<string, Buffer>();
  readonly requests: string[] = [];
  /** Answers to the next copies; each is given once, and the request has no effect. */
  readonly next: Answer[] = [];
  /** Answers in place of the own ones, after the request has had its effect. */
  readonly lost: Answer[] = [];
  /** Requests that a copy takes. */
  steps = 1;
  readonly missing = new Set<string>();
  private readonly begun = new Map<string, number>();

  /** @param folder of the mounted bucket */
  constructor(private readonly folder: string) {
    super((request, response) => void this.answer(request, response));
  }

  get url(): string {
    return `http://${this.host}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    if (pathname === "/computeMetadata/v1/instance/service-accounts/default/token") {
      const isAsked = request.headers["metadata-flavor"] === "Google";
      response.writeHead(isAsked ? 200 : 403).end(JSON.stringify({ access_token: TOKEN, expires_in: 3599 }));
      return;
    }
    this.requests.push(`${request.method} ${pathname}`);
    const instead = this.next.shift();
    if (instead !== undefined) {
      instead(response);
      return;
    }
    const [code, body] = this.copied(request, pathname, searchParams, Buffer.concat(chunks).toString());
    const lost = this.lost.shift();
    if (lost !== undefined) {
      lost(response);
      return;
    }
    response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body, undefined, 2));
  }

  private copied(request: IncomingMessage, path: string, query: URLSearchParams, body: string): [number, object] {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return [401, {}];
    const parts = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)\/rewriteTo\/b\/([^/]+)\/o\/([^/]+)$/.exec(path) ?? [];
    const [, from, source = "", bucket = "", name = ""] = parts.map((part) => decodeURIComponent(part));
    const file = join(this.folder, source);
    if (request.method !== "POST" || from !== BUCKET || !existsSync(file) || this.missing.has(bucket)) return [404, {}];
    if (request.headers["content-type"] !== "application/json" || body !== "{}") return [400, {}];
    // The account of the job could not replace a file.
    if (query.get("ifGenerationMatch") !== "0") return [403, {}];
    const copy = `${bucket}/${name}`;
    if (this.copies.has(copy)) return [412, {}];
    const done = this.begun.get(copy) ?? 0;
    if (query.get("rewriteToken") !== (done === 0 ? null : tokenOf(copy, done))) return [400, {}];
    const content = readFileSync(file);
    const size = String(content.length);
    if (done + 1 < this.steps) {
      this.begun.set(copy, done + 1);
      return [
        200,
        { kind: "storage#rewriteResponse", objectSize: size, done: false, rewriteToken: tokenOf(copy, done + 1) },
      ];
    }
    this.copies.set(copy, content);
    return [200, { kind: "storage#rewriteResponse", objectSize: size, done: true, resource: { name, bucket } }];
  }
}

/** With characters that a query must not have. */
const tokenOf = (copy: string, step: number): string => `a+b/c%=&${copy.length}-${step}==`;
