import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("serve.ts", import.meta.url));

export interface ServiceProcessOptions {
  port: number;
  dataDirectory: string;
  assemblyDirectory: string;
  /** Kills a thread of a function this often; never unless given. */
  killThreadEveryMs?: number;
  /** What must not be in the log. */
  leak?: RegExp;
}

/** The service in a process of its own, which can be killed and started again on the same data. */
export interface ServiceProcess {
  start(): Promise<void>;
  /** Ends it as a failing machine does; resolves when it is gone. */
  kill(): Promise<void>;
  /** How often a thread of a function was killed. */
  threadKills(): number;
  /** The most memory that it has held, and what it held last, in MB. */
  memory(): { most: number; last: number };
  /** Lines of the log that hold what must not be there. */
  leaks(): readonly string[];
}

export const serviceProcess = ({
  port,
  dataDirectory,
  assemblyDirectory,
  killThreadEveryMs = 0,
  leak,
}: ServiceProcessOptions): ServiceProcess => {
  const words = [String(port), dataDirectory, assemblyDirectory, String(killThreadEveryMs)];
  const leaks: string[] = [];
  let child: ChildProcess | undefined;
  let threadKills = 0;
  let memory = { most: 0, last: 0 };

  const read = (line: string, onReady: () => void) => {
    if (leak?.test(line)) leaks.push(line);
    if (line === "soak: ready") onReady();
    if (line.startsWith("soak: killed")) threadKills += 1;
    const megabytes = Number(/^soak: (\d+) MB$/.exec(line)?.[1] ?? 0);
    if (megabytes > 0) memory = { most: Math.max(memory.most, megabytes), last: megabytes };
  };

  return {
    async start() {
      const started = spawn(process.execPath, [entry, ...words], { stdio: ["ignore", "pipe", "inherit"] });
      child = started;
      let rest = "";
      const { promise: ready, resolve } = Promise.withResolvers<void>();
      started.stdout.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) read(line, resolve);
      });
      const gone = once(started, "close").then(() => {
        throw new Error("the service ended before it was ready");
      });
      gone.catch(() => {});
      await Promise.race([ready, gone]);
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "close");
      child.kill("SIGKILL");
      await gone;
    },
    threadKills: () => threadKills,
    memory: () => memory,
    leaks: () => leaks,
  };
};
