import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { storeNames } from "../../../../lambdas/domain/built-in-stores.ts";
import { tableVariable } from "../../../../lambdas/dynamodb/uses.ts";
import { exampleAddress } from "../../../../lambdas/shared/addresses.ts";
import { baseUrlVariable } from "../../../../lambdas/shared/environment.ts";
import { recordTables } from "../records/tables.ts";
import type { Random } from "./random.ts";

/** Everything that a process can observe besides its requests: its clock, its timers, its source of randomness and its log. */
export interface VirtualProcess {
  /** Unix milliseconds. */
  now(): number;
  startTimer(milliseconds: number, run: () => void): VirtualTimer;
  random: Random;
  log(text: string): void;
}

export interface VirtualTimer {
  stop(): void;
}

const processes = new AsyncLocalStorage<VirtualProcess>();

/** Runs code in a virtual process. The code and everything that it starts, such as timers, see only that process. */
export const runIn = <Result>(virtual: VirtualProcess, run: () => Result): Result => processes.run(virtual, run);

/** Returns the process that the current code runs in. */
export const currentProcess = (): VirtualProcess | undefined => processes.getStore();

const RealDate = Date;
const { subtle } = globalThis.crypto;
const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  random: Math.random,
  randomBytes: crypto.randomBytes,
  randomInt: crypto.randomInt,
  randomUUID: crypto.randomUUID,
  verify: subtle.verify.bind(subtle),
  getRandomValues: globalThis.crypto.getRandomValues.bind(globalThis.crypto),
};

class VirtualDate extends RealDate {
  constructor(...parts: ConstructorParameters<typeof Date> | []) {
    if (parts.length === 0) super(VirtualDate.now());
    else super(...parts);
  }

  static override now(): number {
    return processes.getStore()?.now() ?? RealDate.now();
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof RealDate;
  }
}

/** A timer as the callers of `setTimeout` see it. */
class Timeout {
  readonly #start: () => VirtualTimer;
  #timer: VirtualTimer;

  constructor(start: () => VirtualTimer) {
    this.#start = start;
    this.#timer = start();
  }

  stop(): void {
    this.#timer.stop();
  }

  refresh(): this {
    this.#timer.stop();
    this.#timer = this.#start();
    return this;
  }
}

const setVirtualTimeout = (
  callback: (...values: unknown[]) => void,
  milliseconds = 0,
  ...values: unknown[]
): Timeout | NodeJS.Timeout => {
  const virtual = processes.getStore();
  if (!virtual) return real.setTimeout(callback, milliseconds, ...values);
  return new Timeout(() => virtual.startTimer(milliseconds, () => processes.run(virtual, () => callback(...values))));
};

const clearVirtualTimeout = (timeout: Timeout | NodeJS.Timeout | undefined): void => {
  if (timeout instanceof Timeout) timeout.stop();
  else real.clearTimeout(timeout);
};

const uuidOf = (bytes: Buffer): string => {
  const digits = bytes.toString("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`;
};
const randomUuid = (): string => {
  const virtual = processes.getStore();
  return virtual ? uuidOf(virtual.random.bytes(16)) : real.randomUUID();
};
const fillRandomly = (array: Uint8Array): Uint8Array => {
  const virtual = processes.getStore();
  if (!virtual) return real.getRandomValues(array);
  array.set(virtual.random.bytes(array.length));
  return array;
};

/** Verifies Ed25519 signatures synchronously, because verification in another thread takes an unpredictable time. */
const verifyAtOnce = async (...[algorithm, key, signature, data]: Parameters<typeof subtle.verify>) =>
  processes.getStore() && data instanceof Uint8Array && signature instanceof Uint8Array
    ? crypto.verify(null, data, crypto.KeyObject.from(key), signature)
    : real.verify(algorithm, key, signature, data);

/** The environment variables of the functions. */
const variables = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "simulated",
  AWS_SECRET_ACCESS_KEY: "simulated",
  AWS_ENDPOINT_URL_DYNAMODB: "https://dynamodb.invalid",
  [baseUrlVariable]: exampleAddress,
  ...Object.fromEntries([...storeNames, ...Object.keys(recordTables)].map((name) => [tableVariable(name), name])),
};

const replacements = (): [target: object, name: string, value: unknown][] => {
  const { stdout } = process;
  const writeOut = stdout.write.bind(stdout);
  return [
    [globalThis, "Date", VirtualDate],
    [globalThis, "setTimeout", setVirtualTimeout],
    [globalThis, "clearTimeout", clearVirtualTimeout],
    [timers, "setTimeout", setVirtualTimeout],
    [timers, "clearTimeout", clearVirtualTimeout],
    [Math, "random", () => processes.getStore()?.random.next() ?? real.random()],
    [crypto, "randomBytes", (size: number) => processes.getStore()?.random.bytes(size) ?? real.randomBytes(size)],
    [crypto, "randomInt", (limit: number) => processes.getStore()?.random.below(limit) ?? real.randomInt(limit)],
    [crypto, "randomUUID", randomUuid],
    [globalThis.crypto, "randomUUID", randomUuid],
    [subtle, "verify", verifyAtOnce],
    [globalThis.crypto, "getRandomValues", fillRandomly],
    [
      stdout,
      "write",
      (text: string, ...rest: []) => {
        const virtual = processes.getStore();
        if (!virtual) return writeOut(text, ...rest);
        virtual.log(text);
        return true;
      },
    ],
    ...Object.entries(variables).map(([name, value]): [object, string, string] => [process.env, name, value]),
  ];
};

/**
 * Gives each virtual process its own clock, timers, randomness and log for the duration of `work`. Code outside virtual processes
 * is not affected.
 */
export const withVirtualGlobals = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const restore = replacements().map(([target, name, value]) => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
    return () => {
      if (before) Object.defineProperty(target, name, before);
      else Reflect.deleteProperty(target, name);
    };
  });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
};
