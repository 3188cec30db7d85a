import { FaultMatrix, page, renewableToken, status } from "../../support/fault-matrix";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { machines, SCOPED_KEY, withAws } from "../inventory/inventory-run";
import { haveLeftovers, haveSource, inScene, jobsOf, namesIn, type Scene, SOURCE } from "./assessment-scene";

const PREFIX = "migrationcenter.projects.locations";
const callsOf = (...calls: readonly string[]) => calls.map((call) => `${PREFIX}.${call}`);

/** Neither the token, the signature of an address for an upload nor the secret of AWS's key. */
const SECRETS = ["ya29.", "Signature=", SCOPED_KEY.secret];

function isRegistered({ standIn }: Scene): void {
  expect([...standIn.migration.sources.keys()]).toEqual([SOURCE]);
}

function isImported({ standIn }: Scene): void {
  expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
  expect(standIn.migration.allAssets).toHaveLength(2);
}

function isEmpty({ standIn }: Scene): void {
  expect(namesIn(standIn)).toEqual([]);
}

const registration = new FaultMatrix({
  inScene,
  secrets: SECRETS,
  run: ({ run }, options) => run("register-source", options),
  settled: isRegistered,
});

const imports = new FaultMatrix({
  inScene,
  secrets: SECRETS,
  prepare: ({ standIn }) => {
    // Every file has to be asked for its address.
    standIn.migration.hidesAddresses = true;
    haveSource(standIn);
  },
  run: ({ run }, options) => run("import-inventory", withAws(options, { machines: machines(2) })),
  settled: isImported,
});

const cleanup = new FaultMatrix({
  inScene,
  prepare: ({ standIn }) => {
    haveLeftovers(standIn);
  },
  run: ({ run }, options) =>
    run("assessment-cleanup", {
      ...options,
      arguments: ["--everything", "--yes"],
      environment: { REST_POLL_SECONDS: "0", ...options.environment },
    }),
  settled: isEmpty,
});

/** The operation that a call starts ends badly. */
const operationFails = (call: string) => ({
  what: `an operation of ${call} fails`,
  at: `${PREFIX}.${call}`,
  answers: [],
  exitCode: 1,
  options: ({ migration }: GoogleStandIn) => {
    migration.operations.failures.set(`projects.locations.${call}`, { code: 13, message: "It broke." });
    return {};
  },
  says: [/operations\/operation-\d+ failed: INTERNAL: It broke\./],
});

const isRefused = (call: string) => ({
  what: `${call} is refused`,
  at: `${PREFIX}.${call}`,
  answers: [status(403, "PERMISSION_DENIED")],
  exitCode: 1,
  // What was asked, how it was answered, and in whose words.
  says: [/(GET|POST|DELETE) http:\S+ answered HTTP 403 .*Injected\./],
});

/** A second run finishes what a killed one has begun. */
const finishes =
  (settled: (scene: Scene) => void) =>
  async (scene: Scene, _killed: unknown, again: () => Promise<ScriptRun>): Promise<void> => {
    const { operations } = scene.standIn.migration;
    for (let call = 0; call < operations.callsUntilDone; call += 1) operations.tick();
    expect(await again()).toMatchObject({ exitCode: 0, stderr: "" });
    settled(scene);
  };

describeWith(["busybox", "curl", "dash", "jq"], "register-source.sh, when the service is at fault,", () => {
  registration.rows([isRefused("sources.create"), operationFails("sources.create")]);
  registration.passing([callsOf("get", "sources.create"), callsOf("operations.get")]);
  registration.kills(1, [1], "SIGKILL", finishes(isRegistered));
});

describeWith(["busybox", "curl", "dash", "jq"], "import-inventory.sh, when the service is at fault,", () => {
  const upload = "storage.upload";
  imports.rows([
    isRefused("importJobs.validate"),
    operationFails("importJobs.run"),
    {
      what: "the token expires",
      at: `${PREFIX}.importJobs.run`,
      answers: [{ kind: "expired-token" }],
      exitCode: 0,
      options: renewableToken,
    },
    { what: "a proxy refuses an upload", at: upload, answers: [page(403, "Forbidden")], exitCode: 0 },
  ]);
  imports.passing([
    callsOf("importJobs.create", "importJobs.importDataFiles.create", "importJobs.validate", "importJobs.run"),
    [upload],
  ]);
  imports.kills(11, [2, 10], "SIGKILL", finishes(isImported));
});

describeWith(["busybox", "curl", "dash", "jq"], "assessment-cleanup.sh, when the service is at fault,", () => {
  const deletion = `${PREFIX}.importJobs.delete`;
  cleanup.rows([
    operationFails("sources.delete"),
    { what: "a job is being deleted", at: deletion, answers: [status(409, "ABORTED")], exitCode: 0 },
  ]);
  cleanup.rows(
    ['{"reportConfigs":[{"name":"a\\"\\nurl = \\"http://127.0.0.1:9"}]}', '{"nextPageToken":"again"}'].map((text) => ({
      what: `${text} is no list of names`,
      at: `${PREFIX}.reportConfigs.list`,
      answers: [page(200, text)],
      lasts: true,
      exitCode: 1,
      says: ["The reportConfigs of project demo-project in us-central1 cannot be read; nothing is deleted."],
      left: ({ standIn }: Scene) => {
        expect(standIn.requests.filter(({ httpMethod }) => httpMethod !== "GET")).toEqual([]);
      },
    })),
  );
  cleanup.passing([
    // One function reads all collections, and one deletes all but the assets.
    callsOf("reportConfigs.list", "assets.batchDelete", "importJobs.delete", "sources.delete"),
  ]);
  cleanup.kills(10, [4], "SIGKILL", finishes(isEmpty));
});
