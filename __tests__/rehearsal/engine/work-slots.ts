import pLimit from "p-limit";

/** Deployments at work at a time: one more than two cores, because scripts mostly wait for each other. */
const PARALLEL = 3;

/** Thrown for work that was not begun, because something else had failed by then. */
export class NotBegun extends Error {}

/** Lets a few deployments work at a time, in the order in which they ask, and none begin after a failure. */
export class WorkSlots {
  private readonly limit = pLimit(PARALLEL);
  private hasFailed = false;

  /**
   * Waits for a turn and works. Work must not ask for a turn of its own: it would wait for itself.
   *
   * @throws NotBegun after a failure of anything
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
 * Waits for everything, also after a failure, so that nothing goes on in the background.
 *
 * @throws what the first of the list that failed has thrown
 */
export async function together(parts: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(parts);
  const reasons = results.flatMap((result): unknown[] => (result.status === "rejected" ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !(reason instanceof NotBegun)) ?? reasons[0];
}
