import { amountText, costRows, priceText } from "../../../stacks/cost/cost-table";
import { type CostPart } from "../../../stacks/cost/part";

describe("A table of costs", () => {
  it("rounds an amount to the cent once, however large it is", () => {
    expect([4123110389500.8247, 1.005, 0.004999999999999999, 1234, 0].map(amountText)).toEqual([
      "4,123,110,389,500.82",
      "1.01",
      "0.00",
      "1,234.00",
      "0.00",
    ]);
  });

  it("writes a price with all its digits, and no zeros at the end", () => {
    expect([0.000024, 100, 1.5, 0.123456789].map(priceText)).toEqual(["0.000024", "100", "1.5", "0.123456789"]);
  });

  it.each([
    [0, "0"],
    [0.000123, "0.00012"],
    [0.999, "1"],
    [1, "1"],
    [2.345, "2.35"],
    [1_461_000, "1,461,000"],
  ])("writes the quantity %d as %s", (quantity, text) => {
    const range = { min: quantity, max: quantity };
    const part = { name: "Part", price: "natVm", unit: "hour", unitPrice: 1, quantity: range, amount: range };
    expect(costRows([part as CostPart])[0]?.[1]).toBe(text);
  });
});
