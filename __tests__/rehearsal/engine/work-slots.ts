import pLimit from "p-limit";

/** Deployments that work at the same time: one more than two cores, because scripts mostly wait. */
const PARALLEL = 3;

/** Thrown for work that was not started because something else had already failed. */
export class NotBegun extends Error {}

/** How many pieces of work run at the same time, in order of request. */
export type WorkLimit = ReturnType<typeof pLimit>;

export function workLimit(): WorkLimit {
  return pLimit(PARALLEL);
}

/** Limits how many deployments work at the same time; none starts after a failure. */
export class WorkSlots {
  private hasFailed = false;

  /** @param limit may be shared: a failure of the others then stops nothing here */
  constructor(private readonly limit = workLimit()) {}

  /**
   * Waits for a slot and runs the work. Work must not take another slot: it would wait for itself.
   *
   * @throws NotBegun after any failure
   */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.limit(async () => {
      if (this.hasFailed) throw new NotBegun("something else has failed");
      try {
        return await work();
      } catch (error) {
        this.hasFailed = true;
        throw error;
      }
    });
  }
}

/**
 * Waits for everything, even after a failure, so that nothing continues in the background.
 *
 * @throws the error of the first part in the list that failed
 */
export async function together(parts: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(parts);
  const reasons = results.flatMap((result): unknown[] => (result.status === "rejected" ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !(reason instanceof NotBegun)) ?? reasons[0];
}
