import type middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { AnyAnswer, Credential } from "../declaration/endpoint.ts";
import type { Caller, Visitor } from "../resources/tokens/authenticate.ts";

/** API Gateway's event (payload format 2.0) on its way down the chain: each middleware adds what it has found out. */
export interface ApiEvent extends Omit<APIGatewayProxyEventV2, "body"> {
  /** Text as it arrived; fields once `read-body` has read it. */
  body?: string | Fields;
  /** Set by `verify-token`. */
  caller?: Caller;
  /** Set by `verify-token` in place of the caller if the handler verifies it. */
  visitor?: Visitor;
  /** Set by `verify-token` if the endpoint's credential is not a valid token. */
  credential?: Credential;
  /** Set by `verify-admin`: the name of the admin who is signed in. */
  actor?: string;
  /** Set by `read-ahead`, which recognises the caller by it. */
  callerDigest?: string;
  /** Set by `read-ahead` if the endpoint's work has started already. */
  work?: Promise<AnyAnswer> | undefined;
  /** Set by `verify-token` while it records a use. */
  recording?: Promise<void>;
  /** Facts for the log line about a request that succeeds. */
  facts?: Record<string, string>;
  /** Headers that the response gets whatever its outcome: set by `verify-token` and `limit-rate`. */
  responseHeaders?: Record<string, string>;
  /** Set by `validate-input`, or earlier for work that starts ahead. */
  input?: Input;
}

/** The input of a request, as read by the endpoint's schemas. */
export interface Input {
  parameters: unknown;
  query: unknown;
  form: unknown;
  ifMatch: readonly string[] | undefined;
}

/** The fields of a form, with an array for one that was sent more than once, or of a JSON object. */
export type Fields = Record<string, unknown>;

export type ApiResponse = APIGatewayProxyStructuredResultV2;

export type Middleware = middy.MiddlewareObj<ApiEvent, ApiResponse, unknown>;

export type Request = middy.Request<ApiEvent, ApiResponse, unknown>;
