import { type IncomingMessage, type ServerResponse } from "node:http";

import { LoopbackServer } from "../../support/loopback-server";

export const SECRET = "projects/demo-project/secrets/idp-demo-1a2b3c-recovery-link";
const TOKEN = "never-to-be-printed-token";

interface Version {
  readonly number: number;
  readonly text: string;
  isDestroyed: boolean;
}

type Answer = (response: ServerResponse) => void;

export const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code, { "Content-Type": "application/json" }).end('{"error":{"message":"never-to-be-printed"}}');

/** Metadata server, Secret Manager with one secret, and the proxy of the database, as their documents describe them. */
export class SecretManagerStandIn extends LoopbackServer {
  readonly versions: Version[] = [];
  readonly requests: string[] = [];
  /** Answers to the next requests, by the end of their path; each is given once, and the request has no effect. */
  readonly next = new Map<string, Answer[]>();
  /** Answers in place of the own ones, after the request has had its effect. */
  readonly lost = new Map<string, Answer[]>();
  pageSize = 1000;
  onAdd: () => void = () => undefined;

  constructor() {
    super((request, response) => void this.answer(request, response));
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Texts of the versions that can be read. */
  get readable(): string[] {
    return this.versions.filter(({ isDestroyed }) => !isDestroyed).map(({ text }) => text);
  }

  keep(text: string): Version {
    const version = { number: this.versions.length + 1, text, isDestroyed: false };
    this.versions.push(version);
    return version;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    this.requests.push(`${request.method} ${pathname}`);
    const planned = (answers: Map<string, Answer[]>) =>
      [...answers].find(([end, each]) => pathname.endsWith(end) && each.length > 0)?.[1].shift();
    const instead = planned(this.next);
    if (instead !== undefined) {
      instead(response);
      return;
    }
    const [code, body] = this.ownAnswer(request, pathname, searchParams, Buffer.concat(chunks).toString());
    const lost = planned(this.lost);
    if (lost !== undefined) {
      lost(response);
      return;
    }
    response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }

  private ownAnswer(request: IncomingMessage, path: string, query: URLSearchParams, body: string): [number, object] {
    if (path === "/quitquitquit" && request.method === "POST") return [200, {}];
    if (path === "/computeMetadata/v1/instance/service-accounts/default/token")
      return request.headers["metadata-flavor"] === "Google" ? [200, { access_token: TOKEN }] : [403, {}];
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return [401, {}];
    const nameOf = ({ isDestroyed, number }: Version) => ({
      name: `projects/123456789/secrets/${SECRET.split("/").at(-1)}/versions/${number}`,
      state: isDestroyed ? "DESTROYED" : "ENABLED",
    });
    if (path === `/v1/${SECRET}:addVersion` && request.method === "POST") {
      const { payload } = JSON.parse(body) as { readonly payload: { readonly data: string } };
      const added = nameOf(this.keep(Buffer.from(payload.data, "base64").toString()));
      this.onAdd();
      return [200, added];
    }
    if (path === `/v1/${SECRET}/versions` && request.method === "GET") return [200, this.page(query, nameOf)];
    const [, number] = /versions\/(\d+):destroy$/.exec(path) ?? [];
    const version = this.versions[Number(number) - 1];
    if (!path.startsWith(`/v1/${SECRET}/`) || request.method !== "POST" || version === undefined) return [404, {}];
    // One that is destroyed cannot be destroyed again.
    if (version.isDestroyed) return [400, {}];
    version.isDestroyed = true;
    return [200, nameOf(version)];
  }

  /** Newest first. */
  private page(query: URLSearchParams, nameOf: (version: Version) => object): object {
    const from = Number(query.get("pageToken") ?? 0);
    const until = from + Math.min(this.pageSize, Number(query.get("pageSize")));
    const versions = [...this.versions].reverse().slice(from, until).map(nameOf);
    return { versions, ...(until < this.versions.length && { nextPageToken: String(until) }) };
  }
}
