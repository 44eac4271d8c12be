import { ApiError, type ApiErrorOptions, type FieldMessages, ValidationError } from "../errors/api-error.ts";
import { type ErrorCode, errorCatalogue } from "../errors/catalogue.ts";

/** A constructor for each error that a handler declares, and for no other. */
export type ErrorConstructors<Code extends ErrorCode, V> = {
  [Name in Code]: (options?: ApiErrorOptions) => ApiError;
} & { [Name in keyof V]: () => ValidationError };

interface DeclaredErrors {
  errors?: readonly ErrorCode[];
  validationErrors?: Readonly<Record<string, FieldMessages>>;
}

/**
 * Constructors for the errors of a handler, and a check of the errors that it throws. It may raise those that it declares, and
 * `unavailable`, which any store can raise.
 */
export const handlerErrors = ({ errors = [], validationErrors = {} }: DeclaredErrors) => {
  const codes = new Set<ErrorCode>([...errors, "unavailable"]);
  const bodies = new Set(Object.values(validationErrors));
  const isDeclared = (error: ApiError) =>
    error instanceof ValidationError ? bodies.has(error.fields) : codes.has(error.code);

  const constructors: Readonly<Record<string, (options?: ApiErrorOptions) => ApiError>> = {
    ...Object.fromEntries(errors.map((code) => [code, (options?: ApiErrorOptions) => new ApiError(code, options)])),
    ...Object.fromEntries(
      Object.entries(validationErrors).map(([name, fields]) => [name, () => new ValidationError(fields)]),
    ),
  };
  return {
    constructors,
    /** The error itself if the handler may raise it; otherwise an `internal_error` with it as the cause. */
    check: (error: unknown): ApiError =>
      error instanceof ApiError && isDeclared(error) ? error : new ApiError("internal_error", { cause: error }),
  };
};

/** The declared `404` of an endpoint, if it has one: the response to a path that cannot name anything. */
export const notFoundErrorOf = ({ errors = [] }: Pick<DeclaredErrors, "errors">): ErrorCode | undefined =>
  errors.find((code) => errorCatalogue[code].status === 404);
