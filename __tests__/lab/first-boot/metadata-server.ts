import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo } from "node:net";

/** Stands in for the metadata server of one host. */
export interface MetadataServer {
  /** Host and port, for `GCE_METADATA_HOST`. */
  readonly host: string;

  /** Entries below `computeMetadata/v1/instance/`; what is not here is answered 404. */
  readonly entries: Map<string, string>;

  /** Requests that are answered 503 before the first one that is served. */
  failures: number;

  readonly requests: IncomingMessage[];
  readonly stop: () => Promise<void>;
}

export async function startMetadataServer(): Promise<MetadataServer> {
  const entries = new Map<string, string>();
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const text = entries.get((request.url ?? "").replace("/computeMetadata/v1/instance/", ""));
    const status = standIn.failures > 0 ? 503 : request.headers["metadata-flavor"] !== "Google" ? 403 : 200;
    standIn.failures = Math.max(0, standIn.failures - 1);
    response.writeHead(text === undefined && status === 200 ? 404 : status, { "Content-Type": "application/text" });
    response.end(status === 200 ? text : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const standIn: MetadataServer = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    failures: 0,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return standIn;
}
