import { nothingFound, RunContext } from "./run-context";

const contextOf = (only?: string) => new RunContext({ folder: "", program: "", rehearsal: { inputs: {} }, only });

it("A name that nothing has is not found, until something has it", () => {
  const context = contextOf("domain");
  expect(context.wants("another region")).toBe(false);
  expect(context.isNothingFound).toBe(true);
  expect(context.wants("a domain appears")).toBe(true);
  expect(context.isNothingFound).toBe(false);
  expect(contextOf().isNothingFound).toBe(false);
});

it("A name that nothing has in any rehearsal is said", () => {
  const [none, some] = [
    { stack: "a", steps: [], isNothingFound: true },
    { stack: "a", steps: [], isNothingFound: false },
  ];
  expect(nothingFound("xyzzy", [none, none])).toMatch(/^nothing has "xyzzy" in its name; .*rehearsal.scenarios /);
  expect(nothingFound("domain", [none, some])).toBeUndefined();
  expect(nothingFound(undefined, [some])).toBeUndefined();
});
