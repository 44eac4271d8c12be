import type { paths } from "./api-types.ts";

/*
 * The inputs and results of calls, derived from the types of the API description. An unknown path, parameter or field does not
 * compile.
 */

export type Method = "get" | "post" | "put" | "delete";

/** The paths that have an operation with this method. */
export type PathsWith<M extends Method> = Exclude<
  { [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never }[keyof paths],
  OwnTokenPath<M>
>;

/** Paths of calls that the client makes through `rotate`, `move` and `revoke`, so that it uses the new token afterwards. */
type OwnTokenPath<M extends Method> = M extends "get" ? never : `/api/${string}/token${string}`;

type Operation<Path extends keyof paths, M extends Method> =
  paths[Path] extends Record<M, infer Declared> ? Declared : never;

/** The body of a successful response, or `undefined` if it has none. */
export type Data<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends { responses: infer Responses }
    ? Body<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
    : never;

type Body<Success> = Success extends { content: { "application/json": infer Json } } ? Json : undefined;

export interface CallOptions {
  /** Additional headers, such as `traceparent`. */
  headers?: Headers | Record<string, string>;
  /** Cancels the call, for example `AbortSignal.timeout(10_000)`. */
  signal?: AbortSignal | undefined;
}

interface Form<Fields> {
  content: { "application/x-www-form-urlencoded": Fields };
}

type BodyOption<Declared> = Declared extends { requestBody: Form<infer Fields> }
  ? { body: Fields }
  : Declared extends { requestBody?: infer Optional }
    ? NonNullable<Optional> extends Form<infer Fields>
      ? { body?: Fields }
      : { body?: never }
    : { body?: never };

type ParamsOption<Declared> = Declared extends { parameters: infer Parameters }
  ? OptionalIfEmpty<Pick<Parameters, keyof Parameters & ("path" | "query")>>
  : { params?: never };

type OptionalIfEmpty<Params> = Partial<Params> extends Params ? { params?: Params } : { params: Params };

/** The option that makes a call conditional, where the API supports it. */
type UnchangedOption<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends {
    responses: { 412: unknown };
  }
    ? {
        /** An object that this client has read. If it has changed since then, the call rejects with `PreconditionFailed`. */
        ifUnchanged?: Data<Path, "get">;
      }
    : { ifUnchanged?: never };

type Options<Path extends keyof paths, M extends Method> = CallOptions &
  ParamsOption<Operation<Path, M>> &
  BodyOption<Operation<Path, M>> &
  UnchangedOption<Path, M>;

/** The options of a call. They can be omitted if nothing is required. */
export type Init<Path extends keyof paths, M extends Method> =
  Partial<Options<Path, M>> extends Options<Path, M> ? [options?: Options<Path, M>] : [options: Options<Path, M>];

/** Makes a call. Paths are written as in the API documentation. */
export type Call<M extends Method> = <Path extends PathsWith<M>>(
  path: Path,
  ...init: Init<Path, M>
) => Promise<Data<Path, M>>;

/** The paths whose `GET` returns a list. */
export type ListPath = {
  [Path in PathsWith<"get">]: Data<Path, "get"> extends unknown[] ? Path : never;
}[PathsWith<"get">];
