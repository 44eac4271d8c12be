import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("serve.ts", import.meta.url));

interface ServiceProcessOptions {
  port: number;
  dataDirectory: string;
  assemblyDirectory: string;
  /** Texts that must not be in the log. */
  leak?: RegExp;
}

/** The service in a separate process, which can be killed and restarted with the same data. */
export interface ServiceProcess {
  start(): Promise<void>;
  /** Kills the process, as a failing machine would, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Kills a thread of a function, if there is one. */
  killThread(): void;
  /** The number of killed threads. */
  threadKills(): number;
  /** The highest and the last memory use, in MB. */
  memory(): { most: number; last: number };
  /** Lines of the log with texts that must not be there. */
  leaks(): readonly string[];
}

export const serviceProcess = ({
  port,
  dataDirectory,
  assemblyDirectory,
  leak,
}: ServiceProcessOptions): ServiceProcess => {
  const words = [String(port), dataDirectory, assemblyDirectory];
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
      const started = spawn(process.execPath, [entry, ...words], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
      child = started;
      let rest = "";
      const { promise: ready, resolve } = Promise.withResolvers<void>();
      started.stdout?.setEncoding("utf8").on("data", (text: string) => {
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
    killThread() {
      child?.send("kill a thread");
    },
    threadKills: () => threadKills,
    memory: () => memory,
    leaks: () => leaks,
  };
};
