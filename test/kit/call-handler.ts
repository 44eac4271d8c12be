import { vi } from "vitest";
import { examplesOf } from "../../infra/stages/settings.ts";
import type { Endpoint, SentInput, TypedEndpoint, ValueSchemas } from "../../lambdas/declaration/endpoint.ts";
import { requestExampleOf } from "../../lambdas/declaration/request-example.ts";
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
  /** Fields of the caller's token. */
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

type Call = HandlerCall<undefined, undefined, undefined, undefined, string, { settings: object; secrets: object }> &
  Partial<ReturnType<typeof requestExampleOf>>;

const run = async (endpoint: Endpoint, { ifMatch, caller, records = {}, at: _, settings, secrets, ...sent }: Call) => {
  const declared: Tables = { ...builtInTables, ...endpoint.application?.tables };
  const tables = Object.fromEntries(Object.entries(declared).filter(([store]) => endpoint.uses[store]));
  const { client, operations } = openMemoryDatabase(tables);
  const opened = Object.fromEntries(
    Object.entries(tables).map(([tableName, declaration]) => [
      tableName,
      { declaration, table: openTable(declaration, { client, tableName }) },
    ]),
  );
  const access = accessTables(tables, operations, (store) => store);
  await access.fill(completed(records, tables));

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
  const stores = storesOn(client, opened, { transactionOn, changesOn });
  const response: AnyResponse = await workOf(endpoint, stores)(
    { ...input, ...values },
    { token, client: token.client, ip, author },
  );
  const { body } = endpoint.responses[response.status] ?? {};
  const left = Object.entries(opened).map(async ([store, { table }]) => {
    const { Items = [] } = await operations.scan({ TableName: store });
    return [store, Items.flatMap((item) => table.readUnlessDeleted(item) ?? [])];
  });
  return {
    ...response,
    ...(body && { body: declaredFields(body)(response.body) }),
    records: Object.fromEntries(await Promise.all(left)),
  };
};

const exampleValues = (kind: "setting" | "secret", schemas: ValueSchemas = {}): object => {
  const examples = examplesOf(schemas);
  return valuesOf(kind, schemas, (name) => examples[name], wordIssue);
};
