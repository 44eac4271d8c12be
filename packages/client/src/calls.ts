import type { paths } from "./api-types.ts";

/*
 * The inputs and results of calls, derived from the types of the API description. An unknown path, parameter or field does not
 * compile.
 */

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An operation in the types of the API description. */
interface Operation {
  options: object;
  data: unknown;
}

/** The paths that have an operation with this method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, Operation> ? Path : never;
}[keyof paths];

type OperationOf<Path extends keyof paths, M extends Method> =
  paths[Path] extends Record<M, infer Declared extends Operation> ? Declared : never;

/** What a successful call returns: the body of the response, the address of a redirect, or `undefined` if there is neither. */
export type Data<Path extends keyof paths, M extends Method> = OperationOf<Path, M>["data"];

/** What the service sent besides the body. */
export interface ResponseHead {
  status: number;
  headers: Headers;
}

export interface CallOptions {
  /** Additional headers, such as `traceparent`. */
  headers?: Headers | Record<string, string>;
  /** Cancels the call, for example `AbortSignal.timeout(10_000)`. */
  signal?: AbortSignal | undefined;
  /** Receives the status and the headers of a successful response. */
  onResponse?: (head: ResponseHead) => void;
}

/**
 * The options of a call: the parameters and the body that the API declares. With `ifUnchanged`, an object that this client has read
 * or written, the call rejects with `PreconditionFailed` if the object has changed since then.
 */
type Options<Path extends keyof paths, M extends Method> = CallOptions & OperationOf<Path, M>["options"];

/** The options of a call. They can be omitted if nothing is required. */
export type Init<Path extends keyof paths, M extends Method> =
  Partial<Options<Path, M>> extends Options<Path, M> ? [options?: Options<Path, M>] : [options: Options<Path, M>];

/** Makes a call. Paths are written as in the API documentation. */
export type Call<M extends Method> = <Path extends PathsWith<M>>(
  path: Path,
  ...init: Init<Path, M>
) => Promise<Data<Path, M>>;

/** The paths whose `GET` returns a list in pages. */
export type ListPath = {
  [Path in PathsWith<"GET">]: OperationOf<Path, "GET"> extends { paged: true } ? Path : never;
}[PathsWith<"GET">];
