import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import type { Endpoint } from "../declaration/endpoint.ts";
import type { AnyResponse } from "../declaration/responses.ts";
import type { LimitStore } from "../domain/limits/limits-table.ts";
import type { Caller, Visitor } from "../domain/tokens/authenticate.ts";
import type { TokenStore } from "../domain/tokens/token-store.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import type { Words } from "../shared/validation/validate.ts";
import { acceptJson } from "./accept-json.ts";
import { addHeaders } from "./add-headers.ts";
import { compressBody } from "./compress-body.ts";
import { format422 } from "./format-422.ts";
import { formatErrors } from "./format-errors.ts";
import { limitRate } from "./limit-rate.ts";
import { logRequest } from "./log-request.ts";
import { readAhead } from "./read-ahead.ts";
import type { BodyFields } from "./read-body.ts";
import type { ApiEvent, ApiResponse, Middleware } from "./request.ts";
import { type Input, inputReader, validateInput } from "./validate-input.ts";
import { announceExpiry, recordUse, verifyToken } from "./verify-token.ts";

/*
 * A request passes the middlewares from top to bottom. On the way back, middy calls them from bottom to top, so an error is first
 * logged, then formatted, then turned into a response by middy's error handler. Finally the response gets the common headers.
 */

interface ApiChainOptions {
  /** Headers to add to those that every response has. */
  headers?: Readonly<Record<string, string>>;
  /** Returns whether clients must accept JSON on this path. Default: on every path. */
  asksForJson?: (path: string) => boolean;
}

/**
 * The beginning of every chain for HTTP requests.
 *
 * @example apiChain({ asksForJson: () => false }).use(notFoundPage()).handler<ApiEvent>(async (event) => …)
 */
export const apiChain = ({ headers = {}, asksForJson = () => true }: ApiChainOptions = {}) =>
  middy<ApiEvent, ApiResponse, unknown>(beforeTimeout)
    .use(addHeaders({ headers }))
    .use(compressBody())
    .use(httpErrorHandler({ logger: false }))
    .use(format422())
    .use(formatErrors())
    .use(logRequest())
    .use(acceptJson({ appliesTo: asksForJson }));

interface EndpointChainOptions {
  headers: Readonly<Record<string, string>>;
  /** The name of the service. */
  realm: string;
  stores: { tokens: Pick<TokenStore, "find" | "recordUse">; limits: LimitStore };
  /** Calls the endpoint's handler. A read that starts before the token lookup has finished does not know its caller. */
  work: (input: Input, caller?: Caller | Visitor) => Promise<AnyResponse>;
  render: (response: AnyResponse, event: ApiEvent) => ApiResponse;
  /** Creates the middleware that reads the body, which is a form or JSON. */
  readBody: (endpoint: Endpoint) => Middleware<BodyFields>;
  /** Describes what is wrong with a field of the input. */
  words?: Words | undefined;
}

/**
 * The chain of an endpoint. Its order is part of the API: there is no lookup for a client that does not accept JSON, nothing is
 * revealed to an unverified caller, and only valid input reaches the handler.
 */
export const endpointChain = (
  endpoint: Endpoint,
  { headers, realm, stores: { tokens, limits }, work, render, readBody, words }: EndpointChainOptions,
) => {
  const { credential = "token", readsAhead, form, json } = endpoint;
  const declaration = { ...endpoint, words };
  const readInput = inputReader(declaration);
  return apiChain({ headers })
    .use(when(readsAhead, () => readAhead({ start: (event) => work(readInput(event)) })))
    .use(verifyToken({ tokens, credential, realm }))
    .use(when(credential === "token", () => announceExpiry()))
    .use(when(credential !== "workload", () => limitRate({ limits, credential })))
    .use(when(credential === "token", () => recordUse({ tokens })))
    .use(when(form ?? json, () => readBody(endpoint)))
    .use(validateInput(declaration))
    .handler<ApiEvent>(async (event) => {
      const response = await (event.work ?? work(event.input, event.caller));
      Object.assign(event.logFields, response.facts);
      return render(response, event);
    });
};

/** Returns the middlewares for `use`: one or none. */
const when = <M>(condition: unknown, create: () => M): M[] => (condition ? [create()] : []);

/**
 * When a function reaches its timeout, Lambda ends it without a response to the client and without a line in our log. So 500 ms
 * before that, middy abandons the handler at the end of the chain, which leaves time for both. It abandons only that handler:
 * middlewares that wait, such as the token lookup, are not interrupted. They end by themselves, because DynamoDB calls end a second
 * before the timeout (see `withinInvocation`), and fetching the user pool's keys ends after two seconds.
 */
const beforeTimeout = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    throw new ApiError("unavailable", {
      cause: new Error("The handler had not finished before the function's time-out."),
    });
  },
};
