import { type Change, isLower, neededVersion, surfaceChange } from "../tools/surface-change";

const reportOf = (...lines: readonly string[]): string =>
  ["## Report", "", "```ts", "", "import { Construct } from 'constructs';", "", ...lines, "", "```", ""].join("\n");

const PROPS = ["// @public", "export interface LabProps {", "    readonly region?: string;", "}"];
const CLASS = ["export class Lab extends Construct {", "    readonly name: string;", "}"];
const BEFORE = [...PROPS, "", ...CLASS];

const changeTo = (...lines: readonly string[]): Change =>
  surfaceChange({ index: reportOf(...BEFORE) }, { index: reportOf(...lines) });

describe("A change of what can be imported", () => {
  it.each<[string, Change, readonly string[]]>([
    ["another order of the declarations", "none", [...CLASS, "", ...PROPS]],
    ["another comment", "none", BEFORE.map((line) => line.replace("// @public", "// @public (undocumented)"))],
    ["a prop that may be left out", "added", BEFORE.toSpliced(2, 0, "    readonly zone?: string;")],
    ["a property of a construct", "added", BEFORE.toSpliced(6, 0, "    readonly zone: string;")],
    ["another declaration", "added", [...BEFORE, "export type Zone = string;"]],
    ["a prop that must be given", "broken", BEFORE.toSpliced(2, 0, "    readonly zone: string;")],
    ["one that must be given from now on", "broken", BEFORE.map((line) => line.replace("region?", "region"))],
    ["one less", "broken", BEFORE.filter((line) => !line.includes("region"))],
    ["another type", "broken", BEFORE.map((line) => line.replace("region?: string", "region?: number"))],
    ["a declaration less", "broken", CLASS],
    [
      "a member of nested props that must be given",
      "broken",
      BEFORE.map((line) => line.replace("LabProps", "Network")).toSpliced(2, 0, "    readonly zone: string;"),
    ],
  ])("is judged: %s", (_, change, lines) => {
    expect(changeTo(...lines)).toBe(change);
  });

  it("is judged for each entry of the package", () => {
    const [before, now] = [reportOf(...BEFORE), reportOf(...CLASS)];
    expect(surfaceChange({ index: now, lab: before }, { index: before, lab: now })).toBe("broken");
    expect(surfaceChange({ index: before }, { index: before, lab: now })).toBe("added");
  });

  it.each<[string, Change, string]>([
    ["0.2.3", "none", "0.2.4"],
    ["0.2.3", "added", "0.2.4"],
    ["0.2.3", "broken", "0.3.0"],
    ["1.2.3", "none", "1.2.4"],
    ["1.2.3", "added", "1.3.0"],
    ["1.2.3", "broken", "2.0.0"],
  ])("after %s needs, where it is %s, %s", (former, change, needed) => {
    expect(neededVersion(former, change)).toBe(needed);
  });

  it("is told by a version that is compared as numbers", () => {
    expect([isLower("0.9.0", "0.10.0"), isLower("0.10.0", "0.9.0"), isLower("1.0.0", "1.0.0")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
