import { exampleRecord } from "../../../lambdas/declaration/example-record.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import type { ExampleCaller } from "./example-callers.ts";
import { fillPath, formToSend, type OperationExample, targetOf } from "./examples.ts";
import type { Answer, CallOptions, TestService } from "./running-service.ts";
import { type Records, recordsIn, type StateName } from "./table-states.ts";

/** The differences from an endpoint's example. */
export interface ChangedRequest extends CallOptions {
  parameters?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** The client that the caller's token belongs to; `null` for none. Default: the client of the example. */
  client?: string | null;
  /**
   * The state of the tables when the request is sent. Default: `filled` if there are `records`, otherwise whatever other tests
   * left.
   */
  state?: StateName;
  /** Replaces the contents of some tables, by store: the fields in which each record differs from the example record. */
  records?: Readonly<Record<string, object[]>>;
}

/**
 * Requests beyond the examples, by the endpoint's name in the description and by the response that they get. Those of a job have any
 * names, and its event is their `json`: `{ "job-print-label": { packed: { records: { shipments: [{ status: "packed" }] } } } }`.
 *
 * @example { "v1-place-order": { "409 sold_out": { records: { articles: [{ stock: 0 }] } } } }
 */
export type ServiceRequests = Readonly<Record<string, Readonly<Record<string, ChangedRequest>>>>;

/** Returns the contents of the tables for a request. */
export const recordsFor = (
  { state = "filled", records = {} }: ChangedRequest,
  { tables, caller }: { tables: Tables; caller: TokenRecord },
): Records => {
  return { ...recordsIn(state, tables, caller), ...completed(records, tables), tokens: [caller] };
};

/** Records that a call has left. They are whole, also without optional fields of the example record. */
export const leftRecords = new WeakSet<object>();

/** Returns whole records: each has the fields of the example record that it does not name. */
export const completed = (records: Readonly<Record<string, readonly object[] | undefined>>, tables: Tables): Records =>
  Object.fromEntries(
    Object.entries(records).map(([store, all = []]) => [
      store,
      all.map((record) =>
        leftRecords.has(record) ? record : { ...(tables[store] && exampleRecord(tables[store])), ...record },
      ),
    ]),
  );

/** Sends the example of an endpoint, with changes. */
export const sendExample = async (
  to: TestService,
  example: OperationExample,
  { text, from }: ExampleCaller,
  { parameters, query, client: _, state: __, records: ___, ...change }: ChangedRequest = {},
): Promise<Answer> => {
  const { operation, request } = example;
  const target = targetOf({
    path: parameters ? fillPath(operation.path, parameters) : request.path,
    query: query ? new URLSearchParams(query).toString() : request.query,
  });
  const form = await formToSend(example, to);
  const { json, mediaType } = request;
  const body = { ...(form && { form }), ...(json && { json }), ...(mediaType && { mediaType }) };
  return to.call(request.method, target, { token: text || null, from, ...body, ...change });
};
