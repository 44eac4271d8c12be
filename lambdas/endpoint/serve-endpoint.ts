import type { Context } from "aws-lambda";
import type { AnyResponse, Endpoint } from "../declaration/endpoint.ts";
import { handlerErrors } from "../declaration/errors.ts";
import type { BuiltInTables } from "../domain/built-in-stores.ts";
import { createStores, type StoresOptions } from "../domain/create-stores.ts";
import { endpointUses, type tokenCheck } from "../domain/function-uses.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import { apiChain } from "../middlewares/chain.ts";
import { limitRate } from "../middlewares/limit-rate.ts";
import { readAhead } from "../middlewares/read-ahead.ts";
import { formBody } from "../middlewares/read-body.ts";
import type { ApiEvent, ApiResponse, Input } from "../middlewares/request.ts";
import { inputReader, validateInput } from "../middlewares/validate-input.ts";
import { announceExpiry, recordUse, verifyToken } from "../middlewares/verify-token.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { responseRenderer } from "./render-response.ts";

/** Where and how an endpoint is served. */
interface Place {
  version: string;
  /** The tables that the endpoint and the token check use, except those that the endpoint declares itself. */
  tables: Partial<BuiltInTables>;
  /** Headers that the version adds to each response. */
  headers?: Record<string, string>;
}

/**
 * Creates the Lambda handler of an endpoint, with the middleware that every endpoint has.
 *
 * The order is part of the API: there is no lookup for a client that does not accept JSON, nothing is revealed to an unverified
 * caller, and only valid input reaches the handler.
 */
export const serveEndpoint = (
  endpoint: Endpoint,
  { version, tables, headers = {} }: Place,
  storesOptions?: StoresOptions,
) => {
  const stores = createStores<BuiltInTables, typeof tokenCheck>(
    endpointUses(endpoint) as typeof tokenCheck,
    { ...endpoint.application?.tables, ...tables },
    storesOptions,
  );
  const errors = handlerErrors(endpoint);
  const render = responseRenderer(endpoint, version);

  const work = async (
    input: Input | undefined,
    { caller, visitor }: Pick<ApiEvent, "caller" | "visitor"> = {},
  ): Promise<AnyResponse> => {
    try {
      return await endpoint.handler({ ...input, caller: caller ?? visitor }, stores, errors.constructors);
    } catch (error) {
      throw errors.check(error);
    }
  };

  const chain = apiChain({ headers })
    .use(endpoint.readsAhead ? readAhead({ start: workAhead(endpoint, work) }) : [])
    .use(verifyToken({ ...stores, credential: endpoint.credential }))
    .use(endpoint.credential === undefined ? announceExpiry() : [])
    .use(endpoint.credential === "workload" ? [] : limitRate(stores))
    .use(endpoint.credential === undefined ? recordUse(stores) : [])
    .use(endpoint.form ? formBody() : [])
    .use(validateInput(endpoint))
    .handler(async (event) => {
      const response = await (event.work ?? work(event.input, event));
      if (response.facts) event.facts = response.facts;
      return render(response, event);
    });
  return withinInvocation<ApiEvent, Context, ApiResponse>(chain);
};

/** Starts the work on valid input. Problems with invalid input are only reported to verified callers. */
const workAhead = (endpoint: Endpoint, work: (input: Input) => Promise<AnyResponse>) => {
  const read = inputReader(endpoint);
  return (event: ApiEvent): Promise<AnyResponse> | undefined => {
    try {
      event.input = read(event);
      return work(event.input);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
};
