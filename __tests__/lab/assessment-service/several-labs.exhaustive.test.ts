import { type GoogleStandIn } from "../../support/google-stand-in";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { inScene, inventoryFolder, namesIn, type Scene, UPLOAD_ID } from "./assessment-scene";

/** A lab, as Terraform runs its scripts. */
interface Lab {
  readonly deploymentId: string;
  readonly clientName: string;
}

type Step = "apply" | "import" | "destroy" | "cleanup";

// A destroy changes nothing of the service, so wherever it comes it says what the cleanup is to find.
const LIFE: readonly Step[] = ["apply", "import", "cleanup"];

const FIRST: Lab = { deploymentId: "a1", clientName: "assess-discovery-client" };

async function take(step: Step, { clientName, deploymentId }: Lab, { run }: Scene, folder: string): Promise<ScriptRun> {
  const environment = { DEPLOYMENT_ID: deploymentId, SOURCE_ID: clientName, SOURCE_DISPLAY_NAME: clientName };
  switch (step) {
    case "apply":
      return run("register-source", { environment });
    case "import":
      return run("import-inventory", { environment: { ...environment, INVENTORY_FOLDER: folder } });
    case "destroy":
      return run("assessment-cleanup", { environment, arguments: ["--note"] });
    case "cleanup":
      return run("assessment-cleanup", { environment, arguments: ["--yes"] });
  }
}

/** Everything that the service has, as it would answer, and how to go back there. */
function stateOf({ migration }: GoogleStandIn) {
  const kept = structuredClone({ sources: migration.sources, jobs: migration.jobs, assets: migration.assets });
  return {
    /** What there is of a lab or of nobody, as text: sources, jobs and assets by the source they belong to. */
    of: (isIts: (source: string) => boolean) => {
      const items = [
        ...[...kept.sources.values()].map((source) => ({ source: String(source.name), item: source })),
        ...[...kept.jobs.values()].map(({ files, ...job }) => ({
          source: job.assetSource,
          item: { ...job, files: files.size },
        })),
      ];
      return items
        .filter(({ source }) => isIts(source.split("/").at(-1) ?? ""))
        .map(({ item }) => JSON.stringify({ ...item, phaseEndsAt: 0 }))
        .sort();
    },
    restore: () => {
      const { assets, jobs, sources } = structuredClone(kept);
      migration.sources.clear();
      for (const [name, source] of sources) migration.sources.set(name, source);
      migration.jobs.clear();
      for (const [name, job] of jobs) migration.jobs.set(name, job);
      migration.assets.splice(0, migration.assets.length, ...assets);
    },
  };
}

jest.setTimeout(600_000);

describeWith(["curl", "dash", "jq"], "Several labs of one project", () => {
  /**
   * Wherever two labs are in their lives, a step of the one leaves what is the other's as it is, and leads to the same
   * state whichever of them has gone on before: so every order does.
   */
  it.concurrent.each([
    ["assess-discovery-client", "assess-discovery-client-upload"],
    [`${"x".repeat(60)}-a`, `${"x".repeat(60)}-b`],
  ])("live beside each other in every order: %s and %s", (one, other) =>
    inScene(async (scene) => {
      const { standIn } = scene;
      // So that both need a source for uploads.
      standIn.migration.refuses.add("source-type");
      const labs = [
        { deploymentId: "a1", clientName: one },
        { deploymentId: "b2", clientName: other },
      ] as const;
      const folder = inventoryFolder({ machines: 1 });
      const owners = new Map<string, Lab>();
      const states = new Map([["0,0", stateOf(standIn)]]);

      for (let sum = 0; sum < 2 * LIFE.length; sum += 1) {
        for (let first = Math.max(0, sum - LIFE.length); first <= Math.min(sum, LIFE.length); first += 1) {
          for (const moves of [0, 1] as const) {
            const place = [first, sum - first] as const;
            const step = LIFE[place[moves]];
            const before = states.get(place.join());
            if (step === undefined || before === undefined) continue;
            before.restore();
            if (step === "cleanup") {
              const { stdout } = await take("destroy", labs[moves], scene, folder);
              const own = [...owners].flatMap(([id, owner]) => (owner === labs[moves] ? [id] : []));
              expect(stdout).toContain(`: the sources ${own.join(", ")}, their import jobs`);
            }

            const { exitCode, output } = await take(step, labs[moves], scene, folder);

            const after = stateOf(standIn);
            // Names may begin alike, so whose a source is follows from who has made it.
            for (const { name } of standIn.migration.sources.values()) {
              const id = String(name).split("/").at(-1) ?? "";
              if (!owners.has(id)) owners.set(id, labs[moves]);
            }
            const isOthers = (source: string) => owners.get(source) === labs[1 - moves];
            const where = `${step} of ${labs[moves].clientName} after ${place.join(" and ")} steps`;
            expect({ where, exitCode, output }).toMatchObject({ exitCode: 0 });
            expect(output).not.toContain("shared");
            expect({ where, items: after.of(isOthers) }).toEqual({ where, items: before.of(isOthers) });
            if (step === "cleanup") {
              expect({ where, items: after.of((id) => owners.get(id) === labs[moves]) }).toEqual({
                where,
                items: [],
              });
            }
            const next = [place[0] + (moves === 0 ? 1 : 0), place[1] + moves].join();
            const known = states.get(next);
            if (known === undefined) states.set(next, after);
            else expect({ where, items: after.of(() => true) }).toEqual({ where, items: known.of(() => true) });
          }
        }
      }
      expect(labs.map((lab) => [...owners.values()].filter((owner) => owner === lab).length)).toEqual([2, 2]);
      expect(namesIn(standIn)).toEqual([]);
    }),
  );

  it.concurrent("leave a source alone that has the id of their own one for uploads", () =>
    inScene(async (scene) => {
      const { standIn } = scene;
      standIn.migration.refuses.add("source-type");
      const namesake: Lab = { deploymentId: "c3", clientName: UPLOAD_ID };
      const folder = inventoryFolder({ machines: 1 });
      await take("apply", namesake, scene, folder);
      await take("apply", FIRST, scene, folder);
      const names = namesIn(standIn);

      const refused = await take("import", FIRST, scene, folder);
      const note = await take("destroy", FIRST, scene, folder);
      const cleanup = await take("cleanup", FIRST, scene, folder);

      expect(names).toEqual(["sources/assess-discovery-client", `sources/${UPLOAD_ID}`]);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(
        `Source ${UPLOAD_ID} exists in us-central1 of project demo-project, but its type is SOURCE_TYPE_DISCOVERY_CLIENT, not SOURCE_TYPE_UPLOAD.\n  Way out: give the discovery client another name; this source is not the lab's.\n`,
      );
      expect(note.stdout).toContain(": the sources assess-discovery-client, their import jobs");
      expect(cleanup.exitCode).toBe(0);
      expect(namesIn(standIn)).toEqual([`sources/${UPLOAD_ID}`]);
    }),
  );

  it.concurrent("advise nothing that would delete a source which is there for something else", () =>
    inScene(async (scene) => {
      const { standIn } = scene;
      standIn.migration.refuses.add("source-type");
      const namesake: Lab = { deploymentId: "c3", clientName: UPLOAD_ID };
      const folder = inventoryFolder({ machines: 1 });
      await take("apply", FIRST, scene, folder);
      await take("import", FIRST, scene, folder);
      const names = namesIn(standIn);

      const refused = await take("apply", namesake, scene, folder);
      const note = await take("destroy", namesake, scene, folder);
      const cleanup = await take("cleanup", namesake, scene, folder);

      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(
        "  Way out: give the discovery client another name; this source is not the lab's.\n",
      );
      expect(note.stdout).toBe(
        "The assessment service has no source of this lab in project demo-project, region us-central1. Groups, preference sets and reports stay, if there are any.\n",
      );
      expect(cleanup.stdout).toContain("  nothing to delete.\n");
      expect(namesIn(standIn)).toEqual(names);
    }),
  );

  it.concurrent("are told at apply, in the note and before the question that they share a source", () =>
    inScene(async (scene) => {
      const { run, standIn } = scene;
      const second: Lab = { ...FIRST, deploymentId: "b2" };
      const folder = inventoryFolder({ machines: 1 });
      const alone = await take("apply", FIRST, scene, folder);
      const quiet = await take("destroy", FIRST, scene, folder);

      const shared = await take("apply", second, scene, folder);
      const told = await take("apply", FIRST, scene, folder);
      const note = await take("destroy", FIRST, scene, folder);
      const question = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "b2" }, input: "no\n" });
      const anonymous = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: undefined }, input: "no\n" });
      await take("cleanup", FIRST, scene, folder);
      const gone = namesIn(standIn);
      const again = await take("apply", second, scene, folder);

      expect(alone.stdout + quiet.stdout).not.toMatch(/shared|used by/);
      expect(shared.stdout).toContain("Source assess-discovery-client is shared with a1: what one of them imports");
      expect(told.stdout).toContain("Source assess-discovery-client is shared with b2: what one of them imports");
      const used = (labs: string) =>
        `Source assess-discovery-client is used by: ${labs}. What is theirs of it goes with it.`;
      expect(note.stdout).toContain(`${used("b2")} To remove them: `);
      expect(question.stdout).toContain(`\n${used("a1")}\nDelete all of this?`);
      expect(anonymous.stdout).toContain(`\n${used("a1, b2")}\nDelete all of this?`);
      expect(gone).toEqual([]);
      expect(again.stdout).toContain("is registered as");
    }),
  );

  it.concurrent("find their sources of former client names, and leave those that others use by now", () =>
    inScene(async (scene) => {
      const { standIn } = scene;
      const folder = inventoryFolder({ machines: 1 });
      const names = ["shared", "former", "present"].map((clientName): Lab => ({ deploymentId: "a1", clientName }));
      for (const lab of names) await take("apply", lab, scene, folder);
      await take("apply", { deploymentId: "b2", clientName: "shared" }, scene, folder);
      const [, , present = FIRST] = names;

      const note = await take("destroy", present, scene, folder);
      await take("cleanup", present, scene, folder);

      expect(note.stdout).toContain(": the sources former, present, their import jobs");
      expect(namesIn(standIn)).toEqual(["sources/shared"]);
    }),
  );
});
