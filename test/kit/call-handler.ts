import { vi } from "vitest";
import { examplesOf } from "../../infra/stages/settings.ts";
import type { Endpoint, SentInput, TypedEndpoint, ValueSchemas } from "../../lambdas/declaration/endpoint.ts";
import { exampleEventOf, type Job, type TypedJob } from "../../lambdas/declaration/job.ts";
import { type RequestExample, requestExampleOf } from "../../lambdas/declaration/request-example.ts";
import type { AnyResponse, EndpointResponse, Responses } from "../../lambdas/declaration/responses.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import { tables as builtInTables } from "../../lambdas/domain/built-in-stores.ts";
import { storesOn } from "../../lambdas/domain/create-stores.ts";
import { changesOn } from "../../lambdas/dynamodb/change-feed.ts";
import { openTable } from "../../lambdas/dynamodb/open-table.ts";
import { transactionOn } from "../../lambdas/dynamodb/transaction.ts";
import type { Tables } from "../../lambdas/dynamodb/uses.ts";
import { valuesOf } from "../../lambdas/endpoint/read-settings.ts";
import { workOf } from "../../lambdas/endpoint/serve-endpoint.ts";
import { workOfJob } from "../../lambdas/job/serve-job.ts";
import { inputReader } from "../../lambdas/middlewares/validate-input.ts";
import { ApiError } from "../../lambdas/shared/errors/api-error.ts";
import { strongTag } from "../../lambdas/shared/http/entity-tags.ts";
import { wordIssue } from "../../lambdas/shared/validation/issue-words.ts";
import { declaredFields } from "../../lambdas/shared/validation/response-body.ts";
import { completed, leftRecords } from "./support/changed-request.ts";
import { type CallerFields, exampleCaller } from "./support/example-callers.ts";
import { withClient } from "./support/examples.ts";
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
  /** Fields of the caller's token. Default of `client`: that of the endpoint's example, or the service's; `null` is nobody. */
  caller?: CallerFields;
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
 * const { body, records } = await callHandler(api, changeShipment, {
 *   parameters: { shipment_id: "S-1001" },
 *   json: { note: "Ring twice." },
 *   records: { shipments: [{ status: "packed" }] },
 * });
 */
export const callHandler = async <Parameters, Query, Form, Json, R extends Responses, Store extends string, V>(
  service: Pick<Service, "exampleClient">,
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
  try {
    return (await atTime(call.at, () => run(withClient(endpoint, service), call))) as HandlerResult<R, Store>;
  } catch (error) {
    // A test runner shows the first stack trace most prominently.
    if (error instanceof ApiError && error.code === "internal_error" && !(error.cause instanceof ApiError))
      throw error.cause;
    throw error;
  }
};

/** What a test may choose for a call of a job, besides settings and secrets. */
interface JobCall<Event, Store extends string> {
  /** Default: the example event. */
  event?: Event;
  /** As for `callHandler`. */
  records?: { readonly [Name in Store]?: readonly object[] };
  at?: string;
}

/**
 * Calls the handler of a job in this process, as `callHandler` does for endpoints. Returns the records that it left.
 *
 * @throws {Error} the error that the handler throws, or the problems of the event.
 * @example
 * const { shipments } = await callJob(printLabel, { records: { shipments: [{ shipment_id: "S-1001" }] } });
 */
export const callJob = async <Event, Store extends string, V>(
  job: TypedJob<Event, Store, V>,
  call: JobCall<Event, Store> & { [Name in keyof V]?: Partial<V[Name]> } = {} as JobCall<Event, Store> & {
    [Name in keyof V]?: Partial<V[Name]>;
  },
): Promise<StoredRecords<Store>> => {
  const { event = exampleEventOf(job), records = {}, at, ...values }: JobCall<unknown, string> & GivenValues = call;
  const handler: Job["handler"] = (input, stores) =>
    job.handler({ ...Object(input), ...valuesFor(job, values) }, stores);
  const work = (stores: object) => workOfJob({ ...job, handler }, stores)(event);
  const { outcome, after } = await atTime(at, () => withRecords(job, completed(records, tablesUsedBy(job)), work));
  if ("error" in outcome) throw outcome.error;
  return after as StoredRecords<Store>;
};

/** Makes a call at the given time. */
const atTime = async <Result>(at: string | undefined, call: () => Promise<Result>): Promise<Result> => {
  const outside = vi.getMockedSystemTime();
  if (at !== undefined) vi.setSystemTime(at);
  try {
    return await call();
  } finally {
    if (at !== undefined) {
      if (outside) vi.setSystemTime(outside);
      else vi.useRealTimers();
    }
  }
};

/** The input of a handler. Parts that are left out follow from the example of the endpoint. */
export interface HandlerRequest extends Partial<RequestExample>, GivenValues {
  ifMatch?: string | undefined;
  caller?: CallerFields | undefined;
}

/** Settings and secrets that differ from the examples. */
interface GivenValues {
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

/** Returns the tables that an endpoint or a job uses, by store. */
export const tablesUsedBy = ({ uses, application }: Pick<Endpoint, "uses" | "application">): Tables => {
  const declared: Tables = { ...builtInTables, ...application?.tables };
  return Object.fromEntries(Object.entries(declared).filter(([store]) => uses[store]));
};

/** What a call returns or throws, and the records before and after. */
interface Outcome<Response> {
  outcome: { response: Response } | { error: unknown };
  before: Records;
  after: Records;
}

/** Calls the handler of an endpoint on these records. */
export const runHandler = (
  endpoint: Endpoint,
  { ifMatch, caller, settings, secrets, ...sent }: HandlerRequest,
  records: Records,
): Promise<Outcome<AnyResponse>> =>
  withRecords(endpoint, records, async (stores) => {
    const { parameters, query, form, json } = { ...requestExampleOf(endpoint), ...sent };
    const input = inputReader(endpoint)({
      headers: ifMatch === undefined ? {} : { "if-match": strongTag(ifMatch) },
      routeKey: "",
      pathParameters: parameters,
      queryStringParameters: query,
      fields: structuredClone(form ?? json),
    });
    const values = valuesFor(endpoint, { ...(settings && { settings }), ...(secrets && { secrets }) });
    const { record: token, from: ip } = exampleCaller(endpoint, { fields: caller });
    const author = { by: `token:${token.token_id}`, from: ip, requestId: "request" };
    const work = workOf(endpoint, stores);
    const response = await work({ ...input, ...values }, { token, client: token.client, ip, author });
    const { body } = endpoint.responses[response.status] ?? {};
    return { ...response, ...(body && { body: declaredFields(body)(response.body) }) };
  });

/** Makes a call with the stores of an endpoint or a job, on a database in memory with only these records. */
const withRecords = async <Response>(
  declared: Pick<Endpoint, "uses" | "application">,
  records: Records,
  call: (stores: object) => Promise<Response>,
): Promise<Outcome<Response>> => {
  const tables = tablesUsedBy(declared);
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
  const outcome = await call(storesOn(client, opened, { transactionOn, changesOn })).then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );
  const after = await stored();
  for (const record of Object.values(after).flat()) leftRecords.add(record);
  return { outcome, before, after };
};

const valuesFor = (declared: Pick<Endpoint, "settings" | "secrets">, { settings, secrets }: GivenValues) => ({
  settings: { ...exampleValues("setting", declared.settings), ...settings },
  secrets: { ...exampleValues("secret", declared.secrets), ...secrets },
});

const exampleValues = (kind: "setting" | "secret", schemas: ValueSchemas = {}): object => {
  const examples = examplesOf(schemas);
  return valuesOf(kind, schemas, (name) => examples[name], wordIssue);
};
