import { type Expr } from "../core/expr";

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
}
