import { printedActions } from "./printed-plan";

const planOf = (lines: readonly string[], counts: string): string =>
  ["Terraform will perform the following actions:", ...lines.map((line) => `  # ${line}`), "", counts].join("\n");

describe("The actions of a printed plan", () => {
  it.each([
    ["terraform_data.one will be created", "create", "1 to add, 0 to change, 0 to destroy."],
    ["terraform_data.one will be updated in-place", "update", "0 to add, 1 to change, 0 to destroy."],
    ["terraform_data.one must be replaced", "replace", "1 to add, 0 to change, 1 to destroy."],
    ["terraform_data.one is tainted, so it must be replaced", "replace", "1 to add, 0 to change, 1 to destroy."],
    ["terraform_data.one will be replaced, as requested", "replace", "1 to add, 0 to change, 1 to destroy."],
    [
      "terraform_data.one will be replaced due to changes in replace_triggered_by",
      "replace",
      "1 to add, 0 to change, 1 to destroy.",
    ],
    ["terraform_data.one will be destroyed", "delete", "0 to add, 0 to change, 1 to destroy."],
  ])("are read: %s", (line, action, counts) => {
    const printed = planOf([line, "(because it is an example)"], `Plan: ${counts}`);

    expect([...printedActions(printed)]).toEqual([["terraform_data.one", action]]);
  });

  it("have keys of instances, and neither what is only read nor what others have changed", () => {
    const lines = ['a.b["c"] will be created', "data.d.e will be read during apply", "f.g has changed"];

    expect([...printedActions(planOf(lines, "Plan: 1 to add, 0 to change, 0 to destroy."))]).toEqual([
      ['a.b["c"]', "create"],
    ]);
  });

  it("are none when nothing changes", () => {
    expect(printedActions("No changes. Your infrastructure matches the configuration.").size).toBe(0);
  });

  it("are not guessed where the plan counts others", () => {
    const printed = planOf(["a.b will be turned around"], "Plan: 0 to add, 1 to change, 0 to destroy.");

    expect(() => printedActions(printed)).toThrow(
      "read 0, 0, 0 additions, changes and deletions from a plan of 0, 1, 0:",
    );
  });
});
