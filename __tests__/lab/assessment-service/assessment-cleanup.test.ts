import { describeWith } from "../../support/programs";
import { haveLeftovers, inScene, LOCATION, namesIn } from "./assessment-scene";

describeWith(["curl", "dash", "jq"], "assessment-cleanup.sh", () => {
  it("deletes nothing of a lab whose client is called like another lab's source for uploads was", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      const name = `${LOCATION}/sources/assess-discovery-client-upload`;
      const others = { name, type: "SOURCE_TYPE_DISCOVERY_CLIENT", state: "ACTIVE" };
      standIn.migration.sources.set(name, others);
      standIn.migration.assets.push({ name: `${LOCATION}/assets/others-too`, sources: [name] });

      const { exitCode, output } = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      expect(namesIn(standIn)).toEqual([
        ...["assets/others", "assets/others-too", "assets/shared", "assetsExportJobs/spreadsheet", "groups/wave-1"],
        ...["importJobs/others", "preferenceSets/cheap", "reportConfigs/report"],
        ...["sources/assess-discovery-client-upload", "sources/other"],
      ]);
    }));
});
