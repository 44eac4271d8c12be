import type { components } from "./api-types.ts";

/** The codes that the service documents. */
export type ErrorCode = components["schemas"]["Error"]["code"];

/** The messages for each invalid field. */
export type FieldMessages = components["schemas"]["ValidationErrors"];

interface ApiFailureOptions {
  /** `redirected`: the service redirected the client. `unknown`: the response is not from this service. */
  code: ErrorCode | "redirected" | "unknown";
  status: number;
  message: string;
  requestId: string | undefined;
}

/** A response that is not a success. The API documentation explains each `code` and what to do about it. */
export class ApiFailure extends Error {
  readonly code: ApiFailureOptions["code"];
  readonly status: number;
  /** Identifies the request in the service's log. Quote it when you ask for help. */
  readonly requestId: string | undefined;

  constructor({ code, status, message, requestId }: ApiFailureOptions) {
    super(`${status} ${code}: ${message}${requestId === undefined ? "" : ` (request ${requestId})`}`);
    this.name = "ApiFailure";
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

/** A `422`: the input is invalid. Sending it again does not help; `fields` says what to change. */
export class ValidationFailed extends ApiFailure {
  readonly fields: FieldMessages;

  constructor({ fields, requestId }: { fields: FieldMessages; requestId: string | undefined }) {
    const message = Object.values(fields).flat().join(" ");
    super({ code: "validation_failed", status: 422, message, requestId });
    this.name = "ValidationFailed";
    this.fields = fields;
  }
}

/** Returns a successful response. @throws {ApiFailure} for any other response. */
export const requireSuccess = async (response: Response): Promise<Response> => {
  if (response.ok && (response.status === 204 || isJson(response))) return response;
  throw await failureOf(response);
};

const failureOf = async (response: Response): Promise<ApiFailure> => {
  const { status, headers } = response;
  const requestId = headers.get("x-request-id") ?? headers.get("apigw-requestid") ?? undefined;
  const text = await response.text();

  if (status >= 300 && status < 400) {
    const message = `The service redirected to ${headers.get("location")}. Is the base URL right?`;
    return new ApiFailure({ code: "redirected", status, message, requestId });
  }
  const body: unknown = isJson(response) ? JSON.parse(text) : undefined;
  if (status === 422 && isFieldMessages(body)) return new ValidationFailed({ fields: body, requestId });
  if (isError(body)) return new ApiFailure({ ...body, status, requestId });
  const message = `The response is not from this API: ${text.slice(0, 200) || "it is empty"}. Is the base URL right?`;
  return new ApiFailure({ code: "unknown", status, message, requestId });
};

const isJson = ({ headers }: Response): boolean => /^application\/json\b/i.test(headers.get("content-type") ?? "");

const isError = (body: unknown): body is components["schemas"]["Error"] =>
  typeof body === "object" && body !== null && "code" in body && "message" in body;

const isFieldMessages = (body: unknown): body is FieldMessages =>
  typeof body === "object" && body !== null && Object.values(body).every(Array.isArray);
