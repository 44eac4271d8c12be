import {
  type ErrorCode,
  type ErrorDeclaration,
  errorCatalogue,
  type OtherErrorCode,
  otherErrors,
} from "./catalogue.ts";

export interface ApiErrorOptions {
  /** Fills the `{name}` placeholders of the catalogue's message. */
  values?: Record<string, string>;
  /** Response headers that depend on the request, such as `Allow`. */
  headers?: Record<string, string>;
  /** Fields for the log line. They are never sent to the client. */
  facts?: Record<string, string>;
  /** Overrides the catalogue's status. */
  status?: number;
  /** The underlying error. It is logged, never sent. */
  cause?: unknown;
}

/** An error that is declared outside the catalogue. */
export interface DeclaredError extends ErrorDeclaration {
  code: string;
}

/**
 * An error of the catalogue or of an application. It can be thrown anywhere below the HTTP layer.
 *
 * `name` is the code, so that Lambda reports the code as the `errorType` of an uncaught error.
 *
 * @example throw new ApiError("wrong_credential", { values: { needed, sent, advice } });
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly facts: Record<string, string>;

  constructor(
    error: ErrorCode | DeclaredError,
    { values = {}, headers = {}, facts = {}, status, cause }: ApiErrorOptions = {},
  ) {
    const declared: DeclaredError = typeof error === "string" ? { code: error, ...errorCatalogue[error] } : error;
    const { code, message, headers: declaredHeaders } = declared;
    super(
      message.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder),
      { cause },
    );
    this.name = code;
    this.code = code;
    this.status = status ?? declared.status;
    this.headers = { ...declaredHeaders, ...headers };
    this.facts = facts;
  }
}

/** Creates an error that no endpoint returns. */
export const otherError = (code: OtherErrorCode, options?: ApiErrorOptions): ApiError =>
  new ApiError({ code, ...otherErrors[code] }, options);

/** The messages for each invalid field. These messages are the whole body of a `422`. */
export type FieldMessages = Record<string, string[]>;

/** Thrown for input that breaks its schema, or a rule that depends on the data, such as a `key_id` that is already taken. */
export class ValidationError extends ApiError {
  readonly fields: FieldMessages;

  constructor(fields: FieldMessages) {
    super("validation_failed", { values: { problems: Object.values(fields).flat().join(" ") } });
    this.fields = fields;
  }
}
