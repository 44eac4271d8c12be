import type middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Caller } from "../resources/tokens/authenticate.ts";

/** API Gateway's event (payload format 2.0) as it travels down the chain: each middleware adds what it found out. */
export interface ApiEvent extends Omit<APIGatewayProxyEventV2, "body"> {
  /** Text as it came; fields once `form-body` or `json-body` has read it. */
  body?: string | Fields;
  /** Set by `verify-token`. */
  caller?: Caller;
  /** Set by `verify-admin`: the name of the admin who is signed in. */
  actor?: string;
  /**
   * Set by `verify-token` if the request goes on before it, and lengthened by `limit-rate`: sets `caller`, or rejects with the
   * refusal.
   */
  verdict?: Promise<void>;
  /** Set by `record-use` while it writes. */
  recording?: Promise<void>;
  /** Headers of whatever answer comes of the request, an error too: set by `limit-rate`. */
  answerHeaders?: Record<string, string>;
  /** Set by `validate-input`. */
  input?: { parameters: unknown; query: unknown; form: unknown };
}

/** The fields of a form, where one that was sent more than once is an array, or of a JSON object. */
export type Fields = Record<string, unknown>;

export type ApiResponse = APIGatewayProxyStructuredResultV2;

export type Middleware = middy.MiddlewareObj<ApiEvent, ApiResponse, unknown>;

export type Request = middy.Request<ApiEvent, ApiResponse, unknown>;
