import type * as z from "zod/mini";
import type { BuiltInTables } from "../domain/built-in-stores.ts";
import type { Caller, Holder, Visitor } from "../domain/tokens/authenticate.ts";
import type { Transaction } from "../dynamodb/transaction-types.ts";
import type { StoresFor, Tables, Uses, UsesOf } from "../dynamodb/uses.ts";
import type { FieldMessages } from "../shared/errors/api-error.ts";
import type { EndpointErrorCode } from "../shared/errors/catalogue.ts";
import type { ErrorConstructors, Errors } from "./errors.ts";
import type { Mistake, Mistakes, OnlyMembers } from "./response-mistakes.ts";
import type { AnyResponse, EndpointResponse, Responses } from "./responses.ts";

type MethodWithBody = "POST" | "PUT" | "PATCH";
export type Method = "GET" | "DELETE" | MethodWithBody;

/** Schemas may be written with `zod/mini` or with `zod`. */
type Schema = z.core.$ZodType;
export type ObjectSchema = z.core.$ZodObject;

/** The `422` bodies that a handler can throw, by name. They are for rules that depend on stored data. */
export type ValidationErrors = Readonly<Record<string, FieldMessages>>;

/**
 * What `X-Token` must contain:
 * - `token`: a valid token, sent from its own address;
 * - `secret`: the secret of a token in any state, from any address; the handler decides what to allow;
 * - `invitation`: the secret of an invitation in any state, from any address;
 * - `workload`: nothing; the handler verifies the caller by the form.
 */
export type Credential = "token" | "secret" | "invitation" | "workload";

type CallerWith<C extends Credential> = C extends "token" ? Caller : C extends "workload" ? Visitor : Holder;

type Output<S> = S extends Schema ? z.output<S> : undefined;

/** Schemas of settings or secrets, by name. Each is a string, an enum, a whole number or a boolean. */
export type ValueSchemas = Readonly<Record<string, Schema>>;

/** What a handler gets for the settings and secrets that its endpoint declares. */
export type Values<Settings, Secrets> = OutputsAs<"settings", Settings> & OutputsAs<"secrets", Secrets>;

type OutputsAs<Name extends string, S> = [S] extends [ValueSchemas]
  ? { [N in Name]: { [One in keyof S]: Output<S[One]> } }
  : unknown;

/** The arguments of a handler: validated input, and the caller, unless the endpoint reads ahead. */
export type HandlerInput<Parameters, Query, Form, Json, Ahead, C extends Credential> = {
  parameters: Output<Parameters>;
  query: Output<Query>;
  form: Output<Form>;
  json: Output<Json>;
  /**
   * The versions that `If-Match` accepts, or the absence that `If-None-Match: *` requires; `undefined` if the request has no such
   * condition. Only for endpoints that declare the error `precondition_failed`.
   */
  ifMatch: readonly string[] | undefined;
} & (Ahead extends true ? unknown : { caller: CallerWith<C> });

/** A request's input as a client sends it. Parts that are left out are derived from the examples in their schemas. */
export type SentInput<Parameters, Query, Form, Json> = Part<"parameters", Parameters> &
  Part<"query", Query> &
  Part<"form", Form> &
  Part<"json", Json>;

type Part<Name extends string, S> = [S] extends [Schema] ? { [N in Name]?: z.input<S> } : unknown;

type MethodFor<Form, Json, Ahead> = Ahead extends true
  ? "GET"
  : [Form, Json] extends [undefined, undefined]
    ? Method
    : MethodWithBody;

type OneBody<Form, Json> = [Form, Json] extends [Schema, Schema]
  ? { json: Mistake<"An endpoint takes a form or JSON, but not both."> }
  : unknown;

/**
 * A complete endpoint. Its route, Lambda function, IAM permissions, validation and documentation are all derived from this
 * declaration, and so are the tests that cover all endpoints.
 */
export interface EndpointDeclaration<
  T extends Tables,
  Parameters extends ObjectSchema | undefined,
  Query extends ObjectSchema | undefined,
  Form extends ObjectSchema | undefined,
  Json extends ObjectSchema | undefined,
  R extends Responses,
  U extends UsesOf<T>,
  Code extends string,
  V extends ValidationErrors,
  Ahead extends boolean,
  C extends Credential,
  Result,
  Together extends boolean,
  Settings extends ValueSchemas | undefined,
  Secrets extends ValueSchemas | undefined,
> {
  method: MethodFor<Form, Json, Ahead>;
  /** The path below the version, in OpenAPI's notation: `/key/{key_id}`. */
  path: `/${string}`;
  /** The title of the endpoint in the documentation, in a few words. */
  summary: string;
  /** The description of the endpoint, including its pitfalls. Markdown. */
  description: string;
  /** The caller's credential. Default: a valid token, sent from its own address. */
  credential?: C;
  /** The store operations that the handler uses. They determine its IAM permissions, and its types allow no other operations. */
  uses: U;
  /** Gives the handler `transaction`, which makes several of the changes in `uses` atomically: see `Transaction`. */
  transaction?: Together;
  /**
   * Lets the handler start before the token lookup finishes, if the caller's token was verified before: see
   * `middlewares/read-ahead.ts`. Only for a handler that reads and does not need to know its caller.
   */
  readsAhead?: Ahead;
  /**
   * The schema of the parameters in `path`. If the schema rejects a path, the response is the `404` that the endpoint declares, or
   * a `422` if it declares none.
   */
  parameters?: Parameters;
  /** The schema of the query string. Unknown parameters are ignored. */
  query?: Query;
  /** The schema of the form-encoded body. Unknown fields are ignored. */
  form?: Form;
  /**
   * The schema of the JSON body. Unknown members are ignored, at every level. A PATCH takes a merge patch (RFC 7396), whose schema
   * `patchOf` returns.
   */
  json?: Json;
  /**
   * The settings that the handler gets: environment variables of its function, whose values are among the options of the stage.
   * Each string needs an example. Endpoints that share a setting use the same schema object.
   */
  settings?: Settings;
  /**
   * The secrets that the handler gets, declared like settings. Their values are parameters of AWS Systems Manager, which are read
   * when they are first used, and again after five minutes.
   */
  secrets?: Secrets;
  /** Maximum size of the JSON body. Default: 256 KiB. Maximum: 4 MiB. */
  jsonBytes?: number;
  /**
   * Lets clients repeat a POST whose response was lost. Use it only if the handler makes one change for two equal requests, and
   * responds to both alike. GET, PUT and PATCH are sent again anyway.
   */
  repeatable?: boolean;
  /** The errors that the handler can throw, besides those that every endpoint has. Any other error becomes a `500`. */
  errors?: readonly Code[];
  /** The validation errors that the handler can throw. */
  validationErrors?: V;
  responses: R;
  /**
   * A request that succeeds. It may refer to records in the tables' examples. Only needed where the examples in the schemas are not
   * enough.
   */
  example?: SentInput<Parameters, Query, Form, Json> & {
    /** The address that the request comes from, if it differs from the token's own. */
    from?: string;
    /** The client that the request's token belongs to. Default: the `exampleClient` of the service. */
    client?: string;
  };
  handler(
    input: HandlerInput<Parameters, Query, Form, Json, Ahead, C> & Values<Settings, Secrets>,
    stores: StoresFor<T, U> & (Together extends true ? { transaction: Transaction<T, U> } : unknown),
    errors: ErrorConstructors<Code, V>,
  ): Promise<Result & EndpointResponse<NoInfer<R>>>;
}

/** An endpoint with any schemas. */
export interface Endpoint {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly credential?: Credential;
  readonly uses: Uses;
  readonly transaction?: boolean;
  /** The tables and errors of the application that declares it. */
  readonly application?: ApplicationDeclarations;
  readonly readsAhead?: boolean;
  readonly parameters?: ObjectSchema;
  readonly query?: ObjectSchema;
  readonly form?: ObjectSchema;
  readonly json?: ObjectSchema;
  readonly settings?: ValueSchemas;
  readonly secrets?: ValueSchemas;
  readonly jsonBytes?: number;
  readonly repeatable?: boolean;
  readonly errors?: readonly string[];
  readonly validationErrors?: ValidationErrors;
  readonly responses: Responses;
  readonly example?: {
    readonly parameters?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly form?: Readonly<Record<string, string>>;
    readonly json?: unknown;
    readonly from?: string;
    readonly client?: string;
  };
  /** Takes input that the declared schemas accept, and stores that have at least the operations in `uses`. */
  handler(input: unknown, stores: unknown, errors: unknown): Promise<AnyResponse>;
}

/** An endpoint whose input, responses and stores are known to the compiler, for tests that call its handler. */
export interface TypedEndpoint<Parameters, Query, Form, Json, R extends Responses, Store extends string, V = unknown>
  extends Endpoint {
  /** Only for the types. No endpoint has this member. */
  readonly types?: {
    parameters: Parameters;
    query: Query;
    form: Form;
    json: Json;
    responses: R;
    stores: Store;
    values: V;
  };
}

/** The tables and errors that an application adds for its endpoints. */
export interface ApplicationDeclarations {
  /** Tables by store name. */
  readonly tables: Tables;
  /** Errors by code. */
  readonly errors: Errors;
}

/** Declares endpoints that may use the tables `T` and throw the errors `Allowed`. */
export type DeclareEndpoint<T extends Tables, Allowed extends string> = <
  const R extends Responses,
  const U extends UsesOf<T>,
  const Code extends Allowed = never,
  const V extends ValidationErrors = Record<never, never>,
  Parameters extends ObjectSchema | undefined = undefined,
  Query extends ObjectSchema | undefined = undefined,
  Form extends ObjectSchema | undefined = undefined,
  Json extends ObjectSchema | undefined = undefined,
  const Ahead extends boolean = false,
  const C extends Credential = "token",
  const Result = never,
  const Together extends boolean = false,
  Settings extends ValueSchemas | undefined = undefined,
  Secrets extends ValueSchemas | undefined = undefined,
>(
  declaration: Mistakes<R, Result> &
    OneBody<Form, Json> &
    EndpointDeclaration<T, Parameters, Query, Form, Json, R, U, Code, V, Ahead, C, Result, Together, Settings, Secrets>,
) => TypedEndpoint<Parameters, Query, Form, Json, R, keyof U & string, Values<Settings, Secrets>>;

/**
 * Declares an endpoint. It only checks types: the handler gets exactly its input, its stores and its errors, and must return
 * one of its responses.
 *
 * @example
 * export const getKey = endpoint({
 *   method: "GET",
 *   path: "/key/{key_id}",
 *   summary: "Read a key",
 *   description: "Returns the key with this `key_id`.",
 *   uses: { keys: ["get"] },
 *   parameters: z.object({ key_id: keyId }),
 *   errors: ["key_not_found"],
 *   responses: { 200: { description: "The key.", body: key } },
 *   example: { parameters: { key_id: "1234567" } },
 *   async handler({ parameters }, { keys }, errors) {
 *     const found = await keys.get(parameters.key_id);
 *     if (!found) throw errors.key_not_found();
 *     return { status: 200, body: found };
 *   },
 * });
 */
export const endpoint: DeclareEndpoint<BuiltInTables, EndpointErrorCode> = (declaration) => declaration as Endpoint;

/**
 * Returns a function that declares endpoints, which may also use an application's tables and throw its errors.
 *
 * @example const endpoint = endpointsWith({ tables: { shipments }, errors: { shipment_not_found } });
 */
export const endpointsWith =
  <const T extends Tables, const E extends Errors>(application: {
    tables: T;
    errors: E & { [Code in keyof E]: OnlyMembers<E[Code], Errors[string], "An error"> };
  }): DeclareEndpoint<BuiltInTables & T, EndpointErrorCode | (keyof E & string)> =>
  (declaration) => ({ ...(declaration as Endpoint), application });
