import { createServer, type RequestListener } from "node:http";
import { type AddressInfo } from "node:net";

/** A server on a free port of the loopback interface. */
export class LoopbackServer {
  private readonly server;

  constructor(listener: RequestListener) {
    this.server = createServer(listener);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = new LoopbackServer(() => undefined);
  await server.start();
  const { port } = new URL(`http://${server.host}`);
  await server.stop();
  return Number(port);
}
