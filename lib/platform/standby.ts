import { type Expr } from "../core/expr/expr";

/** A second region that can take over, as the parts of a deployment see it. */
export interface Standby {
  /** Whether there is one. */
  readonly condition: Expr<boolean>;

  /** Empty at plan without one. */
  readonly region: Expr<string>;

  /** Whether it has taken over. */
  readonly isPromoted: Expr<boolean>;

  /** Number of the replica of the database. */
  readonly number: Expr<number>;

  /** Whether buckets are in both regions. */
  readonly hasDualRegionBuckets: Expr<boolean>;

  /** Whether new uploads are in the second one within minutes. */
  readonly hasTurboReplication: Expr<boolean>;
}

/** A number of instances in the first region, where there are none once the second has taken over. */
export function countAtHome(standby: Standby | undefined, count: Expr<number>): Expr<number> {
  return standby === undefined ? count : standby.isPromoted.choose(0, count);
}

/** A number of instances in the second region, where there are none until then. */
export function countInStandby({ isPromoted }: Standby, count: number): Expr<number> {
  return isPromoted.choose(count, 0);
}
