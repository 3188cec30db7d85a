/** Where the fact of a sentence of a seed is read, and what it must be. */
type Row = readonly [fact: () => unknown, expected: unknown];

/** Tests for the tables of a seed, by the headings of their sections and by sentence. */
export function testContract(name: string, sections: Readonly<Record<string, Readonly<Record<string, Row>>>>): void {
  describe.each(Object.entries(sections))(`${name} keeps the contract: %s`, (_heading, rows) => {
    const cases = Object.entries(rows).map(([sentence, [fact, expected]]) => ({ sentence, fact, expected }));
    it.each(cases)("$sentence", ({ fact, expected }) => {
      expect(fact()).toEqual(expected);
    });
  });
}
