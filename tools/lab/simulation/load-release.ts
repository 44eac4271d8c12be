import { readFile } from "node:fs/promises";
import https from "node:https";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { type Handler, operations, type Service } from "./service.ts";

const require = createRequire(import.meta.url);

/** These functions send requests that the simulated network does not have, so they are always those of the present version. */
const ofPresent: readonly string[] = ["notices", "exchangeToken"];

/** Loads the deployed bundles of a release, whose requests to the database go through the simulated network. */
export const loadRelease = async (folder: string, present: Service): Promise<Service> => {
  const url = "http://127.0.0.1";
  const places = { environment: localAwsEnvironment(), baseUrl: url, loginUrl: url };
  const { functions } = await readApplication(folder, places);
  const bundles = await Promise.all(
    functions.map(async ({ name, codeDirectory }) => {
      const code = await readFile(join(codeDirectory, "index.js"), "utf8");
      return [name, compileFunction(code, ["exports", "require", "module"])] as const;
    }),
  );
  const bundleOf = new Map<string | undefined, (typeof bundles)[number][1]>(bundles);
  const functionNames = new Map(operations.map(({ operationId, functionName }) => [operationId, functionName]));

  return {
    createFunctions(connection) {
      const handlers = new Map<string, Handler>();
      const requireHere = (name: string): unknown =>
        name === "node:https" ? { ...https, request: connection.begin } : require(name);
      const create = (name: string): Handler => {
        const evaluate = bundleOf.get(functionNames.get(name) ?? name);
        if (!evaluate || ofPresent.includes(name)) return present.createFunctions(connection)(name);
        const module: { exports: { handler?: Handler } } = { exports: {} };
        evaluate(module.exports, requireHere, module);
        if (!module.exports.handler) throw new Error(`The function ${name} of the release has no handler.`);
        return module.exports.handler;
      };
      return (name) => {
        const handler = handlers.get(name) ?? create(name);
        handlers.set(name, handler);
        return handler;
      };
    },
  };
};
