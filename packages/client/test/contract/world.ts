import { spawn } from "node:child_process";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { compileCache } from "../../../../test/support/compile-cache.ts";
import { python } from "../../../../test/support/programs.ts";
import { type Call, type ClientOptions, type Command, jsonLine, type KeptOptions, type Outcome } from "./protocol.ts";
import { busy, type Received, scripted } from "./services.ts";
import { type StoredToken, type TokenFile, tokenFile } from "./stored-token.ts";

export interface Driver {
  run(command: Command): Promise<Outcome>;
  /** The outcome of a paused call. */
  next(): Promise<Outcome>;
  /** Ends the program. Throws if it failed. */
  close(): Promise<void>;
  /** Kills the program if it is still running, and waits until it is gone. */
  kill(): Promise<void>;
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** The driver of each client, and the command of its package. */
const programs = {
  TypeScript: {
    command: process.execPath,
    driver: pathOf("driver.ts"),
    cli: [pathOf("../../command.mjs")],
    environment: compileCache,
  },
  Python: {
    command: python.command,
    driver: `${python.folder}test/driver.py`,
    cli: ["-m", "integration_api_client"],
    environment: python.environment,
  },
};

export type Language = keyof typeof programs;

export const startDriver = (language: Language): Driver => {
  const { command, driver, environment: env } = programs[language];
  const child = spawn(command, [driver], { env, stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const outcomes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Command;
  const next = async (): Promise<Outcome> => {
    // A call that never ends fails its test within a minute, and is named.
    const timer = setTimeout(() => child.kill("SIGKILL"), 50_000);
    const { value, done } = await outcomes.next().finally(() => clearTimeout(timer));
    if (done) throw new Error(`The ${language} driver ended at ${JSON.stringify(last)}.`);
    return JSON.parse(value);
  };
  return {
    run: (command) => {
      last = command;
      child.stdin.write(jsonLine(command));
      return next();
    },
    next,
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
    close: async () => {
      child.stdin.end();
      const [exitCode] = await closed;
      if (exitCode !== 0) throw new Error(`The ${language} driver exited with ${exitCode}.`);
    },
  };
};

/** Runs the command of a client's package until it ends. */
export const runCommand = async (language: Language, words: string[], { input = "", variables = {} } = {}) => {
  const { command, cli, environment } = programs[language];
  const env = { ...environment, ...variables };
  const child = spawn(command, [...cli, ...words], { env, timeout: 50_000, stdio: "pipe" });
  child.stdin.end(input);
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, errors, exitCode };
};

export type CallClient = (call: Call) => Promise<Outcome>;

/** A token file with the token `itk_1_secret`, and how a client opens it. */
interface Kept extends Omit<KeptOptions, "file"> {
  /** The responses of the service. */
  responses: RequestListener[];
  /** What the file says about the token. By default, the token is not due for rotation. */
  stored?: Partial<StoredToken>;
}

interface Scripted {
  client: CallClient;
  requests: Received[];
  baseUrl: string;
}

/** The context of a behaviour. */
export interface World {
  open(options: Pick<ClientOptions, "base_url"> & Partial<ClientOptions>): Promise<CallClient>;
  /** Opens a client of a service that returns these responses in turn. */
  scripted(responses: RequestListener[], options?: Partial<ClientOptions>): Promise<Scripted>;
  /** Opens a client of a service that no call should reach. */
  uncalled(options?: Partial<ClientOptions>): Promise<Scripted>;
  /** Opens a client with a token file. */
  kept(given: Kept): Promise<Scripted & { file: TokenFile }>;
  /** Starts another program that can be killed, with its own client. */
  start(options: Parameters<World["open"]>[0]): Promise<{ client: CallClient } & Pick<Driver, "next" | "kill">>;
  /** Runs the command of the package. */
  command(words: string[], given?: Parameters<typeof runCommand>[2]): ReturnType<typeof runCommand>;
}

/** The behaviours of every client, by their description. Each throws if a client behaves differently. */
export type Behaviours = Record<string, (world: World) => Promise<void>>;

let opened = 0;

/** The context for a client's behaviours. Its program is already running. */
export const worldOf = (language: Language, running: Driver): World => {
  const openIn = async ({ run }: Driver, options: Parameters<World["open"]>[0]): Promise<CallClient> => {
    opened += 1;
    const client = `client ${opened}`;
    const outcome = await run({ call: "open", client, token: "itk_1_secret", ...options });
    return outcome.failure ? async () => outcome : (call) => run({ ...call, client });
  };
  const openScripted: World["scripted"] = async (responses, options) => {
    const { baseUrl, requests } = await scripted(...responses);
    return { client: await openIn(running, { base_url: baseUrl, ...options }), requests, baseUrl };
  };
  return {
    open: (options) => openIn(running, options),
    scripted: openScripted,
    uncalled: (options) => openScripted(Array<RequestListener>(100).fill(busy(500)), options),
    async kept({ responses, stored, ...options }) {
      const file = await tokenFile();
      await file.store("itk_1_secret", stored);
      const opened = await openScripted(responses);
      await opened.client({ call: "open_kept", file: file.path, ...options });
      return { ...opened, file };
    },
    async start(options) {
      const program = startDriver(language);
      onTestFinished(() => program.kill());
      return { ...program, client: await openIn(program, options) };
    },
    command: (words, given) => runCommand(language, words, given),
  };
};
