import { spawnSync } from "node:child_process";

import { guardDestroy } from "../../lib/core/deletion-guard";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

interface Provisioner {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

const provisionerOf = (remains?: string): Provisioner => {
  const stack = bareStack();
  guardDestroy(stack, "Guard", { dependsOn: [], protect: true }, { remains });
  const { provisioner } = resourceOf(terraformOf(stack), "terraform_data", "guard");
  const [first] = provisioner as readonly { readonly "local-exec": Provisioner }[];
  if (first === undefined) throw new Error("the guard has no provisioner");
  return first["local-exec"];
};

/** What a destroy says and how it ends, with the values that the last apply stored. */
const destroy = (stored: Readonly<Record<string, string>>, remains?: string) => {
  const { command } = provisionerOf(remains);
  const { status, stderr } = spawnSync("/bin/sh", ["-c", command], { env: { ...stored }, encoding: "utf8" });
  return { status, lines: stderr.trimEnd().split("\n") };
};

describe("The guard of a deployment", () => {
  const REFUSED =
    "deletionProtection was true at the last apply; nothing is deleted, because data would be lost; apply with deletionProtection=false first.";

  it("refuses a destroy, and says what one would leave", () => {
    expect(destroy({ PROTECTED: "true", REMAINS: "a backup for 30 days" }, "a backup for 30 days")).toEqual({
      status: 1,
      lines: ["A destroy leaves a backup for 30 days.", REFUSED],
    });
  });

  it("says what remains when a destroy is allowed", () => {
    expect(destroy({ PROTECTED: "false", REMAINS: "no backup" }, "no backup")).toEqual({
      status: 0,
      lines: ["A destroy leaves no backup."],
    });
  });

  it("works with a state that was written before it named what stays", () => {
    expect(provisionerOf("a backup").environment).toEqual({
      PROTECTED: "${self.input.protected}",
      REMAINS: '${try(self.input.remains, "what the last apply said")}',
    });
  });
});
