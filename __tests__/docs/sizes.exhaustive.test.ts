import { refusals, type Inputs } from "../stacks/terraform-run";
import { VARIANTS } from "../stacks/variants";
import { describeWith } from "../support/programs";
import { pageOf } from "../tools/pages";

const { text } = pageOf("stacks/identity-provider.md");

/** The cells of a line of a table. */
const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("`", ""));

/** The rows of the table of sizes as inputs, by their number of users. */
function sizes(): [users: string, inputs: Inputs][] {
  const [, section = ""] = /\n## Sizes\n([\s\S]*?)\n##/.exec(text) ?? [];
  const [head = "", , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  const [, ...names] = cellsOf(head);
  return rows.map((row) => {
    const [users = "", ...values] = cellsOf(row);
    const inputs = names.map((name, index): [string, unknown] => {
      const value = values[index] ?? "";
      return [name, /^\d+$/.test(value) ? Number(value) : value];
    });
    return [users, Object.fromEntries(inputs)];
  });
}

describeWith(["terraform"], "The advice on sizes", () => {
  it("is a row for each of several numbers of users, each with all that decides", () => {
    expect(sizes().length).toBeGreaterThanOrEqual(4);
    for (const [, inputs] of sizes()) {
      expect(Object.keys(inputs).sort()).toEqual(
        ["container_cpu", "container_memory", "database_tier", "max_instance_count", "min_instance_count"].sort(),
      );
    }
  });

  it.each(VARIANTS)("is accepted by the rules of $name, that of the connections included", ({ terraform }) => {
    const rows = sizes().map(([, inputs]) => ({ project_id: "my-project", ...inputs }));
    // One more than the rows have room for shows that the rule looks at them.
    const tooMany = { ...rows[0], max_instance_count: 3 };
    const found = refusals(terraform().variable ?? {}, [...rows, tooMany]);
    expect(found.slice(0, -1)).toEqual(rows.map(() => []));
    expect(found.at(-1)?.join()).toContain("database connections");
  });

  it("has the defaults as one of its rows", () => {
    for (const { terraform } of VARIANTS) {
      const { variable = {} } = terraform();
      const defaults = (inputs: Inputs) => Object.keys(inputs).map((name) => variable[name]?.default);
      expect(
        sizes().some(([, inputs]) => JSON.stringify(Object.values(inputs)) === JSON.stringify(defaults(inputs))),
      ).toBe(true);
    }
  });
});

describe("The example of the names of settings", () => {
  const [, section = ""] = /\n## Names of settings\n([\s\S]*?)\n##/.exec(text) ?? [];

  it("says the names that the settings have upstream", () => {
    const names = [...section.matchAll(/^ {2}"(IDP_\w+)" =/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThanOrEqual(2);
    expect(names.filter((name) => !section.includes(`\`${name.replace("IDP_", "AUTHENTIK_")}\``))).toEqual([]);
  });
});
