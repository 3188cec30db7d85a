import { type Expr } from "../core/expr/expr";

/** Facts of a second region that can take over, for the parts of a deployment. */
export interface Standby {
  /** Whether there is a second region. */
  readonly condition: Expr<boolean>;

  /** Name of the second region; empty at plan if there is none. */
  readonly region: Expr<string>;

  /** Whether the second region has taken over. */
  readonly isPromoted: Expr<boolean>;

  /** Number of the replica of the database. */
  readonly number: Expr<number>;

  /** Whether buckets are in both regions. */
  readonly hasDualRegionBuckets: Expr<boolean>;

  /** Whether new uploads reach the second region within minutes. */
  readonly hasTurboReplication: Expr<boolean>;
}

/** A number of instances in the first region; 0 once the second region has taken over. */
export function countAtHome(standby: Standby | undefined, count: Expr<number>): Expr<number> {
  return standby === undefined ? count : standby.isPromoted.choose(0, count);
}

/** A number of instances in the second region; 0 until it has taken over. */
export function countInStandby({ isPromoted }: Standby, count: number): Expr<number> {
  return isPromoted.choose(count, 0);
}
