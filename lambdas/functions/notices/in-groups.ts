/** Few enough that none of them waits for its turn longer than the database client allows. */
const concurrently = 20;

/** Does a task for each item, some at a time. The first failure is thrown once those under way have ended. */
export const inGroups = async <T>(all: readonly T[], task: (one: T) => Promise<void>): Promise<void> => {
  for (let start = 0; start < all.length; start += concurrently) {
    const outcomes = await Promise.allSettled(all.slice(start, start + concurrently).map(task));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }
};
