// A local run in a separate process, which kills a thread of its functions on request, and tells how it is doing.
import type { Worker } from "node:worker_threads";
import { startLocalService } from "cdk-local-runner";
import type { News } from "./process.ts";

const [port = "", dataDirectory = "", assembly = ""] = process.argv.slice(2);
const tell = (news: News): void => void process.send?.(news);

const workers = new Set<Worker>();
process.on("worker", (worker) => {
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
});

const log = (text: string) => process.stdout.write(text);
const service = await startLocalService({ port: Number(port), dataDirectory, assembly, log });
tell({ what: "ready" });

process.on("message", () => {
  const ofFunctions = [...workers].filter(({ threadName }) => service.functionNames.includes(threadName ?? ""));
  const victim = ofFunctions[Math.floor(Math.random() * ofFunctions.length)];
  if (!victim) return;
  tell({ what: "killed a thread" });
  void victim.terminate();
});

setInterval(() => tell({ what: "memory", megabytes: Math.round(process.memoryUsage.rss() / 1024 ** 2) }), 5_000);
