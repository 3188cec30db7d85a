import { type Fault, type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, type ScriptName, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { ApiError, errorReason } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import {
  haveLeftovers,
  haveSource,
  inScene,
  inventoryFolder,
  jobsOf,
  namesIn,
  type Scene,
  SOURCE,
} from "./assessment-scene";

const PREFIX = "migrationcenter.projects.locations";

function status(code: number, name: string): Fault {
  return { kind: "status", error: new ApiError(code, name, `Injected ${name}.`, [errorReason("INJECTED")]) };
}

/** What passes by itself; which further answers the library judges alike is shown by the tests of core/rest. */
const PASSING: readonly Fault[] = [
  { kind: "service-disabled" },
  status(409, "ABORTED"),
  status(429, "RESOURCE_EXHAUSTED"),
  status(503, "UNAVAILABLE"),
  { kind: "reset", carriedOut: true },
  // Some scripts look for 404, which is the service's own word alone.
  { kind: "html", status: 404, page: "<title>Error 404</title>" },
  { kind: "expired-token" },
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
}

const CLEANUP = {
  script: "assessment-cleanup",
  prepare: ({ standIn }: Scene) => {
    haveLeftovers(standIn);
    return { arguments: ["--everything", "--yes"], environment: { REST_POLL_SECONDS: "0" } };
  },
  verify: (standIn: GoogleStandIn) => {
    expect(namesIn(standIn)).toEqual([]);
  },
} as const;

const IMPORT = {
  script: "import-inventory",
  prepare: ({ standIn }: Scene) => {
    haveSource(standIn);
    return { environment: { INVENTORY_FOLDER: inventoryFolder({ bare: true }) } };
  },
  verify: (standIn: GoogleStandIn) => {
    expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    expect(standIn.migration.allAssets).toHaveLength(2);
  },
} as const;

const REGISTRATION = {
  script: "register-source",
  prepare: (): ScriptOptions => ({}),
  verify: ({ migration }: GoogleStandIn) => {
    expect([...migration.sources.keys()]).toEqual([SOURCE]);
  },
} as const;

const CREATIONS = ["importJobs.create", "importJobs.importDataFiles.create", "importJobs.validate", "importJobs.run"];

const JOURNEYS: readonly Journey[] = [
  {
    ...REGISTRATION,
    calls: ["get", "sources.create", "operations.get"],
    // An operation whose end nobody saw has created the source all the same.
    arrange: ({ migration }) => {
      migration.operations.tick();
      migration.sources.clear();
    },
  },
  {
    ...REGISTRATION,
    calls: ["sources.get", "groups.list"],
    prepare: ({ standIn }) => {
      haveSource(standIn);
      return {};
    },
  },
  { ...IMPORT, calls: ["sources.get", "importJobs.get", ...CREATIONS] },
  {
    ...IMPORT,
    calls: ["operations.get"],
    // Each run waits for the creation of a job first; the end of a deletion may be unknown.
    arrange: ({ migration }) => {
      migration.operations.tick();
      migration.jobs.clear();
    },
  },
  {
    ...IMPORT,
    calls: ["importJobs.importDataFiles.get"],
    arrange: ({ migration }) => {
      migration.hidesAddresses = true;
    },
  },
  {
    ...IMPORT,
    calls: ["importJobs.delete"],
    prepare: async (scene) => {
      const options = IMPORT.prepare(scene);
      scene.standIn.inject("storage.upload", status(400, "EntityTooLarge"));
      expect(await scene.run("import-inventory", options)).toMatchObject({ exitCode: 1 });
      return options;
    },
  },
  {
    script: "assessment-status",
    calls: ["groups.list", "sources.list", "assets.list", "importJobs.list"],
    prepare: () => ({}),
    verify: () => undefined,
  },
  {
    ...CLEANUP,
    // One function reads all collections, and one deletes all but the assets.
    calls: ["reportConfigs.list", "assets.batchDelete", "importJobs.delete", "sources.delete"],
  },
  {
    ...CLEANUP,
    calls: ["operations.get"],
    // The deletion was accepted, and the script goes on with the rest: the next run needs something of its own.
    arrange: (standIn) => {
      standIn.migration.operations.tick();
      standIn.migration.assets.length = 0;
      for (const items of standIn.migration.others.values()) items.length = 0;
      haveLeftovers(standIn);
    },
  },
];

const CALLS = JOURNEYS.flatMap((journey) => journey.calls.map((call) => [journey.script, call, journey] as const));

/** A token from a program, which has another one when the first has expired. */
function renewableToken(standIn: GoogleStandIn): ScriptOptions {
  const folder = temporaryFolder();
  standIn.tokens.add("ya29.second");
  const gcloud = `if [ -e ${folder}/asked ]; then echo ya29.second; else : >${folder}/asked; echo ya29.first; fi`;
  return { programs: programFolder({ scripts: { gcloud } }) };
}

/** A run that is refused, then one that meets every passing fault, in what the first has left. */
async function rehearse(scene: Scene, call: string, journey: Journey): Promise<void> {
  const { run, standIn } = scene;
  const { environment = {}, ...options } = await journey.prepare(scene);
  const target = `${PREFIX}.${call}`;
  const before = standIn.requestsTo(target).length;
  journey.arrange?.(standIn);
  standIn.inject(target, status(403, "PERMISSION_DENIED"));
  const refused = await run(journey.script, { ...options, environment });
  journey.arrange?.(standIn);
  for (const fault of PASSING) standIn.inject(target, fault);
  const patience = { REST_TRIES: `${PASSING.length + 1}`, REST_RETRY_BASE_SECONDS: "0" };

  const last = await run(journey.script, {
    ...options,
    ...renewableToken(standIn),
    environment: { ...environment, ...patience, GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
  });

  expect(refused.exitCode).toBe(1);
  // What was asked, how it was answered, and in whose words.
  expect(refused.stderr).toMatch(/(GET|POST|DELETE) http:\S+ answered HTTP 403 .*Injected PERMISSION_DENIED\./);
  expect(last).toMatchObject({ exitCode: 0, stderr: "" });
  expect(refused.output + last.output).not.toContain("ya29");
  // None of the faults was for nothing.
  expect(standIn.requestsTo(target).length - before).toBeGreaterThan(PASSING.length + 1);
  journey.verify(standIn);
}

describeWith(["curl", "dash", "jq"], "a fault of the assessment service", () => {
  it.concurrent.each(CALLS)(
    "%s: %s: fails with a message and is repaired by a further run, or passes",
    (_, call, journey) => inScene((scene) => rehearse(scene, call, journey)),
  );

  it.concurrent.each([
    ["sources.create", status(409, "ALREADY_EXISTS"), { ...REGISTRATION, prepare: JOURNEYS[1]?.prepare }],
    ["importJobs.get", status(404, "NOT_FOUND"), IMPORT],
    ["importJobs.delete", status(400, "FAILED_PRECONDITION"), CLEANUP],
    ["importJobs.delete", status(409, "ALREADY_EXISTS"), CLEANUP],
    ["operations.get", status(404, "NOT_FOUND"), CLEANUP],
  ])("%s, %j: is taken for what it is", (call, fault, { prepare, script, verify }) =>
    inScene(async (scene) => {
      const options = await prepare?.(scene);
      scene.standIn.inject(`${PREFIX}.${call}`, fault);

      expect(await scene.run(script, options)).toMatchObject({ exitCode: 0, stderr: "" });
      verify(scene.standIn);
    }),
  );

  it.concurrent.each([
    [status(403, "SignatureDoesNotMatch"), false],
    [{ kind: "html", status: 403, page: "Forbidden" }, true],
    [{ kind: "html", status: 200, page: "<p>Welcome</p>" }, true],
    [status(503, "ServiceUnavailable"), true],
    [{ kind: "reset" }, true],
  ] as const)(
    "%j at an upload: passes, or fails without the address and is repaired by a second run",
    (fault, passes) =>
      inScene(async (scene) => {
        const { run, standIn } = scene;
        const options = IMPORT.prepare(scene);
        standIn.inject("storage.upload", fault);

        const first = await run("import-inventory", options);
        const second = await run("import-inventory", options);

        expect(first.exitCode).toBe(passes ? 0 : 1);
        if (!passes) expect(first.stderr).toContain("vmInfo.csv cannot be uploaded.\n  PUT http://");
        expect(first.output + second.output).not.toContain("Signature=");
        expect(second.exitCode).toBe(0);
        IMPORT.verify(standIn);
      }),
  );

  it.concurrent.each([
    ...CREATIONS.map((call) => [call, IMPORT] as const),
    ["sources.create", REGISTRATION],
    ["importJobs.delete", CLEANUP],
    ["sources.delete", CLEANUP],
  ] as const)(
    "an operation of %s that fails is reported with its message, and repaired by a second run",
    (call, journey) =>
      inScene(async (scene) => {
        const { run, standIn } = scene;
        const options = journey.prepare(scene);
        standIn.migration.operations.failures.set(`${PREFIX}.${call}`, new ApiError(500, "INTERNAL", "It broke."));

        const first = await run(journey.script, options);
        const second = await run(journey.script, options);

        expect(first.exitCode).toBe(1);
        expect(first.stderr).toMatch(/operations\/operation-\d+ ended with INTERNAL: It broke\./);
        expect(second.exitCode).toBe(0);
        journey.verify(standIn);
      }),
  );
});

describeWith(["curl", "dash", "jq"], "a script that is killed", () => {
  // How often a script changes something when nobody disturbs it. A kill at a read finds what the change before it has left.
  it.concurrent.each(
    [[7, IMPORT] as const, [1, REGISTRATION] as const, [10, CLEANUP] as const].flatMap(([changes, journey]) =>
      Array.from({ length: changes }, (_, index) => [journey.script, index + 1, changes, journey] as const),
    ),
  )(
    "%s at its change number %d of %d leaves nothing that a second run does not finish",
    (script, number, changes, journey) =>
      inScene(async (scene) => {
        const { run, standIn } = scene;
        const options = journey.prepare(scene);
        const changesMade = () => standIn.requests.filter(({ httpMethod }) => httpMethod !== "GET").length;
        let kill: ((signal: NodeJS.Signals) => void) | undefined;
        standIn.onRequest = () => {
          if (changesMade() === number) kill?.("SIGKILL");
        };
        const environment = { ...options.environment, TMPDIR: temporaryFolder() };
        const killed = await run(script, {
          ...options,
          environment,
          onStart: (end) => {
            kill = end;
          },
        });
        const atKill = changesMade();

        const { exitCode, stderr } = await run(script, options);

        expect(killed.exitCode).toBeNull();
        expect(atKill).toBe(number);
        // What the last change was for has been done by the killed run.
        if (number === changes && script !== "register-source") expect(changesMade()).toBe(changes);
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
        journey.verify(standIn);
      }),
  );
});
