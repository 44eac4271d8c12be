import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DatabaseAccess } from "cdk-local-runner";
import {
  createRouteTable,
  createTables,
  type LocalAddresses,
  localAwsEnvironment,
  readApplication,
  runtimeVariables,
} from "cdk-local-runner/parts";
import { tableVariable } from "../../../lambdas/dynamodb/uses.ts";
import { userPoolVariables } from "../../../lambdas/middlewares/verify-admin.ts";
import { exampleAddress } from "../../../lambdas/shared/addresses.ts";

type Handler = (event: unknown, context: object) => Promise<unknown>;

interface Routed {
  functionName: string;
  routeKey: string;
  pathParameters: Record<string, string> | undefined;
}

/** The outcome of an invocation, and its log. */
export interface Invocation {
  outcome: { answer: unknown } | { error: unknown };
  log: string;
}

/** The bundled functions of a synthesised stack, loaded into this process. */
export interface LoadedFunctions {
  /** Calls a function as Lambda does, with JSON as its input and output, and with its own timeout unless another is given. */
  invoke(functionName: string, event: unknown, timeoutMilliseconds?: number): Promise<Invocation>;
  /** Returns the function that API Gateway would call. The path must already be decoded. */
  route(method: string, path: string): Routed;
  /** Returns the name of a store's table. */
  tableOf(store: string): string;
  /** The user pool client with which admins sign in. */
  clientId: string;
}

/**
 * Loads the functions for a database and creates its tables. Each function is loaded when it is first called. Every call of
 * `loadFunctions` loads the functions again, so two sets of functions share only the process.
 */
export const loadFunctions = async (
  assemblyDirectory: string,
  access: DatabaseAccess,
  { loginUrl = "http://127.0.0.1", ...addresses }: LocalAddresses & { loginUrl?: string } = {},
): Promise<LoadedFunctions> => {
  const places = { environment: localAwsEnvironment(), baseUrl: exampleAddress, loginUrl };
  const { functions, tables, api } = await readApplication(assemblyDirectory, places);
  await createTables(tables, access, access.endpoint);

  const definitions = new Map(functions.map((definition) => [definition.name, definition]));
  const handlers = new Map<string, Handler>();
  const handlerOf = (definition: (typeof functions)[number]): Handler => {
    const { name, codeDirectory, handler } = definition;
    const loaded = handlers.get(name);
    if (loaded) return loaded;
    // A function reads its environment while it is being loaded.
    Object.assign(process.env, runtimeVariables(definition, access, addresses));
    const fresh = loadHandler(codeDirectory, handler);
    handlers.set(name, fresh);
    return fresh;
  };

  const findRoute = createRouteTable(api?.routes ?? []);
  return {
    async invoke(functionName, event, timeoutMilliseconds) {
      const definition = definitions.get(functionName);
      if (!definition) throw new Error(`There is no function ${functionName}.`);
      const handler = handlerOf(definition);
      const milliseconds = timeoutMilliseconds ?? definition.timeoutSeconds * 1000;
      const context = contextOf(functionName, Date.now() + milliseconds);
      return withLog(async () => asJson(await withTimeout(handler(asJson(event), context), milliseconds)));
    },
    route(method, path) {
      const match = findRoute(method, path);
      // The ARN of a function, or of an alias of the function.
      const found = functions.find(({ arn }) => match && `${match.target.functionArn}:`.startsWith(`${arn}:`));
      if (!match || !found) throw new Error(`No function answers ${method} ${path}.`);
      const { target, pathParameters } = match;
      return { functionName: found.name, routeKey: target.routeKey, pathParameters };
    },
    tableOf(store) {
      const variable = tableVariable(store);
      const name = functions.find(({ environment }) => environment[variable])?.environment[variable];
      if (!name) throw new Error(`No function uses the table of the store ${store}.`);
      return name;
    },
    clientId: functions.find(({ name }) => name === "admin-http")?.environment[userPoolVariables.clientId] ?? "",
  };
};

const require = createRequire(import.meta.url);

const loadHandler = (folder: string, handler: string): Handler => {
  const [file = "", name = ""] = handler.split(".");
  const path = join(folder, `${file}.js`);
  delete require.cache[path];
  const found: unknown = require(path)[name];
  if (typeof found !== "function") throw new Error(`${path} exports no ${name}.`);
  return found as Handler;
};

const logs = new AsyncLocalStorage<{ text: string }>();
let isRedirected = false;

/** Runs a function's handler and collects its log instead of printing it. */
const withLog = async (run: () => Promise<unknown>): Promise<Invocation> => {
  redirectOutput();
  const log = { text: "" };
  const outcome = await logs.run(log, run).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  return { outcome, log: log.text };
};

const redirectOutput = (): void => {
  if (isRedirected) return;
  isRedirected = true;
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array, ...rest: []) => {
    const log = logs.getStore();
    if (!log) return write(chunk, ...rest);
    log.text += String(chunk);
    return true;
  };
};

/** Ends an invocation as Lambda does. */
const withTimeout = async <Output>(work: Promise<Output>, milliseconds: number): Promise<Output> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("Task timed out")), milliseconds);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

const contextOf = (functionName: string, deadline: number) => ({
  functionName,
  awsRequestId: "00000000-0000-4000-8000-000000000000",
  getRemainingTimeInMillis: () => deadline - Date.now(),
});
