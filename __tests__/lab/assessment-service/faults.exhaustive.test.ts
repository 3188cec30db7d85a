import { type Fault, type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, type ScriptName, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { ApiError, errorReason } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import {
  haveSource,
  inScene,
  inventoryFolder,
  jobsOf,
  LOCATION,
  namesIn,
  type Scene,
  SOURCE,
} from "./assessment-scene";

const PREFIX = "migrationcenter.projects.locations";

function status(code: number, name: string, ...reasons: readonly string[]): Fault {
  const details = reasons.map((reason) => errorReason(reason));
  return { kind: "status", error: new ApiError(code, name, `Injected ${name}.`, details) };
}

/**
 * One fault for each way in which a script can take an answer; true for what passes by itself. Which further statuses,
 * pages and broken connections the library judges alike is shown by the tests of core/rest.
 */
const FAULTS: readonly (readonly [name: string, fault: Fault, passes: boolean])[] = [
  ["400 FAILED_PRECONDITION", status(400, "FAILED_PRECONDITION"), false],
  ["403 SERVICE_DISABLED", { kind: "service-disabled" }, true],
  // No script reacts to this refusal, so it stands for all of its kind.
  ["403 PERMISSION_DENIED", status(403, "PERMISSION_DENIED"), false],
  ["404 NOT_FOUND", status(404, "NOT_FOUND"), false],
  ["409 ALREADY_EXISTS", status(409, "ALREADY_EXISTS"), false],
  ["409 ABORTED", status(409, "ABORTED"), true],
  ["429 RESOURCE_EXHAUSTED", status(429, "RESOURCE_EXHAUSTED"), true],
  ["503 UNAVAILABLE", status(503, "UNAVAILABLE"), true],
  ["an answer that is lost", { kind: "reset", carriedOut: true }, true],
  // Some scripts look for 404, which is the service's own word alone.
  ["an HTML page", { kind: "html", status: 404, page: "<title>Error 404</title>" }, true],
  ["a token that has expired", { kind: "expired-token" }, true],
];

interface Journey {
  readonly script: ScriptName;
  readonly calls: readonly string[];
  /** What there is before the first run. */
  readonly prepare: (scene: Scene) => ScriptOptions | Promise<ScriptOptions>;
  /** What lets every run make the call. */
  readonly arrange?: (standIn: GoogleStandIn) => void;
  /** Looks at what there is in the end. */
  readonly verify: (standIn: GoogleStandIn) => void;
  /** Faults, by call and name, that the script takes for what they are and goes on. */
  readonly harmless?: readonly string[];
  /** The faults that are worth a run of their own; calls that share a line of a script share its faults. @default all */
  readonly lasting?: readonly string[];
}

/** One of everything that is deleted; an asset by itself is left when the jobs are gone. */
function haveOneOfEach(standIn: GoogleStandIn): void {
  const { migration } = standIn;
  haveSource(standIn);
  const name = `${LOCATION}/importJobs/old`;
  migration.jobs.set(name, {
    ...{ name, displayName: "Old", assetSource: SOURCE, state: "COMPLETED", phaseEndsAt: 0, tables: [], report: {} },
    files: new Map(),
    assets: [{ name: `${LOCATION}/assets/old`, sources: [SOURCE] }],
  });
  migration.assets.push({ name: `${LOCATION}/assets/scanned`, sources: [SOURCE] });
  for (const collection of ["reportConfigs", "groups", "preferenceSets"]) {
    migration.others.get(collection)?.push({ name: `${LOCATION}/${collection}/one` });
  }
  migration.others.get("discoveryClients")?.push({ name: `${LOCATION}/discoveryClients/one`, source: SOURCE });
}

function cleanUp({ standIn }: Scene): ScriptOptions {
  haveOneOfEach(standIn);
  return { arguments: ["--everything", "--yes"], environment: { REST_POLL_SECONDS: "0" } };
}

function requireNothingLeft(standIn: GoogleStandIn): void {
  expect(namesIn(standIn).filter((name) => !name.startsWith("assets/old"))).toEqual([]);
}

function startImport({ standIn }: Scene): ScriptOptions {
  haveSource(standIn);
  return { environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1, bare: true }) } };
}

function requireOneImport(standIn: GoogleStandIn): void {
  expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
  expect(standIn.migration.allAssets).toHaveLength(1);
}

const REFUSALS = ["403 PERMISSION_DENIED", "404 NOT_FOUND"];

const JOURNEYS: readonly Journey[] = [
  {
    script: "register-source",
    calls: ["get", "sources.get", "sources.create", "operations.get"],
    prepare: () => ({}),
    // An operation whose end nobody saw has created the source all the same.
    arrange: ({ migration }) => {
      migration.operations.tick();
      migration.sources.clear();
    },
    verify: ({ migration }) => {
      expect([...migration.sources.keys()]).toEqual([SOURCE]);
    },
    harmless: [
      // What is not there is created, and what is there is looked at.
      ...["sources.get 404 NOT_FOUND", "sources.create 409 ALREADY_EXISTS"],
      ...["operations.get 409 ALREADY_EXISTS", "get 409 ALREADY_EXISTS"],
    ],
  },
  {
    script: "register-source",
    calls: ["sources.patch"],
    prepare: ({ standIn }) => {
      haveSource(standIn, { displayName: "Another" });
      return {};
    },
    verify: ({ migration }) => {
      expect(migration.sources.get(SOURCE)?.displayName).toBe("assess-discovery-client");
    },
  },
  {
    script: "import-inventory",
    calls: [
      ...["sources.get", "importJobs.get", "importJobs.create"],
      ...["importJobs.importDataFiles.create", "importJobs.validate", "importJobs.run"],
    ],
    prepare: startImport,
    verify: requireOneImport,
    // A job that is not there is created.
    harmless: ["importJobs.get 404 NOT_FOUND"],
  },
  {
    script: "import-inventory",
    calls: ["operations.get"],
    prepare: startImport,
    // Each run waits for the creation of a job first; the end of a deletion may be unknown.
    arrange: ({ migration }) => {
      migration.operations.tick();
      migration.jobs.clear();
    },
    verify: requireOneImport,
  },
  {
    script: "import-inventory",
    calls: ["importJobs.importDataFiles.get"],
    prepare: startImport,
    arrange: ({ migration }) => {
      migration.hidesAddresses = true;
    },
    verify: requireOneImport,
  },
  {
    script: "import-inventory",
    calls: ["importJobs.delete"],
    prepare: async (scene) => {
      const options = startImport(scene);
      scene.standIn.inject("storage.upload", status(400, "EntityTooLarge"));
      expect(await scene.run("import-inventory", options)).toMatchObject({ exitCode: 1 });
      return options;
    },
    verify: requireOneImport,
  },
  {
    script: "assessment-status",
    calls: ["sources.list", "assets.list", "importJobs.list"],
    prepare: () => ({}),
    verify: () => undefined,
    lasting: REFUSALS,
  },
  {
    script: "assessment-cleanup",
    calls: ["reportConfigs.list", "assets.batchDelete", "importJobs.delete"],
    prepare: cleanUp,
    verify: requireNothingLeft,
    // What something depends on is tried again.
    harmless: ["importJobs.delete 400 FAILED_PRECONDITION", "importJobs.delete 409 ALREADY_EXISTS"],
  },
  {
    script: "assessment-cleanup",
    // One function deletes them all.
    calls: ["sources", "reportConfigs", "groups", "preferenceSets", "discoveryClients"].map((name) => `${name}.delete`),
    prepare: cleanUp,
    verify: requireNothingLeft,
    lasting: ["403 PERMISSION_DENIED"],
  },
  {
    script: "assessment-cleanup",
    calls: ["operations.get"],
    prepare: cleanUp,
    // The deletion was accepted, and the script goes on with the rest: the next run needs something of its own.
    arrange: (standIn) => {
      standIn.migration.operations.tick();
      standIn.migration.assets.length = 0;
      for (const items of standIn.migration.others.values()) items.length = 0;
      haveOneOfEach(standIn);
    },
    verify: requireNothingLeft,
    harmless: ["400 FAILED_PRECONDITION", "409 ALREADY_EXISTS", "404 NOT_FOUND"].map(
      (name) => `operations.get ${name}`,
    ),
  },
  {
    script: "assessment-cleanup",
    calls: ["groups", "preferenceSets", "importJobs", "discoveryClients", "assets", "sources"].map(
      (name) => `${name}.list`,
    ),
    prepare: cleanUp,
    verify: requireNothingLeft,
    lasting: ["403 PERMISSION_DENIED"],
  },
];

const MATRIX = JOURNEYS.flatMap((journey) => journey.calls.map((call) => ({ journey, call })));

const PASSING = FAULTS.filter(([, , passes]) => passes);

/** What a call is answered for good: the script goes on in its way, or fails. */
function lastingFaults({ journey: { harmless = [], lasting }, call }: (typeof MATRIX)[number]) {
  const faults = FAULTS.filter(
    ([name, , passes]) =>
      !passes &&
      (lasting?.includes(name) ?? true) &&
      // To a service that says so, what is to be deleted is gone.
      !(call.endsWith(".delete") && name === "404 NOT_FOUND"),
  );
  return {
    harmless: faults.filter(([name]) => harmless.includes(`${call} ${name}`)),
    failing: faults.filter(([name]) => !harmless.includes(`${call} ${name}`)),
  };
}

/** A token from a program, which has another one when the first has expired. */
function renewableToken(standIn: GoogleStandIn): ScriptOptions {
  const folder = temporaryFolder();
  standIn.tokens.add("ya29.second");
  const gcloud = `if [ -e ${folder}/asked ]; then echo ya29.second; else : >${folder}/asked; echo ya29.first; fi`;
  return { programs: programFolder({ scripts: { gcloud } }) };
}

/** Every failure in a run of its own, each on what the one before has left; then all that passes, in one run. */
async function rehearse(scene: Scene, scenario: (typeof MATRIX)[number]): Promise<void> {
  const { run, standIn } = scene;
  const { journey, call } = scenario;
  const { environment = {}, ...options } = await journey.prepare(scene);
  const target = `${PREFIX}.${call}`;
  const before = standIn.requestsTo(target).length;
  const { failing } = lastingFaults(scenario);
  for (const [, fault] of failing) {
    journey.arrange?.(standIn);
    standIn.inject(target, fault);

    const { exitCode, stderr, output } = await run(journey.script, { ...options, environment });

    expect(exitCode).toBe(1);
    // What was asked, how it was answered, and in whose words.
    expect(stderr).toMatch(new RegExp(`(GET|POST|PATCH|DELETE) http://\\S+ answered HTTP ${statusOf(fault)}`));
    if (fault.kind === "status") expect(stderr).toContain(fault.error.message);
    expect(output).not.toContain("ya29");
  }
  journey.arrange?.(standIn);
  for (const [, fault] of PASSING) standIn.inject(target, fault);
  const patience = { REST_TRIES: `${PASSING.length + 1}`, REST_RETRY_BASE_SECONDS: "0" };

  const last = await run(journey.script, {
    ...options,
    ...renewableToken(standIn),
    environment: { ...environment, ...patience, GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
  });

  expect(last).toMatchObject({ exitCode: 0, stderr: "" });
  expect(last.output).not.toContain("ya29");
  // None of the faults was for nothing.
  expect(standIn.requestsTo(target).length - before).toBeGreaterThan(failing.length + PASSING.length);
  journey.verify(standIn);
}

const HARMLESS = MATRIX.flatMap((scenario) =>
  lastingFaults(scenario).harmless.map(([name, fault]) => ({ ...scenario, name, fault })),
);

async function overlook(scene: Scene, { journey, call, fault }: (typeof HARMLESS)[number]): Promise<void> {
  const { environment = {}, ...options } = await journey.prepare(scene);
  journey.arrange?.(scene.standIn);
  scene.standIn.inject(`${PREFIX}.${call}`, fault);

  const { exitCode, stderr } = await scene.run(journey.script, { ...options, environment });

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  journey.verify(scene.standIn);
}

function statusOf(fault: Fault): number {
  return fault.kind === "status" ? fault.error.code : 403;
}

describeWith(["curl", "dash", "jq"], "a fault of the assessment service", () => {
  it.concurrent.each(MATRIX.map((scenario) => [scenario.journey.script, scenario.call, scenario] as const))(
    "%s: %s: fails with a message and is repaired by a further run, or passes",
    (_script, _call, scenario) => inScene((scene) => rehearse(scene, scenario)),
  );

  it.concurrent.each(
    HARMLESS.map((scenario) => [scenario.journey.script, scenario.call, scenario.name, scenario] as const),
  )("%s: %s, %s: is taken for what it is", (_script, _call, _name, scenario) =>
    inScene((scene) => overlook(scene, scenario)),
  );

  it.concurrent.each(FAULTS.filter(([name]) => /PERMISSION|NOT_FOUND|503|lost|HTML/.test(name)))(
    "register-source: locations.list, %s: does not hide that the region is the problem",
    (_name, fault) =>
      inScene(async ({ run, standIn }) => {
        standIn.inject("migrationcenter.projects.locations.list", fault);

        const { exitCode, stderr } = await run("register-source", { environment: { REGION: "asia-northeast1" } });

        expect(standIn.requestsTo("migrationcenter.projects.locations.list")).toHaveLength(1);
        expect(exitCode).toBe(1);
        expect(stderr).toContain("does not answer for region asia-northeast1 in project demo-project.");
        expect(stderr).toContain("To fix: choose a region that the service offers. The choice is permanent");
      }),
  );

  it.concurrent.each([
    ["403 SignatureDoesNotMatch", status(403, "SignatureDoesNotMatch"), false],
    ["400 EntityTooLarge", status(400, "EntityTooLarge"), false],
    ["an HTML page", { kind: "html", status: 403, page: "Forbidden" }, true],
    ["a page that welcomes", { kind: "html", status: 200, page: "<p>Welcome</p>" }, true],
    ["503", status(503, "ServiceUnavailable"), true],
    ["a connection that breaks", { kind: "reset" }, true],
    ["401", status(401, "AuthenticationRequired"), false],
  ] as const)(
    "upload, %s: passes, or fails without the address and is repaired by a second run",
    (_name, fault, passes) =>
      inScene(async ({ run, standIn }) => {
        haveSource(standIn);
        const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1, bare: true }) };
        standIn.inject("storage.upload", fault);

        const first = await run("import-inventory", { environment });
        const second = await run("import-inventory", { environment });

        expect(first.exitCode).toBe(passes ? 0 : 1);
        if (!passes) expect(first.stderr).toContain("vmInfo.csv cannot be uploaded.\n  PUT http://");
        expect(first.output + second.output).not.toContain("Signature=");
        expect(second.exitCode).toBe(0);
        expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
        expect(standIn.migration.allAssets).toHaveLength(1);
      }),
  );

  it.concurrent("a token that never works ends every script with the remedy", () =>
    inScene(async ({ run, standIn }) => {
      standIn.tokens.clear();
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1, bare: true }) };
      for (const script of [
        "register-source",
        "import-inventory",
        "assessment-status",
        "assessment-cleanup",
      ] as const) {
        const { exitCode, stderr } = await run(script, { environment });
        expect(exitCode).toBe(1);
        expect(stderr).toContain("The access token in GOOGLE_OAUTH_ACCESS_TOKEN has expired or is not valid");
        expect(stderr).toContain('To fix: export GOOGLE_OAUTH_ACCESS_TOKEN="$(gcloud auth print-access-token)"');
      }
    }),
  );

  it.concurrent.each([
    ...["importJobs.create", "importJobs.importDataFiles.create", "importJobs.validate", "importJobs.run"].map(
      (call) => ["import-inventory", call] as const,
    ),
    ["import-inventory", "importJobs.delete"],
    ["register-source", "sources.patch"],
    ["assessment-cleanup", "importJobs.delete"],
    ["assessment-cleanup", "sources.delete"],
  ] as const)(
    "%s: an operation of %s that fails is reported with its message, and repaired by a second run",
    (script, call) =>
      inScene(async (scene) => {
        const { run, standIn } = scene;
        const journey = JOURNEYS.find((candidate) => candidate.script === script && candidate.calls.includes(call));
        if (journey === undefined) throw new Error(`${script} does not call ${call}`);
        const options = await journey.prepare(scene);
        journey.arrange?.(standIn);
        standIn.migration.operations.failures.set(`${PREFIX}.${call}`, new ApiError(500, "INTERNAL", "It broke."));

        const first = await run(script, options);
        const second = await run(script, options);

        expect(first.exitCode).toBe(1);
        expect(first.stderr).toMatch(/operations\/operation-\d+ ended with INTERNAL: It broke\./);
        expect(second.exitCode).toBe(0);
        journey.verify(standIn);
      }),
  );
});

/** Scripts with what they find, and how often they change something when nobody disturbs them. */
const KILLED: readonly (readonly [changes: number, journey: Pick<Journey, "script" | "prepare" | "verify">])[] = [
  [
    7,
    {
      script: "import-inventory",
      prepare: ({ standIn }) => {
        haveSource(standIn);
        // Two files, so that there is a kill between them.
        return { environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 2, bare: true }) } };
      },
      verify: (standIn) => {
        expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
        expect(standIn.migration.allAssets).toHaveLength(2);
        expect([...standIn.migration.jobs.values()].map(({ files }) => files.size)).toEqual([2]);
      },
    },
  ],
  [
    1,
    {
      script: "register-source",
      prepare: () => ({}),
      verify: ({ migration }) => {
        expect([...migration.sources.keys()]).toEqual([SOURCE]);
      },
    },
  ],
  [7, { script: "assessment-cleanup", prepare: cleanUp, verify: requireNothingLeft }],
];

describeWith(["curl", "dash", "jq"], "a script that is killed", () => {
  // A kill at a read finds what the change before it has left.
  it.concurrent.each(
    KILLED.flatMap(([changes, journey]) =>
      Array.from({ length: changes }, (_, index) => [journey.script, index + 1, changes, journey] as const),
    ),
  )(
    "%s at its change number %d of %d leaves nothing that a second run does not finish",
    (script, number, changes, journey) =>
      inScene(async (scene) => {
        const { run, standIn } = scene;
        const { environment, ...options } = await journey.prepare(scene);
        const settings = { ...environment, TMPDIR: temporaryFolder() };
        const changesMade = () => standIn.requests.filter(({ httpMethod }) => httpMethod !== "GET").length;
        let kill: ((signal: NodeJS.Signals) => void) | undefined;
        standIn.onRequest = () => {
          if (changesMade() === number) kill?.("SIGKILL");
        };
        const killed = await run(script, {
          ...options,
          environment: settings,
          onStart: (end) => {
            kill = end;
          },
        });
        const atKill = changesMade();

        const { exitCode, stderr } = await run(script, { ...options, environment: settings });

        expect(killed.exitCode).toBeNull();
        expect(atKill).toBe(number);
        // What the last change was for has been done by the killed run.
        if (number === changes) expect(changesMade()).toBe(changes);
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
        journey.verify(standIn);
      }),
  );
});
