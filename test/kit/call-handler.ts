import { vi } from "vitest";
import { examplesOf } from "../../infra/stages/settings.ts";
import type { Endpoint, SentInput, TypedEndpoint, ValueSchemas } from "../../lambdas/declaration/endpoint.ts";
import { type RequestExample, requestExampleOf } from "../../lambdas/declaration/request-example.ts";
import type { AnyResponse, EndpointResponse, Responses } from "../../lambdas/declaration/responses.ts";
import { tables as builtInTables } from "../../lambdas/domain/built-in-stores.ts";
import { storesOn } from "../../lambdas/domain/create-stores.ts";
import type { TokenRecord } from "../../lambdas/domain/tokens/token-store.ts";
import { changesOn } from "../../lambdas/dynamodb/change-feed.ts";
import { openTable } from "../../lambdas/dynamodb/open-table.ts";
import { transactionOn } from "../../lambdas/dynamodb/transaction.ts";
import type { Tables } from "../../lambdas/dynamodb/uses.ts";
import { valuesOf } from "../../lambdas/endpoint/read-settings.ts";
import { workOf } from "../../lambdas/endpoint/serve-endpoint.ts";
import { inputReader } from "../../lambdas/middlewares/validate-input.ts";
import { ApiError } from "../../lambdas/shared/errors/api-error.ts";
import { strongTag } from "../../lambdas/shared/http/entity-tags.ts";
import { wordIssue } from "../../lambdas/shared/validation/issue-words.ts";
import { declaredFields } from "../../lambdas/shared/validation/response-body.ts";
import { completed } from "./support/changed-request.ts";
import { exampleCaller } from "./support/example-callers.ts";
import { openMemoryDatabase } from "./support/memory-database.ts";
import { accessTables } from "./support/table-access.ts";
import type { Records } from "./support/table-states.ts";

/** The records of a handler's stores. */
export type StoredRecords<Store extends string> = Record<Store, Record<string, unknown>[]>;

/** A call of a handler. Parts of the input that are left out follow from the example of the endpoint. */
export type HandlerCall<Parameters, Query, Form, Json, Store extends string, V = unknown> = SentInput<
  Parameters,
  Query,
  Form,
  Json
> & {
  /** Settings and secrets that differ from the examples in their schemas. */
  [Name in keyof V]?: Partial<V[Name]>;
} & {
  /** The version that `If-Match` requires. */
  ifMatch?: string;
  /** Fields of the caller's token. Default of `client`: the client in the example of the endpoint. */
  caller?: Partial<TokenRecord>;
  /** The records in the tables: the fields in which each differs from the example record. Default: none. */
  records?: { readonly [Name in Store]?: readonly object[] };
  /** The time of the call. Default: now, or the time that `vi.setSystemTime` has set. */
  at?: string;
};

/** The response of a handler, and the records that it left. */
export type HandlerResult<R extends Responses, Store extends string> = EndpointResponse<R> & {
  records: StoredRecords<Store>;
};

/**
 * Calls the handler of an endpoint in this process, which takes milliseconds. The schemas validate the input, and the stores are the
 * real ones, on an in-memory database with only these records. The caller is not authenticated.
 *
 * Stores read the time from `Date.now`. To let time pass between two calls, set `at`, or use `vi.setSystemTime`, and pass the
 * `records` of the first result to the second call.
 *
 * @throws {ApiError} the error that the handler throws, with its `code` and `status`. If the input is invalid, the error has `fields`.
 * An error of the API that the endpoint does not declare is the `cause` of an `internal_error`. Any other error is thrown as it is.
 * @example
 * const { body, records } = await callHandler(changeShipment, {
 *   parameters: { shipment_id: "S-1001" },
 *   json: { note: "Ring twice." },
 *   records: { shipments: [{ status: "packed" }] },
 * });
 */
export const callHandler = async <Parameters, Query, Form, Json, R extends Responses, Store extends string, V>(
  endpoint: TypedEndpoint<Parameters, Query, Form, Json, R, Store, V>,
  call: NoInfer<HandlerCall<Parameters, Query, Form, Json, Store, V>> = {} as HandlerCall<
    Parameters,
    Query,
    Form,
    Json,
    Store,
    V
  >,
): Promise<HandlerResult<R, Store>> => {
  const outside = vi.getMockedSystemTime();
  if (call.at !== undefined) vi.setSystemTime(call.at);
  try {
    return (await run(endpoint, call)) as HandlerResult<R, Store>;
  } catch (error) {
    // A test runner shows the first stack trace most prominently.
    if (error instanceof ApiError && error.code === "internal_error" && !(error.cause instanceof ApiError))
      throw error.cause;
    throw error;
  } finally {
    if (call.at !== undefined) {
      if (outside) vi.setSystemTime(outside);
      else vi.useRealTimers();
    }
  }
};

/** The input of a handler. Parts that are left out follow from the example of the endpoint. */
export interface HandlerRequest extends Partial<RequestExample> {
  ifMatch?: string | undefined;
  caller?: Partial<TokenRecord> | undefined;
  settings?: object;
  secrets?: object;
}

type Call = HandlerCall<undefined, undefined, undefined, undefined, string, { settings: object; secrets: object }> &
  HandlerRequest;

const run = async (endpoint: Endpoint, { records = {}, at: _, ...request }: Call) => {
  const { outcome, after } = await runHandler(endpoint, request, completed(records, tablesUsedBy(endpoint)));
  if ("error" in outcome) throw outcome.error;
  return { ...outcome.response, records: after };
};

/** Returns the tables that an endpoint uses, by store. */
export const tablesUsedBy = ({ uses, application }: Endpoint): Tables => {
  const declared: Tables = { ...builtInTables, ...application?.tables };
  return Object.fromEntries(Object.entries(declared).filter(([store]) => uses[store]));
};

/** Calls a handler on these records. Returns its response or the error that it throws, and the records before and after. */
export const runHandler = async (
  endpoint: Endpoint,
  { ifMatch, caller, settings, secrets, ...sent }: HandlerRequest,
  records: Records,
): Promise<{ outcome: { response: AnyResponse } | { error: unknown }; before: Records; after: Records }> => {
  const tables = tablesUsedBy(endpoint);
  const { client, operations } = openMemoryDatabase(tables);
  const opened = Object.fromEntries(
    Object.entries(tables).map(([tableName, declaration]) => [
      tableName,
      { declaration, table: openTable(declaration, { client, tableName }) },
    ]),
  );
  await accessTables(tables, operations, (store) => store).fill(records);
  const stored = async (): Promise<Records> => {
    const all = Object.entries(opened).map(async ([store, { table }]) => {
      const { Items = [] } = await operations.scan({ TableName: store });
      return [store, Items.flatMap((item) => table.readUnlessDeleted(item) ?? [])];
    });
    return Object.fromEntries(await Promise.all(all));
  };
  const before = await stored();

  const call = async (): Promise<AnyResponse> => {
    const { parameters, query, form, json } = { ...requestExampleOf(endpoint), ...sent };
    const input = inputReader(endpoint)({
      headers: ifMatch === undefined ? {} : { "if-match": strongTag(ifMatch) },
      routeKey: "",
      pathParameters: parameters,
      queryStringParameters: query,
      fields: structuredClone(form ?? json),
    });
    const values = {
      settings: { ...exampleValues("setting", endpoint.settings), ...settings },
      secrets: { ...exampleValues("secret", endpoint.secrets), ...secrets },
    };
    const { record: token, from: ip } = exampleCaller(endpoint, { fields: caller });
    const author = { by: `token:${token.token_id}`, from: ip, requestId: "request" };
    const work = workOf(endpoint, storesOn(client, opened, { transactionOn, changesOn }));
    const response = await work({ ...input, ...values }, { token, client: token.client, ip, author });
    const { body } = endpoint.responses[response.status] ?? {};
    return { ...response, ...(body && { body: declaredFields(body)(response.body) }) };
  };
  const outcome = await call().then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );
  return { outcome, before, after: await stored() };
};

const exampleValues = (kind: "setting" | "secret", schemas: ValueSchemas = {}): object => {
  const examples = examplesOf(schemas);
  return valuesOf(kind, schemas, (name) => examples[name], wordIssue);
};
