import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DatabaseAccess } from "cdk-local-runner";
import {
  createRouteTable,
  createTables,
  localAwsEnvironment,
  readApplication,
  runtimeVariables,
} from "cdk-local-runner/parts";

type Handler = (event: unknown, context: object) => Promise<unknown>;

interface Routed {
  functionName: string;
  routeKey: string;
  pathParameters: Readonly<Record<string, string>> | undefined;
}

/** The bundled functions of a synthesised stack, loaded into this process. */
export interface LoadedFunctions {
  /** Calls a function as Lambda does: what goes in and what comes out is JSON. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** The function that API Gateway would call; the path is decoded already. */
  route(method: string, path: string): Routed;
  /** The table that a function knows by a variable of its environment. */
  table(variable: string): string;
}

/** Loads the functions on a database, whose tables are created. They share the environment of this process. */
export const loadFunctions = async (assemblyDirectory: string, access: DatabaseAccess): Promise<LoadedFunctions> => {
  const places = { environment: localAwsEnvironment(), baseUrl: "http://127.0.0.1", loginUrl: "http://127.0.0.1" };
  const { functions, tables, api } = await readApplication(assemblyDirectory, places);
  await createTables(tables, access, access.endpoint);

  const handlers = new Map<string, Handler>();
  for (const definition of functions) {
    Object.assign(process.env, runtimeVariables(definition, access));
    handlers.set(definition.name, await loadHandler(definition.codeDirectory, definition.handler));
  }

  const findRoute = createRouteTable(api?.routes ?? []);
  return {
    async invoke(functionName, event) {
      const handler = handlers.get(functionName);
      if (!handler) throw new Error(`there is no function ${functionName}`);
      return asJson(await handler(asJson(event), contextOf(functionName)));
    },
    route(method, path) {
      const match = findRoute(method, path);
      // The ARN of a function, or of an alias of it.
      const found = functions.find(({ arn }) => match && `${match.target.functionArn}:`.startsWith(`${arn}:`));
      if (!match || !found) throw new Error(`no function answers ${method} ${path}`);
      const { target, pathParameters } = match;
      return { functionName: found.name, routeKey: target.routeKey, pathParameters };
    },
    table(variable) {
      const name = process.env[variable];
      if (!name) throw new Error(`no function knows a table as ${variable}`);
      return name;
    },
  };
};

const loadHandler = async (folder: string, handler: string): Promise<Handler> => {
  const [file = "", name = ""] = handler.split(".");
  const module: Record<string, unknown> = await import(pathToFileURL(join(folder, `${file}.js`)).href);
  const found = module[name];
  if (typeof found !== "function") throw new Error(`${folder} exports no ${name}`);
  return found as Handler;
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

const contextOf = (functionName: string) => ({
  functionName,
  awsRequestId: "00000000-0000-4000-8000-000000000000",
  getRemainingTimeInMillis: () => 10_000,
});
