import { Token } from "cdktf";

import { expression } from "../../lib/core/expression";
import { UpgradeBackup } from "../../lib/idp/upgrade-backup";
import { standInDatabase } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const props = { database: standInDatabase(), projectId: "demo-project", release: "2026.5.4" };

describe("UpgradeBackup", () => {
  it("makes and names no backup when it is off", () => {
    const stack = bareStack();
    const enabled = Token.asAny(expression("var.backup_before_upgrade"));
    const off = new UpgradeBackup(stack, "Off", { ...props, enabled: false });
    new UpgradeBackup(stack, "Decided", { ...props, enabled });
    const terraform = terraformOf(stack);

    expect(resourceOf(terraform, "terraform_data", "off").count).toBe("${(false) ? 1 : 0}");
    expect(resourceOf(terraform, "terraform_data", "decided").count).toBe("${(var.backup_before_upgrade) ? 1 : 0}");
    expect(off.description).toBeUndefined();
  });
});
