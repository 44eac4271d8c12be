/** Maximum concurrent tasks. The limit is low, so that no task waits longer for its turn than the database client allows. */
const concurrently = 20;

/**
 * Runs a task for each item, a group at a time. If a task fails, waits for the rest of its group and then throws the first failure.
 */
export const inGroups = async <T>(all: readonly T[], task: (one: T) => Promise<void>): Promise<void> => {
  for (let start = 0; start < all.length; start += concurrently) {
    const outcomes = await Promise.allSettled(all.slice(start, start + concurrently).map(task));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }
};
