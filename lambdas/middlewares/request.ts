import type middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { AnyResponse, Credential } from "../declaration/endpoint.ts";
import type { Caller, Visitor } from "../domain/tokens/authenticate.ts";

/** API Gateway's event (payload format 2.0). Each middleware adds what it has found out. */
export interface ApiEvent extends Omit<APIGatewayProxyEventV2, "body"> {
  /** A string as it arrived; fields once `read-body` has read it. */
  body?: string | Fields;
  /** Set by `verify-token`. */
  caller?: Caller;
  /** Set by `verify-token` instead of the caller if the handler verifies the caller. */
  visitor?: Visitor;
  /** Set by `verify-token` if the endpoint's credential is not a valid token. */
  credential?: Credential;
  /** Set by `verify-admin`: the name of the admin who is signed in. */
  actor?: string;
  /** Set by `read-ahead` to recognise the caller. */
  callerDigest?: string;
  /** Set by `read-ahead` if the endpoint's work has already started. */
  work?: Promise<AnyResponse> | undefined;
  /** Set by `verify-token` while it records a use. */
  recording?: Promise<void>;
  /** Fields for the log line of a request that succeeds. */
  facts?: Record<string, string>;
  /** Headers to add to the response, whatever its outcome. Set by `verify-token` and `limit-rate`. */
  responseHeaders?: Record<string, string>;
  /** Set by `validate-input`, or earlier if the work starts ahead. */
  input?: Input;
}

/** A request's input, as the endpoint's schemas read it. */
export interface Input {
  parameters: unknown;
  query: unknown;
  form: unknown;
  ifMatch: readonly string[] | undefined;
}

/** The fields of a JSON object, or of a form. A form field that was sent more than once is an array. */
export type Fields = Record<string, unknown>;

export type ApiResponse = APIGatewayProxyStructuredResultV2;

export type Middleware = middy.MiddlewareObj<ApiEvent, ApiResponse, unknown>;

export type Request = middy.Request<ApiEvent, ApiResponse, unknown>;
