import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

import { Client } from "pg";

import { ADMIN_PASSWORD, type Cluster, startCluster } from "../idp/db-init/cluster";
import { describeWith } from "../support/programs";
import { POOL_PROGRAMS, type PooledInstance, processesOfPool, startPooledInstance } from "./pooled-instance";
import { eventually } from "./processes";

const PASSWORD = 'it\'s = 100% \\ "right"';

/**
 * Stands for the database proxy of a platform: a port that can be closed, with all its connections, and opened again.
 */
class Proxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  port = 0;

  constructor(private readonly target: number) {}

  async open(): Promise<void> {
    this.server = createServer((client) => {
      const database = connect(this.target, "127.0.0.1");
      for (const [from, to] of [[client, database] as const, [database, client] as const]) {
        this.sockets.add(from);
        from.on("error", () => to.destroy()).on("close", () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => this.server?.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

describeWith(POOL_PROGRAMS, "The connection pool of an instance", () => {
  let cluster: Cluster;
  let proxy: Proxy;
  const running: PooledInstance[] = [];
  const clients: Client[] = [];

  const asAdministrator = (...statements: string[]) =>
    cluster.query({ user: "postgres", password: ADMIN_PASSWORD }, ...statements);
  const inSql = (text: string) => `'${text.replaceAll("'", "''")}'`;

  beforeAll(async () => {
    cluster = await startCluster();
    await asAdministrator(`CREATE ROLE idp LOGIN PASSWORD ${inSql(PASSWORD)}`, "GRANT idp TO postgres");
    await asAdministrator("CREATE DATABASE idp OWNER idp");
    proxy = new Proxy(cluster.port);
    await proxy.open();
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    await Promise.all(running.splice(0).map((instance) => instance.stop()));
  });

  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  const startInstance = async (variables: Readonly<Record<string, string>> = {}) => {
    const instance = await startPooledInstance({
      CONNECTION_POOL_SIZE: "5",
      CONNECTION_POOL_WAIT_SECONDS: "10",
      DB_HOST: "127.0.0.1",
      DB_PORT: String(proxy.port),
      DB_NAME: "idp",
      DB_USER: "idp",
      DB_PASSWORD: PASSWORD,
      ...variables,
    });
    const { host, port } = instance;
    running.push(instance);
    /** A connection as the application opens one. */
    const connected = async () => {
      const client = new Client({ host, port, user: "idp", password: PASSWORD, database: "idp" });
      // A database that goes away is noticed by the statements.
      client.on("error", () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    };
    return { ...instance, connected, answered: async () => valueOf(await connected(), "SELECT 1") };
  };

  const valueOf = async (client: Client, statement: string) =>
    Object.values((await client.query<Record<string, unknown>>(statement)).rows[0] ?? {})[0];
  const connectionsOfRole = async () =>
    Number(await asAdministrator("SELECT count(*) FROM pg_stat_activity WHERE usename = 'idp'"));

  it("keeps what belongs to a session for as long as it lasts, and leaves nothing of it to the next one", async () => {
    const { connected } = await startInstance({ CONNECTION_POOL_SIZE: "2" });
    const [listener, first] = [await connected(), await connected()];
    const heard = new Promise<string | undefined>((resolve) =>
      listener.on("notification", ({ payload }) => resolve(payload)),
    );
    await listener.query("LISTEN tasks");
    await first.query("SET search_path = elsewhere");
    await first.query("SELECT pg_advisory_lock(1000)");
    await first.query("PREPARE kept AS SELECT 'prepared'");
    await first.query("NOTIFY tasks, 'woken'");
    expect(await heard).toBe("woken");
    for (let times = 0; times < 3; times += 1) expect(await valueOf(first, "EXECUTE kept")).toBe("prepared");
    expect(await valueOf(first, "SHOW search_path")).toBe("elsewhere");
    await clients.pop()?.end();

    const next = await connected();
    expect(await valueOf(next, "SHOW search_path")).toBe('"$user", public');
    expect(await valueOf(next, "SELECT count(*) FROM pg_prepared_statements")).toBe("0");
    expect(await valueOf(next, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).toBe("0");
  });

  it("lets a burst wait that the database would have refused, and never has more connections than its size", async () => {
    const { connected } = await startInstance({ CONNECTION_POOL_WAIT_SECONDS: "120" });
    let most = 0;
    const watch = setInterval(() => void connectionsOfRole().then((count) => (most = Math.max(most, count))), 50);
    const request = async () => {
      const client = await connected();
      await client.query("SELECT pg_sleep(0.02)");
      await client.end();
    };
    expect(await Promise.allSettled(Array.from({ length: 400 }, request))).toEqual(
      Array.from({ length: 400 }, () => ({ status: "fulfilled", value: undefined })),
    );
    clearInterval(watch);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(5);
  });

  it("gives a request an error when it has waited too long, which the log tells apart", async () => {
    const { answered, connected, printed } = await startInstance({
      CONNECTION_POOL_SIZE: "1",
      CONNECTION_POOL_WAIT_SECONDS: "0.5",
    });
    await (await connected()).query("SELECT 1");
    await expect(answered()).rejects.toThrow("query_wait_timeout");
    const line = /^cloud-entrypoint: connection pool: .*WARNING .*pooler error: query_wait_timeout$/m;
    await eventually("the line of the log", () => line.test(printed.output));
    expect(printed.output).not.toContain("right");
  });

  it("accepts a connection that asks for a schema, as the embedded outpost up to 2026.2 does", async () => {
    const { host, port } = await startInstance();
    const parameters = ["user", "idp", "database", "idp", "search_path", "public"].map((text) => `${text}\0`).join("");
    const message = Buffer.alloc(9 + parameters.length);
    message.writeInt32BE(message.length, 0);
    message.writeInt32BE(3 << 16, 4);
    message.write(parameters, 8);
    const socket = connect(`${host}/.s.PGSQL.${port}`).once("connect", () => socket.write(message));
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    // R begins the answer to a sign-in, and E an error.
    expect(answer.toString("latin1", 0, 1)).toBe("R");
  });

  const linesWith = (printed: { readonly output: string }, words: string) =>
    printed.output.split("\n").filter((line) => line.includes(words));

  it("says once in the words of the database why it gives no connection", async () => {
    const { answered, printed } = await startInstance({ DB_PASSWORD: "another" });
    for (let times = 0; times < 3; times += 1)
      await expect(answered()).rejects.toThrow("password authentication failed");
    const reason = 'connection pool: no connection to the database: password authentication failed for user "idp"';
    await eventually("the reason", () => linesWith(printed, reason).length > 0);
    expect(linesWith(printed, reason)).toHaveLength(1);
  });

  it("tells a request that waited for a database that is away from one that waited for others", async () => {
    await proxy.close();
    try {
      const { answered, printed } = await startInstance({ CONNECTION_POOL_WAIT_SECONDS: "3" });
      await expect(answered()).rejects.toThrow("query_wait_timeout");
      const line = "connection pool: a request timed out waiting for the database: connect failed";
      await eventually("the line of the log", () => linesWith(printed, line).length === 1);
      expect(linesWith(printed, "connection pool: no connection to the database: connect failed")).toHaveLength(1);
      expect(linesWith(printed, "query_wait_timeout")).toEqual([]);
    } finally {
      await proxy.open();
    }
  });

  it("says nothing of requests that come and go", async () => {
    const { answered, printed } = await startInstance();
    for (let times = 0; times < 20; times += 1) {
      await answered();
      await clients.pop()?.end();
    }
    expect(linesWith(printed, "closing because")).toEqual([]);
  });

  it("lets two instances migrate one after the other", async () => {
    const [one, other] = await Promise.all([startInstance(), startInstance()]);
    const [first, second] = [await one.connected(), await other.connected()];
    await first.query("SELECT pg_advisory_lock(1000)");
    const order: string[] = [];
    const waiting = second.query("SELECT pg_advisory_lock(1000)").then(() => order.push("second"));
    await first.query("CREATE TABLE migrated (step int)");
    order.push("first");
    await first.query("SELECT pg_advisory_unlock(1000)");
    await waiting;
    expect(order).toEqual(["first", "second"]);
  });

  it("tells the application at once that the database is away, and looks for it sooner than PgBouncer does by itself", async () => {
    const { answered } = await startInstance({ CONNECTION_POOL_WAIT_SECONDS: "10" });
    await answered();
    await proxy.close();
    try {
      // Who comes before an attempt to connect has failed waits, and all others learn it at once.
      await expect(answered()).rejects.toThrow();
      const begun = Date.now();
      for (let times = 0; times < 10; times += 1) await expect(answered()).rejects.toThrow("login has been failing");
      // The time that a single one would wait for a connection.
      expect(Date.now() - begun).toBeLessThan(10_000);
    } finally {
      await proxy.open();
    }
    const returned = Date.now();
    // The default of server_login_retry is 15 seconds.
    while ((await answered().catch(() => undefined)) !== 1) expect(Date.now() - returned).toBeLessThan(14_000);
  });

  it("starts again after its death, and the application is not touched", async () => {
    const { answered, connected, host, printed } = await startInstance();
    const client = await connected();
    const [pid = 0] = (await asAdministrator("SELECT 1"), processesOfPool(host));
    process.kill(pid, "SIGKILL");
    await expect(client.query("SELECT 1")).rejects.toThrow();
    await eventually("another pool", () => processesOfPool(host).some((other) => other !== pid));
    await eventually("its socket", () => readdirSync(host).some((name) => name.startsWith(".s.")));
    expect(await answered()).toBe(1);
    expect(printed.output).not.toContain("container ends");
  });

  it("keeps its connections when the password changes, and a new instance has the new one", async () => {
    const { answered } = await startInstance();
    await answered();
    await clients.pop()?.end();
    await asAdministrator("ALTER ROLE idp PASSWORD 'new'");
    try {
      expect(await answered()).toBe(1);
      const renewed = await startInstance({ DB_PASSWORD: "new" });
      expect(await renewed.answered()).toBe(1);
    } finally {
      await asAdministrator(`ALTER ROLE idp PASSWORD ${inSql(PASSWORD)}`);
    }
  });
});
