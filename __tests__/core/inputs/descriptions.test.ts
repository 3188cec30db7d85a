import { descriptionIfSet, fullDescription } from "../../../lib/core/inputs/descriptions";
import { type Input, type Table } from "../../../lib/core/inputs/rows";
import { KUBERNETES_INPUTS } from "../../../lib/kubernetes-identity-provider";
import { LAB } from "../../../lib/lab/lab-inputs";
import { SERVERLESS_INPUTS } from "../../../lib/serverless-identity-provider";

const rowsIn = (table: Table): Input[] =>
  Object.values(table).flatMap((row) => [row, ...rowsIn(row.members ?? {}), ...rowsIn(row.entries ?? {})]);

const ROWS = [SERVERLESS_INPUTS, KUBERNETES_INPUTS, LAB].flatMap((table) => rowsIn(table));

describe("A description with a part in brackets", () => {
  it.each([
    ["its size in GB[[; null for no limit]]", "its size in GB; null for no limit", "its size in GB"],
    ["Asks. [[Null for none.]] Safe.", "Asks. Null for none. Safe.", "Asks. Safe."],
    ["Asks. [[Null for none.]]", "Asks. Null for none.", "Asks."],
    ["one[[; a]]; two[[; b]]; three", "one; a; two; b; three", "one; two; three"],
    ["Nothing to leave out.", "Nothing to leave out.", "Nothing to leave out."],
  ])("has the part, and leaves it out where the input must be set: %s", (marked, full, ifSet) => {
    expect(fullDescription(marked)).toBe(full);
    expect(descriptionIfSet(marked)).toBe(ifSet);
  });
});

describe("The descriptions of all inputs", () => {
  it("have no brackets left", () => {
    const texts = ROWS.flatMap(({ description, descriptionIfSet: ifSet = "" }) => [description, ifSet]);
    expect(texts.filter((text) => /\[\[|\]\]/.test(text))).toEqual([]);
  });

  it("say what null means only in parts that an input leaves out if it must be set", () => {
    const texts = ROWS.map(({ descriptionIfSet: ifSet = "", members }) => (members === undefined ? ifSet : ""));
    expect(texts.filter((text) => /\bnull (for|is|if|ends|leaves|or)\b/i.test(text))).toEqual([]);
  });
});
