// A local run in a separate process, which kills a thread of its functions on request, and reports it.
import type { Worker } from "node:worker_threads";
import { startLocalService } from "cdk-local-runner";

const [port = "", dataDirectory = "", assemblyDirectory = ""] = process.argv.slice(2);

const workers = new Set<Worker>();
process.on("worker", (worker) => {
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
});

const service = await startLocalService({
  port: Number(port),
  dataDirectory,
  assembly: assemblyDirectory,
  log: (text) => process.stdout.write(text),
});
process.stdout.write("soak: ready\n");

const killThread = () => {
  const ofFunctions = [...workers].filter(({ threadName }) => service.functionNames.includes(threadName ?? ""));
  const victim = ofFunctions[Math.floor(Math.random() * ofFunctions.length)];
  if (!victim) return;
  process.stdout.write(`soak: killed a thread of ${victim.threadName}\n`);
  void victim.terminate();
};
process.on("message", killThread);

setInterval(() => {
  process.stdout.write(`soak: ${Math.round(process.memoryUsage.rss() / 1024 ** 2)} MB\n`);
}, 5_000);
