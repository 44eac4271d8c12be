import type { ErrorCode } from "./api-types.ts";

/** The messages for each invalid field. A field inside JSON is named by its path, such as `lines.0.quantity`. */
export interface FieldMessages {
  [field: string]: string[];
}

interface ApiFailureOptions {
  /**
   * `redirected` means that the service redirected the client. `unknown` means that the response did not come from this service.
   * `not_confirmed` means that no admin confirmed a request in time.
   */
  code: ErrorCode | "redirected" | "unknown" | "not_confirmed";
  status: number;
  message: string;
  requestId: string | undefined;
}

/** An unsuccessful response. The API documentation explains each `code` and what to do about it. */
export class ApiFailure extends Error {
  override readonly name: string = "ApiFailure";
  readonly code: ApiFailureOptions["code"];
  /** The status of the response. It is 0 for a redirect in a browser, because browsers don't reveal its status. */
  readonly status: number;
  /** Identifies the request in the service's log. Include it when you ask for help. */
  readonly requestId: string | undefined;

  constructor({ code, status, message, requestId }: ApiFailureOptions) {
    super(`${status} ${code}: ${message}${requestId === undefined ? "" : ` (request ${requestId})`}`);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

/** A `422`: the input is invalid. A retry doesn't help; `fields` says what to change. */
export class ValidationFailed extends ApiFailure {
  override readonly name = "ValidationFailed";
  readonly fields: FieldMessages;

  constructor({ fields, requestId }: { fields: FieldMessages; requestId: string | undefined }) {
    const message = Object.values(fields).flat().join(" ");
    super({ code: "validation_failed", status: 422, message, requestId });
    this.fields = fields;
  }
}

/** The cursor can't be continued. Begin again without one, and remove from your copy what you don't get again. */
export class CursorExpired extends ApiFailure {
  override readonly name = "CursorExpired";
}

/** A `412`: the object passed as `ifUnchanged` has changed since it was read. This call changed nothing. */
export class PreconditionFailed extends ApiFailure {
  override readonly name = "PreconditionFailed";
}

/** @throws {ApiFailure} unless the response is successful */
export const requireSuccess = async (response: Response): Promise<void> => {
  if (response.ok) return;
  const { status, headers } = response;
  if (response.type === "opaqueredirect" || isRedirect(status)) {
    const message = `The service redirected to ${headers.get("location") ?? "another address"}. Is the base URL right?`;
    throw new ApiFailure({ code: "redirected", status, message, requestId: requestIdOf(response) });
  }
  const text = await response.text();
  const body = parseBody(response, text);
  const requestId = requestIdOf(response);
  if (status === 422 && isFieldMessages(body)) throw new ValidationFailed({ fields: body, requestId });
  if (!isError(body)) throw unknownResponse(response, text);
  if (body.code === "cursor_expired") throw new CursorExpired({ ...body, status, requestId });
  const Failure = status === 412 ? PreconditionFailed : ApiFailure;
  throw new Failure({ ...body, status, requestId });
};

/** Returns the error code of a response that rejects the token. */
export const refusalIn = async (response: Response): Promise<ApiFailure["code"] | undefined> => {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const failure: unknown = await requireSuccess(response.clone()).catch((error: unknown) => error);
  return failure instanceof ApiFailure ? failure.code : undefined;
};

/** Parses the body of a response. @throws {ApiFailure} if it is not JSON */
export const parseBody = (response: Response, text: string): unknown => {
  if (!/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) throw unknownResponse(response, text);
  try {
    return JSON.parse(text);
  } catch {
    // The body and the syntax error, which quotes it, may contain secrets. Neither may end up in a log.
    throw unknownResponse(response, "its JSON is malformed");
  }
};

export const unknownResponse = (response: Response, text: string): ApiFailure => {
  const shown = text.replaceAll(secret, "$1…").slice(0, 200);
  const message = `The response is not from this API: ${shown || "it is empty"}. Is the base URL right?`;
  return new ApiFailure({ code: "unknown", status: response.status, message, requestId: requestIdOf(response) });
};

/** Matches a token, an invitation or a JWT. A proxy's error page may repeat the one from the request. */
const secret = /(\bit[ki]_|eyJ)[\w.-]+/g;

export const requestIdOf = ({ headers }: Response): string | undefined =>
  headers.get("x-request-id") ?? headers.get("apigw-requestid") ?? undefined;

const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;

const isError = (body: unknown): body is { code: ErrorCode; message: string } =>
  typeof body === "object" && body !== null && "code" in body && "message" in body;

const isFieldMessages = (body: unknown): body is FieldMessages =>
  typeof body === "object" && body !== null && Object.values(body).every(Array.isArray);
