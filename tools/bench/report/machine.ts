import { cpus, totalmem, type } from "node:os";

/** The machine and the Node.js version of a run. */
export const describeMachine = (): string => {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const model = processors[0]?.model.trim() ?? "unknown processor";
  return `${processors.length} × ${model}, ${gigabytes} GB, ${type()} ${process.arch}, Node.js ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
};
