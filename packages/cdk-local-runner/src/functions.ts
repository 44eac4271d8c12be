import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FunctionDefinition } from "./assembly/functions.ts";
import {
  type FunctionSetup,
  type LocalAddresses,
  newLogStream,
  runtimeVariables,
} from "./lambda/execution-environment.ts";
import { createFunctionPool, type FunctionPool } from "./lambda/function-pool.ts";
import { runtimeFailure } from "./lambda/outcome.ts";
import type { LocalServiceOptions } from "./local-service.ts";
import type { LogFeed } from "./logs/log-feed.ts";
import type { DatabaseAccess } from "./support/aws-environment.ts";
import { LocalError, messageOf } from "./support/local-error.ts";

interface FunctionsOptions {
  access: DatabaseAccess;
  addresses: LocalAddresses;
  feed: LogFeed;
  clock: SharedArrayBuffer;
  /** Receives the functions' output, in whole lines. */
  log: (text: string) => void;
  sourceMapOf: (functionName: string) => string | undefined;
  makeCode: LocalServiceOptions["makeCode"];
}

/** The functions of the current application. */
interface RunningFunctions {
  byName: ReadonlyMap<string, FunctionPool>;
  /** Returns a function's pool. Throws a `LocalError` if there is no such function. */
  named: (name: string) => FunctionPool;
  /** Replaces the running functions with these. Unchanged functions keep their threads. */
  run: (definitions: FunctionDefinition[]) => void;
  replaceCode: (name: string, codeDirectory: string) => void;
  close: () => Promise<void>;
}

export const createFunctions = (options: FunctionsOptions): RunningFunctions => {
  const { access, addresses, feed, clock, log, sourceMapOf, makeCode } = options;
  const byName = new Map<string, FunctionPool>();
  const retired: FunctionPool[] = [];
  /** The functions whose code is being built or doesn't come from the assembly. */
  const made = new Map<string, Promise<void>>();

  const setupOf = (definition: FunctionDefinition): FunctionSetup => {
    const { name, logGroup } = definition;
    const logStream = newLogStream();
    const variables = runtimeVariables(definition, access, addresses, logStream);
    const show = prefixLines(`[${name}] `, log);
    const take = feed.takerOf({ logGroup, logStream });
    const onLog = (text: string) => {
      show(text);
      take(text);
    };
    return { definition, variables, sourceMapOf, clock, onLog };
  };

  const named = (name: string): FunctionPool => {
    const pool = byName.get(name);
    if (pool) return pool;
    throw new LocalError(`There is no function ${name}. The functions are: ${[...byName.keys()].join(", ")}.`);
  };

  const replaceCode = (name: string, directory: string): void => {
    const pool = named(name);
    const codeDirectory = resolve(directory);
    if (!existsSync(codeDirectory)) throw new LocalError(`There is no code for function ${name} in ${codeDirectory}.`);
    made.set(name, Promise.resolve());
    pool.replace(setupOf({ ...pool.definition, codeDirectory }));
  };

  const makeOnce = (name: string, assemblyCode: string): Promise<void> => {
    const making = Promise.resolve(makeCode?.(name, assemblyCode)).then((directory) => {
      // Unless a reload or newer code came in the meantime.
      if (directory !== undefined && made.get(name) === making) replaceCode(name, directory);
    });
    made.set(name, making);
    return making;
  };

  const createPool = (definition: FunctionDefinition): FunctionPool => {
    const pool = createFunctionPool(setupOf(definition));
    if (makeCode === undefined) return pool;
    const { name } = definition;
    const { invoke } = pool;
    pool.invoke = async (payload) => {
      try {
        await (made.get(name) ?? makeOnce(name, pool.definition.codeDirectory));
      } catch (error) {
        made.delete(name);
        const failure = runtimeFailure("Runtime.ImportModuleError", messageOf(error));
        return { requestId: randomUUID(), payload: failure, failed: true, log: "", durationMilliseconds: 0 };
      }
      return invoke(payload);
    };
    return pool;
  };

  return {
    byName,
    named,
    replaceCode,
    run(definitions) {
      for (const definition of definitions) {
        const pool = byName.get(definition.name);
        if (pool === undefined) byName.set(definition.name, createPool(definition));
        else if (!isDeepStrictEqual(pool.definition, definition)) {
          made.delete(definition.name);
          pool.replace(setupOf(definition));
        }
      }
      const names = new Set(definitions.map(({ name }) => name));
      for (const [name, pool] of byName) {
        if (names.has(name)) continue;
        byName.delete(name);
        pool.retire();
        retired.push(pool);
      }
    },
    async close() {
      await Promise.all([...byName.values(), ...retired].map((pool) => pool.close()));
    },
  };
};

/**
 * Returns a function that writes text with a prefix before every line. An incomplete line is kept until the rest arrives.
 *
 * @example prefixLines("[admin] ", write)("one\ntwo\n") // write("[admin] one\n[admin] two\n")
 */
const prefixLines = (prefix: string, write: (text: string) => void): ((text: string) => void) => {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) write(lines.map((line) => `${prefix}${line}\n`).join(""));
  };
};
