import { type Cost } from "./monthly-cost";
import { type CostPart, type Range } from "./part";

const AMOUNT = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const PRICE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 9 });
const QUANTITY = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const SMALL_QUANTITY = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });

/** Headings of the columns of a part. */
export const COST_HEADINGS = ["Part", "Quantity", "Unit", "Price", "A month"] as const;

/** A row for each part: name, quantity, unit, price, and cost. */
export function costRows(parts: readonly CostPart[]): string[][] {
  return parts.map(({ amount, name, quantity, unit, unitPrice }) => [
    name,
    rangeText(quantity, quantityText),
    unit,
    priceText(unitPrice),
    rangeText(amount, amountText),
  ]);
}

/** A sentence for each reason of a range, with the parts that have it. */
export function rangeReasons(parts: readonly CostPart[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, quantity, varies } of parts) {
    if (varies === undefined || quantity.min === quantity.max) continue;
    byReason.set(varies, [...(byReason.get(varies) ?? []), name]);
  }
  return [...byReason].map(([reason, names]) => `${names.join("; ")}: ${reason}.`);
}

/** An amount in US dollars, or two where there is a range. */
export function amountRange(range: Range): string {
  return rangeText(range, amountText);
}

/** The basis of the prices, in one sentence. */
export function priceBasis({ priceRegion, pricesLookedUp }: Cost): string {
  return `List prices of ${priceRegion} in US dollars, looked up by ${pricesLookedUp}; a month has 730 hours.`;
}

/** An amount, to the cent. */
export function amountText(amount: number): string {
  return AMOUNT.format(amount);
}

/** A price, with all its digits. */
export function priceText(amount: number): string {
  return PRICE.format(amount);
}

function quantityText(quantity: number): string {
  return (quantity < 1 ? SMALL_QUANTITY : QUANTITY).format(quantity);
}

function rangeText({ max, min }: Range, text: (number: number) => string): string {
  const [least, most] = [text(min), text(max)];
  return least === most ? least : `${least} to ${most}`;
}
