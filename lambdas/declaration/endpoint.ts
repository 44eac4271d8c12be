import type * as z from "zod/mini";
import type { FieldMessages } from "../errors/api-error.ts";
import type { ErrorCode } from "../errors/catalogue.ts";
import type { Caller } from "../resources/tokens/authenticate.ts";
import type { StoresFor, Uses } from "./stores.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

type Schema = z.core.$ZodType;
type ObjectSchema = z.core.$ZodObject;

/** One success response of an endpoint. The errors need none: the catalogue describes them. */
export interface ResponseDeclaration {
  description: string;
  /** The schema of the JSON body; absent where there is none. */
  body?: Schema;
  /** The answer carries a `Location` header: the path of the resource, below the version. */
  location?: true;
  /** The answer carries a `Link` header to the next page while there is one. */
  paged?: true;
}

export type Responses = { readonly [Status in number]: ResponseDeclaration };

type Output<S> = S extends Schema ? z.core.output<S> : undefined;

/**
 * A read that begins while the caller's token is still being looked up. Only what a stranger's refused call cannot make
 * costly: a single `item`, or a `page` whose `limit` is at most `largestPageAhead`; a larger page waits.
 */
export type ReadAhead = "item" | "page";

export const largestPageAhead = 100;

/**
 * What a handler receives: only input that its schemas let through, and a caller whose token was verified. One that reads
 * ahead is not told the caller, who is not known yet.
 */
export type HandlerInput<Parameters, Query, Form, Ahead> = {
  parameters: Output<Parameters>;
  query: Output<Query>;
  form: Output<Form>;
} & (Ahead extends ReadAhead ? unknown : { caller: Caller });

/** What a handler answers: one of the declared responses, with the body that its schema describes. */
export type Answer<R extends Responses> = {
  [Status in keyof R & number]: { status: Status } & (R[Status] extends { body: infer Body extends Schema }
    ? { body: z.core.output<Body> }
    : unknown) &
    (R[Status] extends { location: true } ? { location: `/${string}` } : unknown) &
    (R[Status] extends { paged: true } ? { next: string | undefined } : unknown);
}[keyof R & number];

/**
 * An endpoint, whole: everything that the service, its template and its documentation say of it derives from here.
 *
 * The route, the Lambda function, its IAM rights (from `uses`), the validation and the description of the API are not
 * written anywhere else.
 */
export interface EndpointDeclaration<
  Parameters extends ObjectSchema | undefined,
  Query extends ObjectSchema | undefined,
  Form extends ObjectSchema | undefined,
  R extends Responses,
  U extends Uses,
  Ahead extends ReadAhead | undefined,
> {
  method: Ahead extends ReadAhead ? "GET" : Method;
  /** Below the version, as OpenAPI writes it: `/key/{key_id}`. */
  path: `/${string}`;
  /** A few words: the title of the endpoint in the documentation. */
  summary: string;
  /** What the endpoint is for and what can go wrong. Markdown. */
  description: string;
  /** The operations of the stores that the handler uses: its IAM rights, and the only ones that its types let it call. */
  uses: U;
  /**
   * The handler begins beside the token look-up, so that the call costs one round trip to the database instead of two. What
   * comes of it is seen by nobody, the log included, unless the token is good. For a handler that only reads.
   */
  readsAhead?: Ahead;
  /** The schema of the parameters in `path`. What it refuses cannot exist, so the answer is `absent`, not a `422`. */
  parameters?: Parameters;
  /** The error for a path that names nothing. */
  absent?: ErrorCode;
  /** The schema of the query string. Unknown parameters are ignored. */
  query?: Query;
  /** The schema of the form-encoded body. Unknown fields are ignored. */
  form?: Form;
  responses: R;
  /** The `422` bodies that the handler itself gives, for what only the data can tell. */
  conflicts?: Readonly<Record<string, FieldMessages>>;
  handler(input: HandlerInput<Parameters, Query, Form, Ahead>, stores: StoresFor<U>): Promise<Answer<NoInfer<R>>>;
}

/** An endpoint as the rest of the code sees it, whatever its schemas are. */
export interface Endpoint {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly uses: Uses;
  readonly readsAhead?: ReadAhead | undefined;
  readonly parameters?: ObjectSchema;
  readonly absent?: ErrorCode;
  readonly query?: ObjectSchema;
  readonly form?: ObjectSchema;
  readonly responses: Responses;
  readonly conflicts?: Readonly<Record<string, FieldMessages>>;
  /** Takes what the declared schemas let through, and stores that hold at least the operations in `uses`. */
  handler(input: unknown, stores: unknown): Promise<AnyAnswer>;
}

export interface AnyAnswer {
  status: number;
  body?: unknown;
  location?: string;
  next?: string | undefined;
}

/**
 * Declares an endpoint. Types alone: it gives the handler its input and its stores, and holds it to its responses.
 *
 * @example
 * export const getKey = endpoint({
 *   method: "GET",
 *   path: "/key/{key_id}",
 *   summary: "Read a key",
 *   description: "Answers the key with this `key_id`.",
 *   uses: { keys: ["get"] },
 *   readsAhead: "item",
 *   parameters: z.object({ key_id: keyId }),
 *   absent: "key_not_found",
 *   responses: { 200: { description: "The key.", body: key } },
 *   async handler({ parameters }, { keys }) {
 *     const found = await keys.get(parameters.key_id);
 *     if (!found) throw new ApiError("key_not_found");
 *     return { status: 200, body: found };
 *   },
 * });
 */
export const endpoint = <
  const R extends Responses,
  const U extends Uses,
  Parameters extends ObjectSchema | undefined = undefined,
  Query extends ObjectSchema | undefined = undefined,
  Form extends ObjectSchema | undefined = undefined,
  const Ahead extends ReadAhead | undefined = undefined,
>(
  declaration: EndpointDeclaration<Parameters, Query, Form, R, U, Ahead>,
): Endpoint => declaration as Endpoint;
