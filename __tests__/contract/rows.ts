/** A sentence of a seed, where its fact is read, and what it must be. */
export type Row = readonly [sentence: string, fact: () => unknown, expected: unknown];

/** Tests for the tables of a seed, by the headings of their sections. */
export function testContract(name: string, sections: Readonly<Record<string, readonly Row[]>>): void {
  describe.each(Object.entries(sections))(`${name} keeps the contract: %s`, (_heading, rows) => {
    it.each(rows.map(([sentence, fact, expected]) => ({ sentence, fact, expected })))(
      "$sentence",
      ({ fact, expected }) => {
        expect(fact()).toEqual(expected);
      },
    );
  });
}
