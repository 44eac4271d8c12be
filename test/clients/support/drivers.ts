import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { python } from "../../support/python.ts";
import { jsonLine } from "./json-line.ts";

/*
 * A driver is a program that makes calls with one of the clients. It reads a command per line and writes an outcome per line,
 * in JSON, so that all drivers can be held to the same outcomes.
 */

export interface ClientOptions {
  base_url: string;
  token: string;
  retry?: { attempts?: number; maximum_wait_milliseconds?: number };
  timeout_milliseconds?: number;
}

/** On what a change depends: on an object that was kept, on a copy of it, or on the first item of a list. */
export interface Condition {
  if_unchanged?: string;
  if_unchanged_copy_of?: string;
  if_unchanged_item_of?: string;
}

/** `keep` gives the result a name, to make a change depend on it later. */
export type Call =
  | { call: "get_token" }
  | { call: "create_key"; key_id: string; v_code: string; keep?: string }
  | { call: "get_key"; key_id: string; keep?: string }
  | ({ call: "replace_key"; key_id: string; v_code: string; keep?: string } & Condition)
  | ({ call: "delete_key"; key_id: string } & Condition)
  | { call: "pages"; limit?: number; take?: number; keep?: string };

/** `client` tells apart the clients that a driver has opened. */
export type Command = ({ call: "open" } & ClientOptions & { client: string }) | (Call & { client: string });

export interface Failure {
  /**
   * The name of an error of the client; `no response`, `timeout`, `misuse` for an error of the program that uses it, or
   * `unexpected`.
   */
  kind: string;
  status?: number;
  code?: string;
  message?: string;
  request_id?: string | null;
  fields?: Record<string, string[]>;
}

/** What the client reported before it sent a request again. */
export interface Retried {
  status: number;
  attempt: number;
  milliseconds: number;
}

export interface Outcome {
  value?: unknown;
  failure?: Failure;
  retries: Retried[];
}

export interface Driver {
  run(command: Command): Promise<Outcome>;
  /** Ends the program. Throws if it was not in order. */
  close(): Promise<void>;
}

interface Program {
  command: string;
  file: string;
  environment: NodeJS.ProcessEnv;
}

const programs: Record<string, Program> = {
  TypeScript: { command: process.execPath, file: "driver.ts", environment: {} },
  Python: { command: python.command, file: "driver.py", environment: python.environment },
};

export const driverNames = Object.keys(programs);

export const startDriver = (name: string): Driver => {
  const program = programs[name];
  if (program === undefined) throw new Error(`There is no driver for ${name}.`);
  const file = fileURLToPath(new URL(`../drivers/${program.file}`, import.meta.url));
  const child = spawn(program.command, [file], { env: program.environment, stdio: ["pipe", "pipe", "inherit"] });
  const outcomes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  return {
    run: async (command) => {
      child.stdin.write(jsonLine(command));
      const { value, done } = await outcomes.next();
      if (done) throw new Error(`The ${name} driver ended at ${JSON.stringify(command)}.`);
      return JSON.parse(value);
    },
    close: async () => {
      const closed = once(child, "close");
      child.stdin.end();
      const [exitCode] = await closed;
      if (exitCode !== 0) throw new Error(`The ${name} driver ended with ${exitCode}.`);
    },
  };
};
