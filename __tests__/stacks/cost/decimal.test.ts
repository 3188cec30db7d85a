import { array, assert, double, integer, oneof, property } from "fast-check";

import { decimal, withoutZeros } from "../../../stacks/cost/decimal";

/** Amounts with one place more, which is where rounding is decided, and any others. */
const numbersOf = (places: number) =>
  array(
    oneof(
      double({ min: 0, max: 10 ** (15 - places), noNaN: true }),
      integer({ min: 0, max: 1e9 }).map((parts) => parts / 10 ** (places + 1)),
    ),
  );

const byIntl = (minimumFractionDigits: number, maximumFractionDigits: number) =>
  new Intl.NumberFormat("en-US", { minimumFractionDigits, maximumFractionDigits });

describe("A decimal number", () => {
  it.each([0, 2, 9])("with %d places is what Intl writes", (places) => {
    const [all, needed] = [byIntl(places, places), byIntl(0, places)];
    assert(
      property(numbersOf(places), (numbers) => {
        const texts = numbers.map((each) => decimal(each, places));
        expect(texts).toEqual(numbers.map((each) => all.format(each)));
        expect(texts.map(withoutZeros)).toEqual(numbers.map((each) => needed.format(each)));
      }),
    );
  });

  it("keeps the zeros of a whole number", () => {
    expect([withoutZeros("100"), withoutZeros("100.00"), withoutZeros("1.50")]).toEqual(["100", "100", "1.5"]);
  });
});
