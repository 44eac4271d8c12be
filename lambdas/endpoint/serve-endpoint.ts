import type { Context } from "aws-lambda";
import type { Endpoint } from "../declaration/endpoint.ts";
import { handlerErrors } from "../declaration/errors.ts";
import type { AnyResponse } from "../declaration/responses.ts";
import type { BuiltInTables } from "../domain/built-in-stores.ts";
import { type Additions, createStores, type StoresOptions } from "../domain/create-stores.ts";
import { endpointUses, type tokenCheck } from "../domain/function-uses.ts";
import type { Caller, Visitor } from "../domain/tokens/authenticate.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import { endpointChain } from "../middlewares/chain.ts";
import type { BodyFields } from "../middlewares/read-body.ts";
import type { ApiEvent, ApiResponse, Middleware } from "../middlewares/request.ts";
import type { Input } from "../middlewares/validate-input.ts";
import { type FieldMessages, ValidationError } from "../shared/errors/api-error.ts";
import { ArgumentRefused } from "../shared/errors/argument-refused.ts";
import { RecordRefused } from "../shared/errors/record-refused.ts";
import type { Words } from "../shared/validation/validate.ts";
import type { responseRenderer } from "./render-response.ts";

/** Where and how an endpoint is served. */
interface Place {
  /** The tables that the endpoint and the token check use, except those that the endpoint declares itself. */
  tables: Partial<BuiltInTables>;
  /** Headers that the version adds to each response. */
  headers?: Record<string, string>;
  /** The name of the service. */
  realm: string;
  render: ReturnType<typeof responseRenderer>;
  readBody: (endpoint: Endpoint) => Middleware<BodyFields>;
  words?: Words;
  /** What the stores have only for endpoints that use it. */
  additions?: Additions;
}

/**
 * Returns what is wrong with what the client sent, if a store has rejected that. Returns `undefined` for other errors, and if the
 * handler itself has made a record or an argument invalid.
 */
const sentFields = (endpoint: Endpoint, input: Input, error: unknown): FieldMessages | undefined => {
  if (error instanceof ArgumentRefused) {
    const { parameters, query, form, json } = input;
    return error.fieldsIn({ ...Object(parameters), ...Object(query), ...Object(form), ...Object(json) });
  }
  if (!(error instanceof RecordRefused)) return undefined;
  const { parameters, query, form, json } = endpoint;
  const sent = [parameters, query, form, json].flatMap((schema) => Object.keys(schema?._zod.def.shape ?? {}));
  return Object.keys(error.fields).every((path) => sent.includes(path.split(".")[0] ?? "")) ? error.fields : undefined;
};

/**
 * Returns the endpoint's own handler with its stores. It throws only errors that the endpoint declares, and a `422` for a record
 * that its schema rejects because of what the client sent.
 */
export const workOf = (endpoint: Endpoint, stores: object) => {
  const errors = handlerErrors(endpoint);
  return async (input: Input, caller?: Caller | Visitor): Promise<AnyResponse> => {
    try {
      return await endpoint.handler({ ...input, caller }, stores, errors.constructors);
    } catch (error) {
      const sent = sentFields(endpoint, input, error);
      throw sent ? new ValidationError(sent) : errors.check(error);
    }
  };
};

/** Creates the Lambda handler of an endpoint: the chain, around the endpoint's own handler with its stores and its errors. */
export const serveEndpoint = (
  endpoint: Endpoint,
  { tables, headers = {}, realm, render, readBody, words, additions }: Place,
  storesOptions?: StoresOptions,
) => {
  const stores = createStores<BuiltInTables, typeof tokenCheck>(
    endpointUses(endpoint) as typeof tokenCheck,
    { ...endpoint.application?.tables, ...tables },
    { ...storesOptions, ...additions },
  );
  const work = workOf(endpoint, stores);
  const chain = endpointChain(endpoint, { headers, realm, stores, work, render, readBody, words });
  return withinInvocation<ApiEvent, Context, ApiResponse>(chain);
};
