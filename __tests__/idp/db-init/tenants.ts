import { DATABASE_MAJOR_VERSION, DATABASE_MAJOR_VERSIONS } from "../../../lib/idp/contract";
import { FaultMatrix, shellAt } from "../../support/fault-matrix";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { ProgramStandIn } from "../../support/program-stand-in";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { ADMIN_PASSWORD, type Cluster, type Login, startCluster, SUPERUSER } from "./cluster";
import { type Environment, type ProxyRecorder, type RunOptions, startProxyRecorder } from "./script-run";

interface EndState {
  readonly role: Readonly<Record<string, boolean | number | null>>;
  readonly settings: readonly string[];
  readonly memberOf: readonly string[];
  readonly database: Readonly<Record<string, string | readonly string[]>>;
  readonly publicSchema: Readonly<Record<string, string | readonly string[]>>;
}

/** The names of the tenant are replaced, so that the end states of several tenants can be compared. */
const END_STATE_QUERY = `
WITH app AS (SELECT * FROM pg_authid WHERE rolname = regexp_replace(current_database(), '_db$', ''))
SELECT replace(jsonb_build_object(
  'role', (SELECT jsonb_build_object('login', rolcanlogin, 'inherit', rolinherit, 'superuser', rolsuper,
    'createRole', rolcreaterole, 'createDatabase', rolcreatedb, 'replication', rolreplication,
    'bypassRowSecurity', rolbypassrls, 'saltedHash', rolpassword LIKE 'SCRAM-SHA-256$%',
    'connectionLimit', rolconnlimit, 'expires', rolvaliduntil < 'infinity') FROM app),
  'settings', (SELECT coalesce(jsonb_agg(setconfig), '[]') FROM pg_db_role_setting
    WHERE setrole = (SELECT oid FROM app)),
  'memberOf', (SELECT coalesce(jsonb_agg(roleid::regrole::text), '[]') FROM pg_auth_members
    WHERE member = (SELECT oid FROM app)),
  'database', (SELECT jsonb_build_object('owner', datdba::regrole, 'encoding', pg_encoding_to_char(encoding),
    'privileges', datacl::text[]) FROM pg_database WHERE datname = current_database()),
  'publicSchema', (SELECT jsonb_build_object('owner', nspowner::regrole, 'privileges', nspacl::text[])
    FROM pg_namespace WHERE nspname = 'public')
)::text, (SELECT rolname FROM app), 'ROLE')`;

/** The end state of every completed run. */
export const COMPLETE: EndState = {
  role: {
    login: true,
    inherit: true,
    superuser: false,
    createRole: false,
    createDatabase: false,
    replication: false,
    bypassRowSecurity: false,
    saltedHash: true,
    connectionLimit: -1,
    expires: false,
  },
  settings: [],
  memberOf: ["cloudsqlsuperuser"],
  database: {
    owner: "postgres",
    encoding: "UTF8",
    privileges: ["postgres=CTc/postgres", "ROLE=CTc/postgres"],
  },
  publicSchema: {
    owner: "pg_database_owner",
    privileges: ["pg_database_owner=UC/pg_database_owner", "=U/pg_database_owner", "ROLE=UC/pg_database_owner"],
  },
};

const PASSWORD = "application-password-Zq81";

export interface Tenant extends Environment {
  readonly DB_USER: string;
  readonly DB_NAME: string;
}

/** A server that tests share; each test has its own tenants. */
export class TenantServer {
  /** For notes of stand-in programs. */
  readonly folder = temporaryFolder();
  private tenants = 0;

  private constructor(
    readonly cluster: Cluster,
    private readonly proxy: ProxyRecorder,
    private readonly release: number,
  ) {}

  static async start(release: number): Promise<TenantServer> {
    const [cluster, proxy] = await Promise.all([startCluster({}, release), startProxyRecorder()]);
    return new TenantServer(cluster, proxy, release);
  }

  /** Settings of a new tenant; the role is the name of the database without its suffix. */
  readonly tenant = (changes: Environment = {}): Tenant => {
    this.tenants += 1;
    return {
      POSTGRESQL_RELEASE: String(this.release),
      DB_HOST: this.cluster.socketFolder,
      DB_PORT: String(this.cluster.port),
      DB_NAME: `tenant${this.tenants}_db`,
      DB_USER: `tenant${this.tenants}`,
      DB_PASSWORD: PASSWORD,
      DB_ADMIN_PASSWORD: ADMIN_PASSWORD,
      DB_MANAGED_SUPERUSER_ROLE: "cloudsqlsuperuser",
      DB_WAIT_SECONDS: "5",
      DB_PROXY_QUIT_URL: `${this.proxy.quitUrl}/tenant${this.tenants}`,
      ...changes,
    };
  };

  /** Methods of the requests by which a tenant's proxy was told to quit. */
  readonly quitRequests = (settings: Environment): readonly string[] => {
    const path = new URL(settings.DB_PROXY_QUIT_URL ?? "").pathname;
    return this.proxy.requests
      .filter((request) => request.endsWith(` ${path}`))
      .map((request) => request.split(" ")[0] ?? "");
  };

  readonly endState = async (database: string): Promise<EndState> =>
    JSON.parse(await this.cluster.query({ user: SUPERUSER, database }, END_STATE_QUERY)) as EndState;

  async stop(): Promise<void> {
    await Promise.all([this.cluster.stop(), this.proxy.close()]);
  }
}

export function applicationLogin(settings: Environment, password = settings.DB_PASSWORD): Login {
  return { user: settings.DB_USER ?? "", database: settings.DB_NAME, password };
}

/** The server, for one test. */
export type TestServer = Pick<TenantServer, "cluster" | "endState" | "folder" | "quitRequests" | "tenant">;

/** A tenant, and the programs of its script. */
export interface TenantScene {
  readonly programs: ProgramStandIn;
  readonly server: TestServer;
  readonly settings: Tenant;
}

/** A script that prepares or changes the database of a tenant. */
interface TenantSubject {
  readonly run: (settings: Tenant, options: RunOptions, server: TestServer) => Promise<ScriptRun>;
  /** @default a new one */
  readonly tenant?: (server: TestServer) => Promise<Tenant>;
  /** Shell text of programs whose own work is not that of the real ones. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly settled?: (scene: TenantScene) => Promise<void> | void;
}

type ServerTest = (behaviour: string, run: (server: TestServer) => Promise<void>) => void;

/** Tests of scripts on a server. */
export type ServerTests = (test: ServerTest, matrix: (subject: TenantSubject) => FaultMatrix<TenantScene>) => void;

/** The same tests on a server of each release of PostgreSQL. */
export function describeOnServers(name: string, body: ServerTests, releases = DATABASE_MAJOR_VERSIONS): void {
  for (const release of releases) describeOnServer(name, body, release);
}

/** Concurrent tests on one server, every second one with tenants whose scripts run in the other shell. */
export function describeOnServer(name: string, body: ServerTests, release: number = DATABASE_MAJOR_VERSION): void {
  const tests = () => {
    // Concurrent tests start before any hook of this block.
    let starting: Promise<TenantServer> | undefined;
    const started = () => (starting ??= TenantServer.start(release));
    afterAll(async () => {
      await (await started()).stop();
    });
    let count = 0;
    const test: ServerTest = (behaviour, run) => {
      const SHELL = shellAt(count);
      count += 1;
      it.concurrent(`${behaviour} (${SHELL})`, async () => {
        const { cluster, endState, folder, quitRequests, tenant } = await started();
        const inShell: typeof tenant = (changes) => tenant({ SHELL, ...changes });
        await run({ cluster, endState, folder, quitRequests, tenant: inShell });
      });
    };
    body(
      test,
      ({ programs, run, settled = () => undefined, tenant }) =>
        new FaultMatrix<TenantScene>({
          inScene: async (inScene) => {
            const server = await started();
            const settings = (await tenant?.(server)) ?? server.tenant();
            await inScene({ server, settings, programs: new ProgramStandIn(programs) });
          },
          run: (scene, { environment, onStart, shell = "dash" }) => {
            const settings: Tenant = { ...scene.settings, ...(environment as Environment), SHELL: shell };
            return run(settings, { onStart, programs: scene.programs }, scene.server);
          },
          settled,
          secrets: [PASSWORD, ADMIN_PASSWORD],
        }),
    );
  };
  describeWith(["busybox", "dash"], `${name} on PostgreSQL ${release}`, tests, { postgresql: release });
}
