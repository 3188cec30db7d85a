import { type Optional, type PropsOf, summaryOf } from "../../../lib/core/inputs/rows";
import { SERVERLESS_INPUTS } from "../../../lib/serverless-identity-provider";

interface Table {
  readonly name: Optional<string>;
  readonly size: Optional<number>;
}

describe("Props that are all optional", () => {
  it("do not take an object that has none of them, which the compiler judges", () => {
    const other = { nonsense: 1 };
    // @ts-expect-error The object has no prop in common with the table.
    const props: PropsOf<Table> = other;
    expect(Object.keys(props)).toEqual(["nonsense"]);
  });
});

describe("The summary of an input", () => {
  it("is its description without those of its members", () => {
    expect(summaryOf(SERVERLESS_INPUTS.signInProbe)).toMatch(/creates[.] Null for none[.] Setting it later/);
    expect(summaryOf(SERVERLESS_INPUTS.region)).toBe(SERVERLESS_INPUTS.region.description);
  });
});
