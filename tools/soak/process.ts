import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("serve.ts", import.meta.url));

/** What the process tells about itself. */
export type News = { what: "ready" | "killed a thread" } | { what: "memory"; megabytes: number };

interface ServiceProcessOptions {
  port: number;
  dataDirectory: string;
  assemblyDirectory: string;
  /** Texts that must not be in the log. */
  leak: RegExp;
}

/** The service in a separate process, which can be killed and restarted with the same data. */
export const serviceProcess = ({ port, dataDirectory, assemblyDirectory, leak }: ServiceProcessOptions) => {
  const leaks: string[] = [];
  const memory: number[] = [];
  let child: ChildProcess | undefined;
  let threadKills = 0;

  return {
    async start(): Promise<void> {
      const words = [String(port), dataDirectory, assemblyDirectory];
      const started = fork(entry, words, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
      child = started;
      const ready = Promise.withResolvers<void>();
      started.once("close", () => ready.reject(new Error("The service ended before it was ready.")));
      started.on("message", (news: News) => {
        if (news.what === "ready") ready.resolve();
        else if (news.what === "memory") memory.push(news.megabytes);
        else threadKills += 1;
      });
      if (!started.stdout) throw new Error("The service has no output.");
      createInterface(started.stdout).on("line", (line) => leak.test(line) && leaks.push(line));
      await ready.promise;
    },
    /** Kills the process, as a failing machine would, and resolves when it is gone. */
    async kill(): Promise<void> {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "close");
      child.kill("SIGKILL");
      await gone;
    },
    /** Kills a thread of a function, if there is one. */
    killThread: (): void => void child?.send("kill a thread"),
    /** The number of killed threads. */
    threadKills: () => threadKills,
    /** The memory use every few seconds, in MB. */
    memory,
    /** Lines of the log with texts that must not be there. */
    leaks,
  };
};
