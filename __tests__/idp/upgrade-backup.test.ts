import { UpgradeBackup } from "../../lib/idp/upgrade-backup";
import { standInDatabase } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";

it("UpgradeBackup names no backup when it is off", () => {
  const props = { database: standInDatabase(), projectId: "demo-project", release: "2026.5.4", enabled: false };
  expect(new UpgradeBackup(bareStack(), "Off", props).description).toBeUndefined();
});
