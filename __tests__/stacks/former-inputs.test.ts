import { readFileSync } from "node:fs";

import { App } from "cdktf";

import { packageFile } from "../../lib/core/package-file";
import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { createStacks } from "../../stacks/all-stacks";
import { FORMER_INPUTS, isInput } from "../../stacks/former-inputs";
import { readSettings } from "../../stacks/settings";

const VARIANTS = [SERVERLESS_INPUTS, KUBERNETES_INPUTS];

const isInputOfAny = (path: string) => VARIANTS.some((table) => isInput(path, table));

it("What became of a former input is an input, and the former name is none", () => {
  expect(Object.values(FORMER_INPUTS).filter((path) => !isInputOfAny(path))).toEqual([]);
  expect(Object.keys(FORMER_INPUTS).filter(isInputOfAny)).toEqual([]);
});

it("Former inputs are those of the changelog", () => {
  const [, table = ""] =
    /\| Former \| Now \|\n.*\n((?: *\|.*\n)+)/.exec(readFileSync(packageFile("CHANGELOG.md"), "utf8")) ?? [];
  const former = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)/g)]);
  const names = former.map(([, name = ""]) => name).filter((name) => !isInputOfAny(name));
  expect(names.sort()).toEqual(Object.keys(FORMER_INPUTS).sort());
});

it.each([
  ["idp-serverless", "dump_schedule", "dump_schedule is no input; it is now dumps.schedule; move its value there"],
  ["idp-serverless", "keep_dumps", "it is now dumps; write dumps = { schedule = null } for true, or remove it"],
  ["idp-serverless", "geoip", "geoip is no input; it is one of idp-kubernetes; remove it"],
  ["idp-serverless", "outpost_ranges", "it is one of idp-kubernetes, now outposts.ranges; remove it"],
  ["idp-kubernetes", "vpc_egress", "vpc_egress is no input; it is one of idp-serverless; remove it"],
  ["idp-kubernetes", "domian", "domian is no input; did you mean domain?"],
])("A setting that is no input of %s is refused with what became of it: %s", async (stack, name, message) => {
  const values = { project_id: "sign-in-project", [name]: "x" };
  await expect(createStacks(new App(), readSettings({}), [stack], values)).rejects.toThrow(message);
});
