import { PRICES, type PriceId } from "./prices";

/** From the least to the most; equal where nothing decides between them. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** What a part belongs to; tables of the pages show some of these alone. */
export type PartGroup =
  | "application"
  | "cluster"
  | "database"
  | "domain"
  | "dumps"
  | "first apply"
  | "monitoring"
  | "protection"
  | "secrets"
  | "storage"
  | "traffic"
  | "VMs"
  | "workers";

/** One thing that is billed. */
export interface Part {
  readonly name: string;
  readonly group: PartGroup;
  readonly price: PriceId;

  /** Units of the price: in a month, or of a first apply in all. */
  readonly quantity: Range;

  /** What the quantity depends on; left out if it does not vary. */
  readonly varies?: string;
}

/** A part with what it costs. */
export interface CostPart extends Part {
  /** What one unit is, and its price in US dollars. */
  readonly unit: string;
  readonly unitPrice: number;

  /** US dollars, rounded to a hundredth of a cent. */
  readonly amount: Range;
}

/** A quantity that does not vary. */
export function exactly(quantity: number): Range {
  return { min: quantity, max: quantity };
}

/** A range times a number, or times another range, end by end. */
export function times({ min, max }: Range, factor: Range | number): Range {
  const by = typeof factor === "number" ? exactly(factor) : factor;
  return { min: min * by.min, max: max * by.max };
}

/** The sum of ranges, end by end. */
export function sumOf(ranges: readonly Range[]): Range {
  return {
    min: rounded(ranges.reduce((sum, { min }) => sum + min, 0)),
    max: rounded(ranges.reduce((sum, { max }) => sum + max, 0)),
  };
}

/** A part with its cost. */
export function priced(part: Part): CostPart {
  const { amount: unitPrice, unit } = PRICES[part.price];
  const quantity = times(part.quantity, 1);
  const { min, max } = times(quantity, unitPrice);
  return { ...part, quantity, unit, unitPrice, amount: { min: rounded(min), max: rounded(max) } };
}

/** Sums of binary fractions have far more digits than prices. */
function rounded(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}
