import {
  ApiError,
  type ApiErrorOptions,
  type DeclaredError,
  type FieldMessages,
  ValidationError,
} from "../errors/api-error.ts";
import { type ErrorCode, type ErrorDeclaration, type ErrorGuide, errorCatalogue } from "../errors/catalogue.ts";

/** The errors of an application by code, with their documentation. */
export type Errors = Readonly<Record<string, Omit<ErrorDeclaration, "scope"> & ErrorGuide>>;

/** A constructor for each error that a handler declares, and for no other. */
export type ErrorConstructors<Code extends string, V> = {
  [Name in Code]: (options?: ApiErrorOptions) => ApiError;
} & { [Name in keyof V]: () => ValidationError };

interface DeclaredErrors {
  errors?: readonly string[];
  validationErrors?: Readonly<Record<string, FieldMessages>>;
  own?: { readonly errors: Errors } | undefined;
}

/**
 * Constructors for the errors of a handler, and a check of the errors that it throws. It may raise those that it declares, and
 * `unavailable`, which any store can raise.
 */
export const handlerErrors = ({ errors = [], validationErrors = {}, own }: DeclaredErrors) => {
  const codes = new Set<string>([...errors, "unavailable"]);
  const bodies = new Set(Object.values(validationErrors));
  const isDeclared = (error: ApiError) =>
    error instanceof ValidationError ? bodies.has(error.fields) : codes.has(error.code);

  const constructors: Readonly<Record<string, (options?: ApiErrorOptions) => ApiError>> = {
    ...Object.fromEntries(
      errors.map((code) => [
        code,
        (options?: ApiErrorOptions) => new ApiError(declaredError(code, own?.errors), options),
      ]),
    ),
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
export const notFoundErrorOf = ({ errors = [], own }: DeclaredErrors): DeclaredError | undefined =>
  errors.map((code) => declaredError(code, own?.errors)).find(({ status }) => status === 404);

/** An error by its code: one of the application's own, or of the catalogue. */
const declaredError = (code: string, own: Errors = {}): DeclaredError => ({
  code,
  ...(own[code] ?? errorCatalogue[code as ErrorCode]),
});
