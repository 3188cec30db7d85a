import { type IncomingMessage, request, type ServerResponse } from "node:http";

import { LoopbackServer } from "../../support/loopback-server";

/** What was asked of AWS, and with which key. */
export interface RecordedRequest {
  readonly action: string;
  readonly accessKeyId: string;
}

/** Hands every request on unchanged, so that its signature stays valid, and remembers it. */
export class RecordingGateway {
  readonly requests: RecordedRequest[] = [];
  private readonly server = new LoopbackServer((incoming, response) => void this.handOn(incoming, response));

  constructor(private readonly target: string) {}

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  get endpoint(): string {
    return `http://${this.server.host}`;
  }

  private async handOn(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { authorization = "" } = incoming.headers;
    this.requests.push({
      action: new URLSearchParams(body.toString()).get("Action") ?? `${incoming.method} ${incoming.url}`,
      accessKeyId: /Credential=([^/]+)\//.exec(authorization)?.[1] ?? "",
    });
    const onward = request(
      new URL(incoming.url ?? "/", this.target),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    onward.end(body);
  }
}
