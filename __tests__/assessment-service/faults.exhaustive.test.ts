import { type Fault, type GoogleStandIn } from "../support/google-stand-in";
import {
  programFolder,
  type ScriptName,
  type ScriptOptions,
  temporaryFolder,
} from "../support/google-stand-in-scripts";
import { ApiError, errorReason } from "../support/google-stand-in-services";
import { describeWith } from "../support/programs";
import { haveSource, inScene, inventoryFolder, jobsOf, LOCATION, type Scene, SOURCE } from "./assessment-scene";

const PREFIX = "migrationcenter.projects.locations";

function status(code: number, name: string, ...reasons: readonly string[]): Fault {
  const details = reasons.map((reason) => errorReason(reason));
  return { kind: "status", error: new ApiError(code, name, `Injected ${name}.`, details) };
}

/** Every row of the error table, and what a network and what lies between do; true for what passes by itself. */
const FAULTS: readonly (readonly [name: string, fault: Fault, passes: boolean])[] = [
  ["400 INVALID_ARGUMENT", status(400, "INVALID_ARGUMENT"), false],
  ["400 FAILED_PRECONDITION", status(400, "FAILED_PRECONDITION"), false],
  ["403 SERVICE_DISABLED", { kind: "service-disabled" }, true],
  ["403 PERMISSION_DENIED", status(403, "PERMISSION_DENIED"), false],
  ["404 NOT_FOUND", status(404, "NOT_FOUND"), false],
  ["409 ALREADY_EXISTS", status(409, "ALREADY_EXISTS"), false],
  ["409 ABORTED", status(409, "ABORTED"), true],
  ["429 RESOURCE_EXHAUSTED", status(429, "RESOURCE_EXHAUSTED"), true],
  ["500 INTERNAL", status(500, "INTERNAL"), true],
  ["503 UNAVAILABLE", status(503, "UNAVAILABLE"), true],
  ["504 DEADLINE_EXCEEDED", status(504, "DEADLINE_EXCEEDED"), true],
  ["a connection that breaks", { kind: "reset" }, true],
  ["an answer that is lost", { kind: "reset", carriedOut: true }, true],
  ["an HTML page", { kind: "html", status: 404, page: "<title>Error 404</title>" }, false],
  ["an empty 502", { kind: "empty", status: 502 }, true],
  ["a token that has expired", { kind: "expired-token" }, true],
];

interface Journey {
  readonly script: ScriptName;
  readonly calls: readonly string[];
  readonly prepare: (standIn: GoogleStandIn) => ScriptOptions;
  /** Looks at what there is in the end. */
  readonly verify: (standIn: GoogleStandIn) => void;
  /** Faults, by call and name, that the script takes for what they are and goes on. */
  readonly harmless?: readonly string[];
}

function haveLeftovers(standIn: GoogleStandIn): void {
  haveSource(standIn);
  const name = `${LOCATION}/importJobs/old`;
  standIn.migration.jobs.set(name, {
    ...{ name, displayName: "Old", assetSource: SOURCE, state: "COMPLETED", phaseEndsAt: 0, tables: [], report: {} },
    files: new Map(),
    assets: [{ name: `${LOCATION}/assets/old`, sources: [SOURCE] }],
  });
}

const JOURNEYS: readonly Journey[] = [
  {
    script: "register-source",
    calls: ["get", "sources.get", "sources.create", "operations.get"],
    prepare: () => ({}),
    verify: ({ migration }) => {
      expect([...migration.sources.keys()]).toEqual([SOURCE]);
    },
    harmless: [
      // What is not there is created, and what is there is looked at.
      ...["sources.get 404 NOT_FOUND", "sources.get an HTML page", "sources.create 409 ALREADY_EXISTS"],
      "operations.get 409 ALREADY_EXISTS",
      "get 409 ALREADY_EXISTS",
    ],
  },
  {
    script: "register-source",
    calls: ["sources.patch"],
    prepare: (standIn) => {
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
      ...["sources.get", "importJobs.get", "importJobs.create", "operations.get", "importJobs.importDataFiles.create"],
      ...["importJobs.validate", "importJobs.run"],
    ],
    prepare: (standIn) => {
      haveSource(standIn);
      return { environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) } };
    },
    verify: (standIn) => {
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
      expect(standIn.migration.allAssets).toHaveLength(1);
    },
    harmless: [
      // A job that is not there is created.
      ...["importJobs.get 404 NOT_FOUND", "importJobs.get an HTML page", "importJobs.create 409 ALREADY_EXISTS"],
      "operations.get 409 ALREADY_EXISTS",
    ],
  },
  {
    script: "assessment-status",
    calls: ["sources.list", "assets.list", "importJobs.list"],
    prepare: () => ({}),
    verify: () => undefined,
  },
  {
    script: "assessment-cleanup",
    calls: ["importJobs.list", "importJobs.delete", "assets.batchDelete", "sources.delete", "operations.get"],
    prepare: (standIn) => {
      haveLeftovers(standIn);
      return { arguments: ["--yes"], environment: { REST_POLL_SECONDS: "0" } };
    },
    verify: ({ migration }) => {
      expect([migration.sources.size, migration.jobs.size, migration.allAssets.length]).toEqual([0, 0, 0]);
    },
    harmless: [
      // What something depends on is tried again.
      ...["importJobs.delete", "sources.delete"].flatMap((call) => [
        ...[`${call} 400 FAILED_PRECONDITION`, `${call} 409 ALREADY_EXISTS`],
      ]),
      ...[
        "operations.get 400 FAILED_PRECONDITION",
        "operations.get 409 ALREADY_EXISTS",
        "operations.get 404 NOT_FOUND",
      ],
    ],
  },
];

const MATRIX = JOURNEYS.flatMap((journey) =>
  journey.calls.flatMap((call) =>
    FAULTS
      // To a service that says so, what is to be deleted is gone.
      .filter(([name]) => !(call.endsWith(".delete") && name === "404 NOT_FOUND"))
      .map(([name, fault, passes]) => ({ journey, call, name, fault, passes })),
  ),
);

/** A token from a program, which has another one when the first has expired. */
function renewableToken(standIn: GoogleStandIn): ScriptOptions {
  const folder = temporaryFolder();
  standIn.tokens.add("ya29.second");
  const gcloud = `if [ -e ${folder}/asked ]; then echo ya29.second; else : >${folder}/asked; echo ya29.first; fi`;
  return { programs: programFolder({ scripts: { gcloud } }) };
}

async function rehearse({ run, standIn }: Scene, { journey, call, name, fault, passes }: (typeof MATRIX)[number]) {
  const { environment = {}, ...options } = journey.prepare(standIn);
  const token = { ...renewableToken(standIn), environment: { ...environment, GOOGLE_OAUTH_ACCESS_TOKEN: undefined } };
  standIn.inject(`${PREFIX}.${call}`, fault);

  const first = await run(journey.script, { ...options, ...token });

  const isHarmless = passes || journey.harmless?.includes(`${call} ${name}`) === true;
  expect(first.output).not.toContain("ya29");
  if (isHarmless) {
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    journey.verify(standIn);
    return;
  }
  expect(first.exitCode).toBe(1);
  // What was asked, how it was answered, and in whose words.
  expect(first.stderr).toMatch(new RegExp(`(GET|POST|PATCH|DELETE) http://\\S+ answered HTTP ${statusOf(fault)}`));
  if (fault.kind === "status") expect(first.stderr).toContain(fault.error.message);

  const second = await run(journey.script, { ...options, environment });
  expect(second).toMatchObject({ exitCode: 0 });
  journey.verify(standIn);
}

function statusOf(fault: Fault): number {
  if (fault.kind === "status") return fault.error.code;
  return fault.kind === "html" || fault.kind === "empty" ? fault.status : 403;
}

jest.setTimeout(120_000);

describeWith(["curl", "dash", "jq"], "a fault of the assessment service", () => {
  it.concurrent.each(
    MATRIX.map((scenario) => [scenario.journey.script, scenario.call, scenario.name, scenario] as const),
  )("%s: %s, %s: passes, or fails in words and is repaired by a second run", (_script, _call, _name, scenario) =>
    inScene((scene) => rehearse(scene, scenario)),
  );

  it.concurrent.each([
    ["403 SignatureDoesNotMatch", status(403, "SignatureDoesNotMatch"), false],
    ["400 EntityTooLarge", status(400, "EntityTooLarge"), false],
    ["an HTML page", { kind: "html", status: 403, page: "Forbidden" }, false],
    ["429", status(429, "SlowDown"), true],
    ["500", status(500, "InternalError"), true],
    ["503", status(503, "ServiceUnavailable"), true],
    ["a connection that breaks", { kind: "reset" }, true],
    ["401", status(401, "AuthenticationRequired"), false],
  ] as const)(
    "upload, %s: passes, or fails without the address and is repaired by a second run",
    (_name, fault, passes) =>
      inScene(async ({ run, standIn }) => {
        haveSource(standIn);
        const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
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

  it.concurrent("a token that never works ends every script with the way out", () =>
    inScene(async ({ run, standIn }) => {
      standIn.tokens.clear();
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
      for (const script of [
        "register-source",
        "import-inventory",
        "assessment-status",
        "assessment-cleanup",
      ] as const) {
        const { exitCode, stderr } = await run(script, { environment });
        expect(exitCode).toBe(1);
        expect(stderr).toContain("The access token in GOOGLE_OAUTH_ACCESS_TOKEN has expired or is not valid");
        expect(stderr).toContain('Way out: export GOOGLE_OAUTH_ACCESS_TOKEN="$(gcloud auth print-access-token)"');
      }
    }),
  );

  it.concurrent.each([
    "importJobs.create",
    "importJobs.importDataFiles.create",
    "importJobs.validate",
    "importJobs.run",
  ])("an operation of %s that fails is told in its words, and repaired by a second run", (call) =>
    inScene(async ({ run, standIn }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
      standIn.migration.operations.failures.set(`${PREFIX}.${call}`, new ApiError(500, "INTERNAL", "It broke."));

      const first = await run("import-inventory", { environment });
      const second = await run("import-inventory", { environment });

      expect(first.exitCode).toBe(1);
      expect(first.stderr).toMatch(/operations\/operation-\d+ ended with INTERNAL: It broke\./);
      expect(second.exitCode).toBe(0);
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );
});

describeWith(["curl", "dash", "jq"], "a script that is killed", () => {
  /** Requests of an import of one machine that nobody disturbs. */
  const REQUESTS = 23;

  it.concurrent.each(Array.from({ length: REQUESTS }, (_, index) => index + 1))(
    "at its request number %d of an import leaves nothing that a second run does not finish",
    (number) =>
      inScene(async ({ run, standIn }) => {
        haveSource(standIn);
        const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }), TMPDIR: temporaryFolder() };
        let kill: ((signal: NodeJS.Signals) => void) | undefined;
        standIn.onRequest = () => {
          if (standIn.requests.length === number) kill?.("SIGKILL");
        };
        const killed = await run("import-inventory", {
          environment,
          onStart: (end) => {
            kill = end;
          },
        });
        const atKill = standIn.requests.length;

        const { exitCode, stderr } = await run("import-inventory", { environment });

        expect(killed.exitCode).toBeNull();
        expect(atKill).toBe(number);
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
        expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
        expect([...standIn.migration.jobs.values()].map(({ files }) => files.size)).toEqual([4]);
        expect(standIn.migration.allAssets).toHaveLength(1);
      }),
  );
});
