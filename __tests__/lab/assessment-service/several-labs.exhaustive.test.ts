import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { haveGroup, inScene, inventoryFolder, jobsOf, LOCATION, namesIn, type Scene } from "./assessment-scene";

/** A lab, as Terraform runs its scripts. */
interface Lab {
  readonly deploymentId: string;
  readonly clientName: string;
}

type Step = "apply" | "import" | "destroy" | "cleanup";

async function take(step: Step, { clientName, deploymentId }: Lab, { run, standIn }: Scene): Promise<ScriptRun> {
  const environment = { DEPLOYMENT_ID: deploymentId, SOURCE_ID: clientName, SOURCE_DISPLAY_NAME: clientName };
  const { others } = standIn.migration;
  switch (step) {
    case "apply":
      haveGroup(standIn, deploymentId, clientName);
      return run("register-source", { environment });
    case "import":
      return run("import-inventory", {
        environment: { ...environment, INVENTORY_FOLDER: inventoryFolder({ machines: 1, bare: true }) },
      });
    case "destroy": {
      const isOther = ({ name }: { name?: unknown }) => name !== `${LOCATION}/groups/assess-${deploymentId}-lab`;
      others.set("groups", (others.get("groups") ?? []).filter(isOther));
      return run("assessment-cleanup", { environment, arguments: ["--note"] });
    }
    case "cleanup":
      return run("assessment-cleanup", { environment, arguments: ["--yes"] });
  }
}

describeWith(["curl", "dash", "jq"], "Several labs of one project", () => {
  it.concurrent.each([
    ["assess-discovery-client", "assess-discovery-client-2"],
    ["assess-discovery-client-2", "assess-discovery-client"],
    [`${"x".repeat(60)}-a`, `${"x".repeat(60)}-b`],
    // The same CRC-32.
    ["pine-media-us-03", "titan-ops-eu-01"],
  ])("live beside each other: %s, which goes first, and %s", (one, other) =>
    inScene(async (scene) => {
      const labs = [one, other].map((clientName, index) => ({ clientName, deploymentId: `a${index}` }));
      const [first, second] = labs as [Lab, Lab];
      for (const lab of labs) {
        for (const step of ["apply", "import"] as const) {
          const { exitCode, output } = await take(step, lab, scene);
          expect({ step, lab, exitCode, output }).toMatchObject({ exitCode: 0 });
          expect(output).not.toMatch(/shared|replacing it/);
        }
      }
      const completed = jobsOf(scene.standIn).map(([, state, source]) => [state, source]);
      await take("destroy", first, scene);
      const kept = namesIn(scene.standIn);
      const cleanup = await take("cleanup", first, scene);
      const [job = []] = jobsOf(scene.standIn);

      expect(completed).toEqual([one, other].map((name) => ["COMPLETED", name]));
      expect(cleanup).toMatchObject({ exitCode: 0, stderr: "" });
      expect(cleanup.output).not.toContain("is used by");
      expect(kept).toHaveLength(7);
      expect(namesIn(scene.standIn)).toEqual([
        ...[
          `assets/${job[0] ?? ""}-1`,
          "groups/assess-a1-lab",
          `importJobs/${job[0] ?? ""}`,
          `sources/${second.clientName}`,
        ],
      ]);
    }),
  );

  it.concurrent("are told at apply and before the question that they share a source, also when they come at once", () =>
    inScene(async (scene) => {
      const { run, standIn } = scene;
      const labs = ["a1", "b2"].map((deploymentId) => ({ deploymentId, clientName: "assess-discovery-client" }));
      const [first, second] = labs as [Lab, Lab];
      await Promise.all(labs.map((lab) => take("apply", lab, scene)));

      const told = await take("apply", first, scene);
      const question = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "b2" }, input: "no\n" });
      const anonymous = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: undefined }, input: "no\n" });
      await take("destroy", first, scene);
      const last = await run("assessment-cleanup", { environment: { DEPLOYMENT_ID: "b2" }, input: "no\n" });
      await take("cleanup", first, scene);
      const gone = namesIn(standIn);
      const again = await take("apply", second, scene);

      expect(told.stdout).toContain("is shared with b2: ");
      expect(question.stdout).toMatch(/is used by: a1\. What is theirs of it goes with it\.\nDelete all of this\?/);
      expect(anonymous.stdout).toMatch(/is used by: a1, b2\. .*\nDelete all of this\?/);
      // A destroy takes the lab from those that use the source.
      expect(last.stdout).not.toContain("is used by");
      expect(gone).toEqual([]);
      expect(again.stdout).toContain("is registered as");
    }),
  );
});
