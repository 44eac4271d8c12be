import {
  ApiError,
  type ApiErrorOptions,
  type DeclaredError,
  type FieldMessages,
  ValidationError,
} from "../shared/errors/api-error.ts";
import { type ErrorCode, type ErrorDeclaration, type ErrorGuide, errorCatalogue } from "../shared/errors/catalogue.ts";

/** An application's errors by code, with their documentation. */
export type Errors = Readonly<Record<string, ErrorDeclaration & Omit<ErrorGuide, "scope">>>;

/** A constructor for each error that a handler declares. */
export type ErrorConstructors<Code extends string, V> = {
  [Name in Code]: (options?: ApiErrorOptions) => ApiError;
} & { [Name in keyof V]: () => ValidationError };

interface DeclaredErrors {
  errors?: readonly string[];
  validationErrors?: Readonly<Record<string, FieldMessages>>;
  application?: { readonly errors: Errors } | undefined;
}

/**
 * Returns constructors for a handler's errors, and a check of the errors that it throws. A handler may throw the errors that it
 * declares, and `unavailable`, which any store can throw.
 */
export const handlerErrors = ({ errors = [], validationErrors = {}, application }: DeclaredErrors) => {
  const codes = new Set<string>([...errors, "unavailable"]);
  const bodies = new Set(Object.values(validationErrors));
  const isDeclared = (error: ApiError) =>
    error instanceof ValidationError ? bodies.has(error.fields) : codes.has(error.code);

  const constructors: Readonly<Record<string, (options?: ApiErrorOptions) => ApiError>> = {
    ...Object.fromEntries(
      errors.map((code) => [
        code,
        (options?: ApiErrorOptions) => new ApiError(declaredError(code, application?.errors), options),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(validationErrors).map(([name, fields]) => [name, () => new ValidationError(fields)]),
    ),
  };
  return {
    constructors,
    /** Returns the error itself if the handler may throw it; otherwise an `internal_error` with the error as its cause. */
    check: (error: unknown): ApiError =>
      error instanceof ApiError && isDeclared(error) ? error : new ApiError("internal_error", { cause: error }),
  };
};

/** Returns the endpoint's declared `404`, if it has one. It is the response for path parameters that cannot be valid. */
export const notFoundErrorOf = ({ errors = [], application }: DeclaredErrors): DeclaredError | undefined =>
  errors.map((code) => declaredError(code, application?.errors)).find(({ status }) => status === 404);

/** Looks up an error by its code, in the application's errors and in the catalogue. */
const declaredError = (code: string, application: Errors = {}): DeclaredError => ({
  code,
  ...(application[code] ?? errorCatalogue[code as ErrorCode]),
});
