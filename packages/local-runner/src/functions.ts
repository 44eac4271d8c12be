import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FunctionDefinition } from "./assembly/functions.ts";
import { createFunctionPool, type FunctionPool } from "./lambda/function-pool.ts";
import type { FunctionSetup } from "./lambda/function-setup.ts";
import { type DatabaseAccess, runtimeVariables } from "./lambda/function-setup.ts";
import type { LogFeed } from "./logs/log-feed.ts";
import { LocalError } from "./support/local-error.ts";

interface FunctionsOptions {
  access: DatabaseAccess;
  /** The address that takes messages and events. */
  messagesUrl: string;
  feed: LogFeed;
  clock: SharedArrayBuffer;
  /** Takes what the functions write, in whole lines. */
  log: (text: string) => void;
  sourceMapOf: (functionName: string) => string | undefined;
}

/** The functions of the current application. */
interface RunningFunctions {
  byName: ReadonlyMap<string, FunctionPool>;
  /** Throws a `LocalError` if there is no function of this name. */
  named: (name: string) => FunctionPool;
  /** Runs these functions and no others from now on. A function that has not changed keeps its threads. */
  run: (definitions: FunctionDefinition[]) => void;
  replaceCode: (name: string, codeDirectory: string) => void;
  close: () => Promise<void>;
}

export const createFunctions = ({
  access,
  messagesUrl,
  feed,
  clock,
  log,
  sourceMapOf,
}: FunctionsOptions): RunningFunctions => {
  const byName = new Map<string, FunctionPool>();
  const retired: FunctionPool[] = [];

  const setupOf = (definition: FunctionDefinition): FunctionSetup => {
    const { name, logGroup } = definition;
    const variables = runtimeVariables(definition, access, messagesUrl);
    const show = prefixLines(`[${name}] `, log);
    const take = feed.takerOf({ logGroup, logStream: variables.AWS_LAMBDA_LOG_STREAM_NAME });
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

  return {
    byName,
    named,
    run(definitions) {
      for (const definition of definitions) {
        const pool = byName.get(definition.name);
        if (pool === undefined) byName.set(definition.name, createFunctionPool(setupOf(definition)));
        else if (!isDeepStrictEqual(pool.definition, definition)) pool.replace(setupOf(definition));
      }
      const names = new Set(definitions.map(({ name }) => name));
      for (const [name, pool] of byName) {
        if (names.has(name)) continue;
        byName.delete(name);
        pool.retire();
        retired.push(pool);
      }
    },
    replaceCode(name, directory) {
      const pool = named(name);
      const codeDirectory = resolve(directory);
      if (!existsSync(codeDirectory))
        throw new LocalError(`There is no code for function ${name} in ${codeDirectory}.`);
      pool.replace(setupOf({ ...pool.definition, codeDirectory }));
    },
    async close() {
      await Promise.all([...byName.values(), ...retired].map((pool) => pool.close()));
    },
  };
};

/**
 * Returns a function that writes texts with a prefix before every line. An incomplete line is kept until its rest comes.
 *
 * @example prefixLines("[admin] ", write)("one\ntwo\n") // write("[admin] one\n[admin] two\n")
 */
export const prefixLines = (prefix: string, write: (text: string) => void): ((text: string) => void) => {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) write(lines.map((line) => `${prefix}${line}\n`).join(""));
  };
};
