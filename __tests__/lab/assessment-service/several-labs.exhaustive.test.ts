import { describeWith } from "../../support/programs";
import { machines, withAws } from "../inventory/inventory-run";
import { haveGroup, inScene, jobsOf, LOCATION, namesIn, type Scene } from "./assessment-scene";

type Step = "apply" | "import" | "destroy" | "cleanup";

/** What Terraform and then a user do with a lab. */
async function take(step: Step, deploymentId: string, clientName: string, { run, standIn }: Scene): Promise<string> {
  const { others } = standIn.migration;
  if (step === "apply") haveGroup(standIn, deploymentId, clientName);
  if (step === "destroy") {
    const isOther = ({ name }: { name?: unknown }) => name !== `${LOCATION}/groups/assess-${deploymentId}-lab`;
    others.set("groups", (others.get("groups") ?? []).filter(isOther));
    return "";
  }
  const script = { apply: "register-source", import: "import-inventory", cleanup: "assessment-cleanup" } as const;
  const environment = { DEPLOYMENT_ID: deploymentId, SOURCE_ID: clientName, SOURCE_DISPLAY_NAME: clientName };
  const { exitCode, output } = await run(
    script[step],
    withAws({ arguments: step === "cleanup" ? ["--yes"] : [], environment }, { machines: machines(1) }),
  );
  expect({ step, deploymentId, exitCode, output }).toMatchObject({ exitCode: 0 });
  return output;
}

describeWith(["curl", "dash", "jq"], "Several labs of one project", () => {
  it.concurrent.each([
    ["assess-discovery-client", "assess-discovery-client-2"],
    [`${"x".repeat(60)}-a`, `${"x".repeat(60)}-b`],
  ])("live beside each other: %s, which goes first, and %s", (one, other) =>
    inScene(async (scene) => {
      const { standIn } = scene;
      for (const [lab, client] of Object.entries({ a0: one, a1: other })) {
        const output = (await take("apply", lab, client, scene)) + (await take("import", lab, client, scene));
        expect(output).not.toMatch(/shared|replacing it/);
      }
      const completed = jobsOf(standIn).map(([, state, source]) => [state, source]);
      await take("destroy", "a0", one, scene);
      const kept = namesIn(standIn);
      const cleanup = await take("cleanup", "a0", one, scene);
      const job = jobsOf(standIn)[0]?.[0] ?? "";

      expect(completed).toEqual([one, other].map((name) => ["COMPLETED", name]));
      expect(cleanup).not.toContain("is used by");
      expect(kept).toHaveLength(7);
      expect(namesIn(standIn)).toEqual([
        `assets/${job}-1`,
        "groups/assess-a1-lab",
        `importJobs/${job}`,
        `sources/${other}`,
      ]);
    }),
  );
});
