import { type RecordedRequest } from "../../support/google-stand-in";
import { type Binding } from "../../support/google-stand-in-policies";
import { linesOfRestore } from "../../support/google-stand-in-restores";
import { programFolder, type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";
import { type SqlInstanceState } from "../../support/google-stand-in-sql";
import { LoopbackServer } from "../../support/loopback-server";
import { DUMP_JOB, INIT_JOB, inSqlScene, INSTANCE, JOBS, PROJECT, type SqlScene } from "./sql-scene";

export const HOME = "us-central1";
export const AWAY = "europe-west1";
export const SECRET_KEY = "secret-key";
export const STANDBY = `${INSTANCE}-standby`;
const SERVER = `projects/${PROJECT}/locations/${HOME}/services/${INSTANCE}`;
const WORKERS = `projects/${PROJECT}/locations/${HOME}/workerPools/${INSTANCE}-w`;
const STANDBY_SERVER = `projects/${PROJECT}/locations/${AWAY}/services/${INSTANCE}`;
const STANDBY_WORKERS = `projects/${PROJECT}/locations/${AWAY}/workerPools/${INSTANCE}-w`;
const COMPUTE = "https://www.googleapis.com/compute/v1/";
const HOME_GROUP = `projects/${PROJECT}/regions/${HOME}/networkEndpointGroups/idp-neg`;
const STANDBY_GROUP = `projects/${PROJECT}/regions/${AWAY}/networkEndpointGroups/idp-standby-neg`;
const BACKEND = `${PROJECT}/global/backendServices/idp-backend`;
const ACCOUNT = `idp@${PROJECT}.iam.gserviceaccount.com`;
/** As which the job runs that compares the databases. */
const INITIALIZER = `idp-init@${PROJECT}.iam.gserviceaccount.com`;
/** As which a job runs on a schedule that writes at home alone. */
const DUMPER = `idp-dump@${PROJECT}.iam.gserviceaccount.com`;

/** What nobody's server does. */
const STOPPED = { scalingMode: "MANUAL", manualInstanceCount: 0 };

export interface PromoteScene extends SqlScene {
  readonly promote: (words: readonly string[], options?: ScriptOptions) => Promise<ScriptRun>;
  /** Where the load balancer sends users, by region. */
  readonly led: () => readonly string[];
  /** Instances to which the servers may connect. */
  readonly grants: () => readonly string[];
  /** Names of the accounts that may connect to an instance. */
  readonly accountsOf: (instance: string) => readonly string[];
  /** How servers are scaled. */
  readonly scaling: (server: string) => unknown;
  /** What is done at each request. */
  readonly also: (onRequest: (request: RecordedRequest) => void) => void;
  /** What changed, in words, in order. */
  readonly done: () => readonly string[];
}

/** How a condition begins that never holds. */
export const NEVER = 'request.time < timestamp("1970-01-01T00:00:00Z") && (';

/** The grant of the right to connect to an instance, as Terraform makes it. */
const grantOn = (instance: string, ...accounts: readonly string[]): Binding => ({
  role: "roles/cloudsql.client",
  members: accounts.map((account) => `serviceAccount:${account}`).sort(),
  condition: {
    title: `Only ${instance}`,
    expression:
      `resource.type == "sqladmin.googleapis.com/Instance" && ` +
      `resource.name == "projects/${PROJECT}/instances/${instance}"`,
  },
});

const STEPS: readonly (readonly [RegExp, string])[] = [
  [/backendServices\.patch$/, "users"],
  [/setIamPolicy$/, "grants"],
  [/promoteReplica$/, "promotion"],
  [/switchover$/, "switchover"],
  [/createBackup$/, "backup"],
  [/restoreBackup$/, "restore"],
  [/jobs\.run$/, "job"],
];

/** A deployment with a standby in another region. */
export const promoteScenario = (what: string, test: (scene: PromoteScene) => Promise<void>): void => {
  it.concurrent(what, () => inPromoteScene(test));
};

export function inPromoteScene(test: (scene: PromoteScene) => Promise<void>): Promise<void> {
  return inSqlScene(async (scene) => {
    const { standIn } = scene;
    const done: string[] = [];
    haveStandby(scene);
    // Users are answered by the standby, and by home while its region is there.
    const isServed = () => ledTo(standIn).includes(AWAY) || !standIn.isLost(`/locations/${HOME}/`);
    const address = new LoopbackServer((_, response) => response.writeHead(isServed() ? 200 : 503).end());
    await address.start();
    let further: (request: RecordedRequest) => void = () => undefined;
    standIn.onRequest = (request) => {
      further(request);
      const { body, httpMethod, method, path } = request;
      if (httpMethod === "GET") return;
      const where = path.includes(`/locations/${AWAY}/`) || path.includes(STANDBY) ? "standby" : "home";
      const [, word] = STEPS.find(([pattern]) => pattern.test(method)) ?? [];
      if (word !== undefined) done.push(word);
      if (/(services|workerPools)\.patch$/.test(method)) {
        const { manualInstanceCount, scalingMode } = body.scaling as Record<string, unknown>;
        const isStopped = manualInstanceCount === 0 && (scalingMode === "MANUAL" || method.includes("workerPools"));
        done.push(`${isStopped ? "stop" : "start"} ${method.includes("workerPools") ? "workers" : "servers"} ${where}`);
      }
      if (method.endsWith("instances.patch")) {
        if (body.replicationCluster !== undefined) done.push(`designation ${where}`);
        const { activationPolicy, backupConfiguration } = (body.settings ?? {}) as {
          readonly activationPolicy?: string;
          readonly backupConfiguration?: object;
        };
        if (activationPolicy !== undefined) done.push(`${activationPolicy} ${where}`);
        if (backupConfiguration !== undefined) done.push(`backups ${where}`);
      }
    };
    const settings = {
      DATABASE_REGION: HOME,
      SERVICE: INSTANCE,
      SECRET_KEY_SECRET: SECRET_KEY,
      STANDBY_REGION: AWAY,
      STANDBY_INSTANCE: STANDBY,
      STANDBY_SERVICE: INSTANCE,
      STANDBY_MIN_INSTANCES: "1",
      STANDBY_WORKER_POOL: `${INSTANCE}-w`,
      STANDBY_WORKERS: "2",
      BACKEND_SERVICE: "idp-backend",
      HOME_GROUP,
      STANDBY_GROUP,
      SCALE_SECONDS: "5",
      STOP_SECONDS: "5",
    };
    const programs = programFolder({ scripts: { terraform: `echo 'http://${address.host}'` } });
    try {
      await test({
        ...scene,
        promote: (words, { environment, ...options } = {}) =>
          scene.run("promote", {
            arguments: words,
            programs,
            ...options,
            environment: { ...settings, ...environment },
          }),
        led: () => ledTo(standIn),
        grants: () =>
          (standIn.policies.bindings.get(PROJECT) ?? []).flatMap(({ condition, role }) =>
            role === "roles/cloudsql.client" && condition?.expression.startsWith(NEVER) !== true
              ? [/instances\/([a-z0-9-]+)/.exec(condition?.expression ?? "")?.[1] ?? "all"]
              : [],
          ),
        accountsOf: (instance) =>
          (standIn.policies.bindings.get(PROJECT) ?? [])
            .filter(({ condition }) => condition?.expression.endsWith(`/instances/${instance}"`) === true)
            .flatMap(({ members }) => members.map((member) => member.replace(/^serviceAccount:|@.*$/g, ""))),
        scaling: (server) => standIn.jobs.scalings.get(server),
        also: (onRequest) => (further = onRequest),
        done: () => done,
      });
    } finally {
      await address.stop();
    }
  });
}

/** Regions to which the load balancer sends users. */
function ledTo({ loadBalancers }: SqlScene["standIn"]): readonly string[] {
  const backends = loadBalancers.resources.get(BACKEND)?.backends as readonly { group: string }[];
  return backends.map(({ group }) => group.split("/").at(-3) ?? "");
}

function haveStandby({ standIn }: SqlScene): void {
  const { jobs, loadBalancers, policies, secrets, sql } = standIn;
  sql.makeReplica(PROJECT, STANDBY, INSTANCE, AWAY);
  for (const server of [SERVER, STANDBY_SERVER, WORKERS, STANDBY_WORKERS]) jobs.servers.add(server);
  jobs.scalings.set(SERVER, { minInstanceCount: 1, maxInstanceCount: 20 });
  jobs.scalings.set(WORKERS, { manualInstanceCount: 2 });
  jobs.scalings.set(STANDBY_SERVER, { maxInstanceCount: 20 });
  jobs.scalings.set(STANDBY_WORKERS, { manualInstanceCount: 0 });
  jobs.secrets.set(STANDBY_SERVER, [SECRET_KEY, `projects/${PROJECT}/secrets/password`]);
  for (const [name, regions] of [
    [SECRET_KEY, [HOME, AWAY]],
    ["password", []],
  ] as const)
    secrets.regions.set(`projects/${PROJECT}/secrets/${name}`, regions);
  jobs.account = ACCOUNT;
  jobs.runAs(`${JOBS}/${INIT_JOB}`, INITIALIZER);
  jobs.runAs(`${JOBS}/${DUMP_JOB}`, DUMPER);
  jobs.outcomeOf = (run) =>
    run.command.join(" ").includes("pg_current_wal_flush_lsn")
      ? { isSuccess: true, lines: ["caught up: the replica has everything up to 0/3000060 after 2 s"] }
      : { isSuccess: true, lines: linesOfRestore(run) };
  policies.bindings.set(PROJECT, [
    { role: "roles/owner", members: ["user:owner@example.com"] },
    grantOn(INSTANCE, ACCOUNT, INITIALIZER, DUMPER),
    grantOn(STANDBY, ACCOUNT, INITIALIZER),
  ]);
  loadBalancers.add(BACKEND, {
    protocol: "HTTPS",
    fingerprint: "Zmlyc3Q=",
    backends: [{ group: COMPUTE + HOME_GROUP, balancingMode: "UTILIZATION", capacityScaler: 1 }],
  });
  standIn.metrics.lags.set(`${PROJECT}:${STANDBY}`, { seconds: 3.2, time: "2026-11-22T12:00:00Z" });
}

/** What an apply does whose settings do not say that the standby has been promoted. */
export function applyWithoutPromoted({ standIn }: PromoteScene): void {
  standIn.loadBalancers.add(BACKEND, {
    protocol: "HTTPS",
    fingerprint: "c2Vjb25k",
    backends: [{ group: COMPUTE + HOME_GROUP, balancingMode: "UTILIZATION", capacityScaler: 1 }],
  });
  setActivation(standIn, "ALWAYS");
}

/** What stops or starts the primary. */
export function setActivation({ sql }: PromoteScene["standIn"], activationPolicy: "ALWAYS" | "NEVER"): void {
  const primary = sql.instances.get(`${PROJECT}/${INSTANCE}`);
  if (primary !== undefined) Object.assign(primary.settings, { activationPolicy });
}

/** Both instances are of the edition whose primary and replica can change places. */
export function haveEnterprisePlus(scene: PromoteScene): void {
  const backupConfiguration = { enabled: true, pointInTimeRecoveryEnabled: true, location: "us" };
  for (const name of [INSTANCE, STANDBY]) {
    const instance = instanceOf(scene, name);
    if (instance !== undefined) instance.settings = { ...instance.settings, edition: "ENTERPRISE_PLUS" };
  }
  const primary = instanceOf(scene, INSTANCE);
  if (primary !== undefined) primary.settings = { ...primary.settings, backupConfiguration };
}

/** The region at home answers 503 to everything. */
export function loseHome({ standIn }: PromoteScene): void {
  standIn.isLost = (path) =>
    new RegExp(`/instances/${INSTANCE}(/|$)`).test(path) || path.includes(`/locations/${HOME}/`);
}

/** The region is back. */
export function haveHomeBack({ standIn }: PromoteScene): void {
  standIn.isLost = () => false;
}

export const instanceOf = ({ standIn }: Pick<PromoteScene, "standIn">, name: string): SqlInstanceState | undefined =>
  standIn.sql.instances.get(`${PROJECT}/${name}`);

/** Fails unless the standby serves users, and home cannot. */
export function expectAway(scene: PromoteScene): void {
  expect(scene.led()).toEqual([AWAY]);
  expect(scene.grants()).toEqual([STANDBY]);
  expect(instanceOf(scene, STANDBY)?.primary).toBeUndefined();
  expect(instanceOf(scene, STANDBY)?.settings.backupConfiguration).toMatchObject({ enabled: true });
  expect(scene.scaling(STANDBY_SERVER)).toEqual({ minInstanceCount: 1, maxInstanceCount: 20 });
  expect(scene.scaling(STANDBY_WORKERS)).toEqual({ manualInstanceCount: 2 });
}

/** Fails if anything at home could still take writes. */
export function expectHomeClosed(scene: PromoteScene): void {
  expect(scene.scaling(SERVER)).toMatchObject(STOPPED);
  expect(scene.scaling(WORKERS)).toEqual({ manualInstanceCount: 0 });
  expect(instanceOf(scene, INSTANCE)?.settings.activationPolicy).toBe("NEVER");
}

/** Fails unless home serves users as before, and the standby has no server. */
export function expectHome(scene: PromoteScene): void {
  expect(scene.led()).toEqual([HOME]);
  expect([...scene.grants()].sort()).toEqual([INSTANCE, STANDBY]);
  const titles = scene.standIn.policies.bindings.get(PROJECT)?.map(({ condition }) => condition?.title);
  expect(titles?.sort()).toEqual([`Only ${INSTANCE}`, `Only ${STANDBY}`, undefined]);
  expect(instanceOf(scene, INSTANCE)?.settings.activationPolicy).not.toBe("NEVER");
  expect(instanceOf(scene, INSTANCE)?.primary).toBeUndefined();
  expect(scene.scaling(SERVER)).toEqual({ minInstanceCount: 1, maxInstanceCount: 20 });
  expect(scene.scaling(WORKERS)).toEqual({ manualInstanceCount: 2 });
  expect(scene.scaling(STANDBY_SERVER)).toMatchObject(STOPPED);
  expect(scene.scaling(STANDBY_WORKERS)).toEqual({ manualInstanceCount: 0 });
}
