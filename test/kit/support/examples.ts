import { join } from "node:path";
import { adminSettingsOf, serviceActions } from "../../../lambdas/admin/service-actions.ts";
import { type Action, adminRoute } from "../../../lambdas/declaration/action.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { jsonBodyOf } from "../../../lambdas/declaration/json-body.ts";
import { type Operation, operationsOf } from "../../../lambdas/declaration/operations.ts";
import { requestExampleOf } from "../../../lambdas/declaration/request-example.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import type { Uses } from "../../../lambdas/dynamodb/uses.ts";
import { packageFolder } from "../../../lambdas/shared/project-folder.ts";

/** The example of an operation in the form that a client sends. */
export interface ExampleRequest {
  method: string;
  /** The path with the example's percent-encoded parameters, without the query. */
  path: string;
  query: string;
  form?: Record<string, string>;
  json?: object;
  /** The media type of the JSON. Default: `application/json`. */
  mediaType?: string;
}

export interface OperationExample {
  operation: Operation;
  request: ExampleRequest;
}

/** Returns every operation of a service with its example. */
export const operationExamples = (service: Service): OperationExample[] =>
  operationsOf(service).map((operation) => {
    const endpoint = withClient(operation.endpoint, service);
    const { method } = endpoint;
    const { parameters, query, form, json } = requestExampleOf(endpoint);
    return {
      operation: { ...operation, endpoint },
      request: {
        method,
        path: fillPath(operation.path, parameters),
        query: new URLSearchParams(query).toString(),
        ...(form && { form }),
        ...(json && { json, mediaType: jsonBodyOf(operation.endpoint).mediaTypes[0] }),
      },
    };
  });

/** Names the client of the example's token. */
export const withClient = (endpoint: Endpoint, { exampleClient: client }: Pick<Service, "exampleClient">): Endpoint =>
  client === undefined ? endpoint : { ...endpoint, example: { client, ...endpoint.example } };

/** Returns the examples of the operations that an application adds. The package itself tests its built-in operations. */
export const ownOperationExamples = (service: Service): OperationExample[] => {
  const all = operationExamples(service);
  const own = all.filter(({ operation }) => !operation.file.startsWith(builtIn));
  return own.length > 0 ? own : all;
};

const builtIn = join(packageFolder, "lambdas/v1/");

/** Returns the form of an example to send. For a workload, it contains a new JWT instead of the example's. */
export const formToSend = async (
  { operation, request: { form } }: OperationExample,
  { workloadJwt }: { workloadJwt: () => Promise<string> },
) => (operation.endpoint.credential === "workload" ? { ...form, subject_token: await workloadJwt() } : form);

/** Encodes the body of a request: a form or JSON, or a string that takes the place of one. */
export const encodeBody = ({ form, json, mediaType = "application/json" }: UnencodedBody): EncodedBody | undefined => {
  if (form !== undefined) {
    const text = typeof form === "string" ? form : new URLSearchParams(form).toString();
    return { mediaType: "application/x-www-form-urlencoded", text };
  }
  return json === undefined ? undefined : { mediaType, text: typeof json === "string" ? json : JSON.stringify(json) };
};

interface UnencodedBody {
  form?: Record<string, string> | string | undefined;
  json?: object | string | undefined;
  mediaType?: string | undefined;
}

interface EncodedBody {
  mediaType: string;
  text: string;
}

/** Returns the path of a request with its query, as in a URL. */
export const targetOf = ({ path, query }: Pick<ExampleRequest, "path" | "query">): string =>
  query === "" ? path : `${path}?${query}`;

type Fields = Record<string, unknown>;

/** The example of an admin action, as an invocation and as an HTTP request. */
export interface ActionExample {
  name: string;
  /** The path of the action's route, with parameters. */
  path: string;
  /** The schema of the action's fields. */
  input: Action["input"];
  uses: Uses;
  fields: Fields;
  payload: Fields & { action: string };
  request: { method: string; path: string; query: string; json?: Fields };
}

/** Returns every admin action of a service with its example. */
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

/** Fills in the parameters of a path with percent-encoded values. */
export const fillPath = (path: string, values: Readonly<Fields>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

const textsOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
