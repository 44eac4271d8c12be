import { isDependency, packageFolder } from "../../infra/build/project-folder.ts";
import { adminSettingsOf, serviceActions } from "../../lambdas/admin/service-actions.ts";
import { type Action, adminRoute } from "../../lambdas/declaration/action.ts";
import { type Operation, operationsOf } from "../../lambdas/declaration/operations.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import type { Uses } from "../../lambdas/dynamodb/uses.ts";

/** The example of an operation in the form that a client sends. */
export interface ExampleRequest {
  method: string;
  /** With the parameters of the example, percent-encoded, and without the query. */
  path: string;
  query: string;
  form?: Record<string, string>;
}

export interface OperationExample {
  operation: Operation;
  request: ExampleRequest;
}

/** Every operation of a service with its example. */
export const operationExamples = (service: Service): OperationExample[] =>
  operationsOf(service).map((operation) => {
    const { method, example } = operation.endpoint;
    const { parameters = {}, query = {}, form } = example;
    return {
      operation,
      request: {
        method,
        path: fillPath(operation.path, parameters),
        query: new URLSearchParams(query).toString(),
        ...(form && { form: { ...form } }),
      },
    };
  });

/** The examples of a service's own operations. Those of the package are tested there. */
export const ownOperationExamples = (service: Service): OperationExample[] =>
  operationExamples(service).filter(({ operation }) => !isDependency || !operation.file.startsWith(packageFolder));

/** The form of an example as it is sent: that of a workload has a new JWT in place of the example's. */
export const formToSend = async (
  { operation, request: { form } }: OperationExample,
  { workloadJwt }: { workloadJwt: () => Promise<string> },
) => (operation.endpoint.credential === "workload" ? { ...form, subject_token: await workloadJwt() } : form);

/** The path of a request with its query, as in a URL. */
export const targetOf = ({ path, query }: Pick<ExampleRequest, "path" | "query">): string =>
  query === "" ? path : `${path}?${query}`;

type Fields = Record<string, unknown>;

/** The example of an admin action, as an invocation and as an HTTP request. */
export interface ActionExample {
  name: string;
  /** The path of its route, with parameters. */
  path: string;
  /** The schema of its fields. */
  input: Action["input"];
  uses: Uses;
  fields: Fields;
  payload: Fields & { action: string };
  request: { method: string; path: string; query: string; json?: Fields };
}

/** Every admin action of a service with its example. */
export const actionExamples = (service: Service): ActionExample[] =>
  Object.entries(serviceActions(adminSettingsOf(service))).map(([name, { contract, input, uses, example }]) => {
    const fields: Fields = { ...Object(example) };
    const { method, path } = adminRoute(contract);
    const inPath = new Set(parametersOf(path));
    const rest = Object.fromEntries(Object.entries(fields).filter(([field]) => !inPath.has(field)));
    const hasBody = method === "POST" || method === "PUT";
    return {
      name,
      path,
      input,
      uses,
      fields,
      payload: { ...fields, action: name },
      request: {
        method,
        path: fillPath(path, fields),
        query: hasBody ? "" : new URLSearchParams(textsOf(rest)).toString(),
        ...(hasBody && { json: rest }),
      },
    };
  });

const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** A path with values in place of its parameters, percent-encoded. */
export const fillPath = (path: string, values: Readonly<Fields>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

const textsOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
