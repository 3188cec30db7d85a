import { PRICES, type PriceId } from "./prices";

/** Minimum and maximum; equal if the value is certain. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Group of a part; some tables of the pages show only one group. */
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

/** A billed part. */
export interface Part {
  readonly name: string;
  readonly group: PartGroup;
  readonly price: PriceId;

  /** Number of units: per month, or in total for a first apply. */
  readonly quantity: Range;

  /** What the quantity depends on; missing if it does not vary. */
  readonly varies?: string;
}

/** A part with its cost. */
export interface CostPart extends Part {
  /** The unit, and its price in US dollars. */
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
