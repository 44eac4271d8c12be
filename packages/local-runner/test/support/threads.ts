import type { Worker } from "node:worker_threads";

/** Counts the threads that this process starts from now on and that still run. */
export const countThreads = () => {
  const threads = new Set<Worker>();
  process.on("worker", (thread) => {
    threads.add(thread);
    thread.once("exit", () => threads.delete(thread));
  });
  return { ofFunction: (name: string) => [...threads].filter(({ threadName }) => threadName === name).length };
};
