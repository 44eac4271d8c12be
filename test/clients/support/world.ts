import { spawn } from "node:child_process";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { compileCache } from "../../support/compile-cache.ts";
import { python } from "../../support/programs.ts";
import type { TestService } from "../../support/service.ts";
import { type Call, type ClientOptions, type Command, jsonLine, type KeptOptions, type Outcome } from "./protocol.ts";
import { busy, type Received, scripted } from "./services.ts";
import { type StoredToken, type TokenFile, tokenFile } from "./tokens.ts";

export interface Driver {
  run(command: Command): Promise<Outcome>;
  /** The outcome of a paused call. */
  next(): Promise<Outcome>;
  /** Ends the program. Throws if it failed. */
  close(): Promise<void>;
  /** Kills the program if it is still running, and waits until it is gone. */
  kill(): Promise<void>;
}

const programs = {
  TypeScript: { command: process.execPath, file: "driver.ts", environment: compileCache },
  Python: { command: python.command, file: "driver.py", environment: python.environment },
};

type Language = keyof typeof programs;

export const startDriver = (language: Language): Driver => {
  const { command, file, environment } = programs[language];
  const path = fileURLToPath(new URL(`../drivers/${file}`, import.meta.url));
  const child = spawn(command, [path], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const outcomes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Command;
  const next = async (): Promise<Outcome> => {
    const giveUp = new AbortController();
    const silence = sleep(50_000, { done: undefined, value: "" }, { signal: giveUp.signal });
    const { value, done } = await Promise.race([outcomes.next(), silence]).finally(() => giveUp.abort());
    if (done === undefined)
      throw new Error(`The ${language} driver did not finish ${JSON.stringify(last)} in 50 seconds.`);
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
      if (exitCode !== 0) throw new Error(`The ${language} driver ended with ${exitCode}.`);
    },
  };
};

export type CallClient = (call: Call) => Promise<Outcome>;

/** A token file, and how a client opens it. */
export interface Kept extends Omit<KeptOptions, "file"> {
  /** The responses of a scripted service. Without them, the client calls the running service. */
  responses?: RequestListener[];
  /** What the file says about the token. By default, the token is not due for rotation. */
  stored?: Partial<StoredToken>;
  /** The address to which the service binds the token. */
  ip?: string;
}

interface OpenedKept {
  client: CallClient;
  file: TokenFile;
  token: string;
  requests: Received[];
}

/** The context of a behaviour. */
export interface World {
  service: TestService;
  /** A token of the service for this machine. */
  token: string;
  /** Opens a client, of the service by default. */
  open(options?: Partial<ClientOptions>): Promise<CallClient>;
  /** Opens a client of a service that gives these responses in turn. */
  scripted(
    responses: RequestListener[],
    options?: Partial<ClientOptions>,
  ): Promise<{ client: CallClient; requests: Received[]; baseUrl: string }>;
  /** Opens a client of a service that no call should reach. */
  uncalled(options?: Partial<ClientOptions>): ReturnType<World["scripted"]>;
  /** Opens a client with a token file: a token of the running service, or `itk_1_secret` for a scripted one. */
  kept(given?: Kept): Promise<OpenedKept>;
  /** Starts another program that can be killed, with its own client, of the service by default. */
  start(options?: Partial<ClientOptions>): Promise<{ client: CallClient } & Pick<Driver, "next" | "kill">>;
}

/** The behaviours of every client, by their description. Each throws if a client behaves differently. */
export type Behaviours = Record<string, (world: World) => Promise<void>>;

let opened = 0;

/** The context for a client's behaviours. Its program is already running. */
export const worldOf = (language: Language, running: Driver, service: TestService, token: string): World => {
  const open: World["open"] = async (options) => {
    opened += 1;
    const client = `client ${opened}`;
    const outcome = await running.run({ call: "open", client, base_url: service.baseUrl, token, ...options });
    return outcome.failure ? async () => outcome : (call) => running.run({ ...call, client });
  };
  const openScripted: World["scripted"] = async (responses, options) => {
    const { baseUrl, requests } = await scripted(...responses);
    return { client: await open({ base_url: baseUrl, ...options }), requests, baseUrl };
  };
  return {
    service,
    token,
    open,
    scripted: openScripted,
    uncalled: (options) => openScripted(Array<RequestListener>(100).fill(busy(500)), options),
    async kept({ responses, stored, ip, ...options } = {}) {
      const file = await tokenFile();
      const own = responses ? "itk_1_secret" : await service.issueToken(ip);
      await file.store(own, stored);
      const { client, requests } = responses ? await openScripted(responses) : { client: await open(), requests: [] };
      await client({ call: "open_kept", file: file.path, ...options });
      return { client, file, token: own, requests };
    },
    async start(options) {
      const program = startDriver(language);
      onTestFinished(() => program.kill());
      await program.run({ call: "open", client: "started", base_url: service.baseUrl, token, ...options });
      return { ...program, client: (call) => program.run({ ...call, client: "started" }) };
    },
  };
};
