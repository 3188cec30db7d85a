import { type GoogleStandIn } from "../../support/google-stand-in";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import {
  haveGroup,
  haveSource,
  inScene,
  inventoryFolder,
  jobsOf,
  LOCATION,
  namesIn,
  type Scene,
  SOURCE,
} from "./assessment-scene";

/** A lab, as Terraform runs its scripts. */
interface Lab {
  readonly deploymentId: string;
  readonly clientName: string;
}

type Step = "apply" | "import" | "destroy" | "cleanup";

const FIRST: Lab = { deploymentId: "a1", clientName: "assess-discovery-client" };

async function take(step: Step, { clientName, deploymentId }: Lab, scene: Scene, folder: string): Promise<ScriptRun> {
  const { run, standIn } = scene;
  const environment = { DEPLOYMENT_ID: deploymentId, SOURCE_ID: clientName, SOURCE_DISPLAY_NAME: clientName };
  switch (step) {
    case "apply":
      haveGroup(standIn, deploymentId, clientName);
      return run("register-source", { environment });
    case "import":
      return run("import-inventory", { environment: { ...environment, INVENTORY_FOLDER: folder } });
    case "destroy":
      removeGroup(standIn, deploymentId);
      return run("assessment-cleanup", { environment, arguments: ["--note"] });
    case "cleanup":
      return run("assessment-cleanup", { environment, arguments: ["--yes"] });
  }
}

function removeGroup({ migration }: GoogleStandIn, lab: string): void {
  const groups = migration.others.get("groups") ?? [];
  migration.others.set(
    "groups",
    groups.filter(({ name }) => name !== `${LOCATION}/groups/assess-${lab}-lab`),
  );
}

/** What the service has, by the lab that made its source, and how to go back there. */
function stateOf({ migration }: GoogleStandIn) {
  const kept = structuredClone({ sources: migration.sources, jobs: migration.jobs, assets: migration.assets });
  const idOf = (name: unknown) => String(name).split("/").at(-1) ?? "";
  return {
    ids: [...kept.sources.values()].map(({ name }) => idOf(name)),
    /** Sources and jobs with their machines, as text, by their source. */
    of: (sources: ReadonlySet<string>) =>
      [
        ...[...kept.sources.values()].map((item) => ({ source: idOf(item.name), item })),
        ...[...kept.jobs.values()].map(({ files, ...job }) => ({
          source: idOf(job.assetSource),
          item: { ...job, files: files.size },
        })),
      ]
        .filter(({ source }) => sources.has(source))
        .map(({ item }) => JSON.stringify({ ...item, phaseEndsAt: 0, completeTime: 0 }))
        .sort(),
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

describeWith(["curl", "dash", "jq"], "Several labs of one project", () => {
  /**
   * Each step of a lab is taken where the other lab has nothing and where it has everything: sources, jobs and machines.
   * What a lab has in between is a part of that, and a step asks only for what there is by name; so when neither state of
   * the other changes what a step does, nor a step what is the other's, no order of the steps of both can.
   */
  it.concurrent.each([
    ["assess-discovery-client", "assess-discovery-client-2", 2],
    // Names of one form need one order.
    [`${"x".repeat(60)}-a`, `${"x".repeat(60)}-b`, 1],
  ])("live beside each other in every order: %s and %s", (one, other, orders) =>
    inScene(async (scene) => {
      const { standIn } = scene;
      const folder = inventoryFolder({ machines: 1, bare: true });
      const labs = [one, other].map((clientName, index) => ({
        lab: { clientName, deploymentId: `a${index}` },
        sources: new Set<string>(),
      }));
      const states = [];
      for (const [first, second] of [labs, labs.toReversed()].slice(0, orders)) {
        if (first === undefined || second === undefined) throw new Error("there are two labs");
        standIn.migration.sources.clear();
        standIn.migration.jobs.clear();
        for (const { lab, sources } of [first, second]) {
          const before = stateOf(standIn);
          for (const step of ["apply", "import"] as const) {
            const { exitCode, output } = await take(step, lab, scene, folder);
            expect({ step, lab, exitCode, output }).toMatchObject({ exitCode: 0 });
            expect(output).not.toContain("shared");
          }
          const after = stateOf(standIn);
          for (const id of after.ids) if (!before.ids.includes(id)) sources.add(id);
          expect(sources.size).toBe(1);
          // Nothing of the lab that was there first has changed.
          expect(after.of(new Set(before.ids))).toEqual(before.of(new Set(before.ids)));
        }
        states.push(labs.map(({ sources }) => stateOf(standIn).of(sources)));
        expect(states.at(-1)).toEqual(states[0]);
      }

      const whole = stateOf(standIn);
      for (const [index, { lab, sources }] of labs.entries()) {
        whole.restore();
        const others = labs[1 - index]?.sources ?? new Set();
        const note = await take("destroy", lab, scene, folder);
        const cleanup = await take("cleanup", lab, scene, folder);

        expect(note.stdout).toContain(`: the sources ${[...sources].join(", ")}, their import jobs`);
        expect({ lab, ...cleanup }).toMatchObject({ exitCode: 0 });
        expect(note.output + cleanup.output).not.toContain("shared");
        expect(stateOf(standIn).of(sources)).toEqual([]);
        expect(stateOf(standIn).of(others)).toEqual(whole.of(others));
      }
    }),
  );

  it.concurrent("import the same inventory side by side, also when their names have the same CRC-32", () =>
    inScene(async (scene) => {
      const folder = inventoryFolder({ machines: 1, bare: true });
      const labs = ["pine-media-us-03", "titan-ops-eu-01"];
      const output = [];
      for (const [index, clientName] of labs.entries()) {
        const lab: Lab = { deploymentId: `a${index}`, clientName };
        await take("apply", lab, scene, folder);
        output.push((await take("import", lab, scene, folder)).output);
      }

      expect(output.join("")).not.toContain("replacing it");
      expect(jobsOf(scene.standIn).map(([, state, source]) => [state, source])).toEqual(
        labs.map((clientName) => ["COMPLETED", clientName]),
      );
    }),
  );

  it.concurrent("are told at apply, in the note and before the question that they share a source", () =>
    inScene(async (scene) => {
      const { run, standIn } = scene;
      const second: Lab = { ...FIRST, deploymentId: "b2" };
      const folder = inventoryFolder({ machines: 1, bare: true });
      const alone = await take("apply", FIRST, scene, folder);
      const quiet = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "a1" }, arguments: ["--note"] });

      const shared = await take("apply", second, scene, folder);
      const told = await take("apply", FIRST, scene, folder);
      const question = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "b2" }, input: "no\n" });
      const anonymous = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: undefined }, input: "no\n" });
      const note = await take("destroy", FIRST, scene, folder);
      const last = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "b2" }, input: "no\n" });
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
      // A destroy takes the lab from those that use the source.
      expect(last.stdout).not.toMatch(/used by/);
      expect(gone).toEqual([]);
      expect(again.stdout).toContain("is registered as");
    }),
  );

  it.concurrent(
    "are both known when they register at the same moment, and a lab named others is no unknown owner",
    () =>
      inScene(async (scene) => {
        const { run, standIn } = scene;
        haveSource(standIn, { description: "Made by assessment lab z9." });
        haveGroup(standIn, "others", "source-of-its-own");
        const labs = ["a1", "b2"].map((deploymentId): Lab => ({ ...FIRST, deploymentId }));
        await Promise.all(labs.map((lab) => take("apply", lab, scene, "")));

        const question = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "c3" }, input: "no\n" });
        haveSource(standIn, { description: "Assessment labs: others, a1." });
        const cleanup = await take("cleanup", { ...FIRST, deploymentId: "c3" }, scene, "");

        expect(question.stdout).toContain("is used by: a1, b2. What is theirs");
        expect(cleanup.stdout).toContain("is used by: an unknown owner, a1, b2. What is theirs");
        expect(namesIn(standIn)).toEqual(["groups/assess-others-lab"]);
      }),
  );

  it.concurrent.each([
    ["migrationcenter.projects.locations.sources.delete", 1],
    ["migrationcenter.projects.locations.groups.list", 3],
  ])("notice in their next plan that a cleanup took the source which they found: at %s", (method, time) =>
    inScene(async (scene) => {
      const { standIn } = scene;
      await take("apply", FIRST, scene, "");
      let seen = 0;
      standIn.onRequest = (request) => {
        if (request.method !== method || ++seen !== time) return;
        haveGroup(standIn, "b2", FIRST.clientName);
      };

      const { exitCode, output } = await take("cleanup", FIRST, scene, "");

      expect({ exitCode, output, seen: seen >= time }).toMatchObject({ exitCode: 0, seen: true });
      expect(namesIn(standIn)).toEqual([]);
      expect(output).toContain("Deleted of the groups: assess-b2-lab");
    }),
  );

  it.concurrent.each([
    ["yes\n", 1],
    ["yes\nyes\n", 0],
  ])("are asked again by a cleanup for what has come since its question: %j", (input, expected) =>
    inScene(async (scene) => {
      const { run, standIn } = scene;
      await take("apply", FIRST, scene, "");
      let looks = 0;
      standIn.onRequest = ({ method }) => {
        if (method !== "migrationcenter.projects.locations.sources.list" || ++looks !== 3) return;
        haveGroup(standIn, "b2", FIRST.clientName);
        standIn.migration.assets.push({ name: `${LOCATION}/assets/scanned`, sources: [SOURCE] });
      };

      const { exitCode, stdout } = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "a1" }, input });

      expect(stdout).toContain(
        'Only "yes" deletes: Since the question, more has come:\n  groups to delete: 1\n    assess-b2-lab\n  assets to delete: 1\n    scanned\nSource assess-discovery-client is used by: b2. What is theirs of it goes with it.\nDelete this too? It cannot be brought back. Only "yes" deletes: ',
      );
      expect(exitCode).toBe(expected);
      expect(namesIn(standIn)).toHaveLength(expected === 0 ? 0 : 4);
    }),
  );

  it.concurrent("find their sources of former client names, and leave those that others use by now", () =>
    inScene(async (scene) => {
      const { standIn } = scene;
      const folder = inventoryFolder({ machines: 1, bare: true });
      const names = ["shared", "former", "present"].map((clientName): Lab => ({ deploymentId: "a1", clientName }));
      for (const lab of names) await take("apply", lab, scene, folder);
      await take("apply", { deploymentId: "b2", clientName: "shared" }, scene, folder);
      const [, , present = FIRST] = names;

      const note = await take("destroy", present, scene, folder);
      await take("cleanup", present, scene, folder);

      expect(note.stdout).toContain(": the sources former, present, their import jobs");
      expect(namesIn(standIn)).toEqual(["groups/assess-b2-lab", "sources/shared"]);
    }),
  );
});
