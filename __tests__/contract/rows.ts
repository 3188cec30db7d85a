import { valueAt } from "../stacks/configuration-graph";

/** Where the fact of a sentence of a seed is read, and what it must be. */
type Row = readonly [fact: () => unknown, expected: unknown];

/**
 * Tests for the tables of a seed, by the headings of their sections and by sentence.
 *
 * A fact has nothing undefined in it, which is what a misspelt path leads to: a row about what must not be there says
 * so with `ABSENT`, or with the names that are.
 */
export function testContract(name: string, sections: Readonly<Record<string, Readonly<Record<string, Row>>>>): void {
  describe.each(Object.entries(sections))(`${name} keeps the contract: %s`, (_heading, rows) => {
    const cases = Object.entries(rows).map(([sentence, [fact, expected]]) => ({ sentence, fact, expected }));
    it.each(cases)("$sentence", ({ fact, expected }) => {
      const found = fact();
      expect(undefinedIn(found)).toEqual([]);
      expect(found).toEqual(expected);
    });
  });
}

/** What is at a path of keys and list positions. @throws Error if nothing is there */
export function factAt(block: unknown, path: string): unknown {
  const value = valueAt(block, path);
  if (value === undefined) throw new Error(`there is nothing at ${path}; correct the path`);
  return value;
}

/** One of the elements with names, such as the variables of a stack. @throws Error if there is none of the name */
export function elementOf<Element>(elements: Readonly<Record<string, Element>> | undefined, name: string): Element {
  const element = elements?.[name];
  if (element !== undefined) return element;
  throw new Error(`there is no ${name}; there are: ${Object.keys(elements ?? {}).join(", ")}`);
}

/** Where in a value something is undefined. */
function undefinedIn(value: unknown, path = "fact"): string[] {
  if (value === undefined) return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => undefinedIn(each, `${path}.${key}`));
}
