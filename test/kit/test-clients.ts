import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { Endpoint, ObjectSchema } from "../../lambdas/declaration/endpoint.ts";
import { exampleRecord } from "../../lambdas/declaration/example-record.ts";
import { type Operation, operationsOf } from "../../lambdas/declaration/operations.ts";
import { requestExampleOf } from "../../lambdas/declaration/request-example.ts";
import type { AnyResponse } from "../../lambdas/declaration/responses.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import { exampleToken } from "../../lambdas/domain/tokens/tokens-table.ts";
import { fieldsOf } from "../../lambdas/dynamodb/table.ts";
import { ApiError } from "../../lambdas/shared/errors/api-error.ts";
import { encodeCursor } from "../../lambdas/shared/validation/paging.ts";
import { type HandlerRequest, runHandler, tablesUsedBy } from "./call-handler.ts";
import { alteredObject, alteredValue } from "./support/altered-value.ts";
import { type ChangedRequest, recordsFor, type ServiceRequests } from "./support/changed-request.ts";
import { isSuccess } from "./support/decode-body.ts";
import { type Records, recordsIn, statesOf } from "./support/table-states.ts";

export interface ClientsOptions {
  /** The field of records and requests that names the client, such as `customer_id`. */
  field: string;
  /** Endpoints that show or change the records of every client, by name, with the reason. */
  shared?: Readonly<Record<string, string>>;
  /** The same requests as for `testService`. */
  requests?: ServiceRequests;
  /** Values of settings that differ from the examples. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * Tests that no endpoint shows a client the records of another client, changes them, or says that they exist. The example records
 * belong to one client. Each handler is called for another client: with the ids of these records, with the names of both clients,
 * with a wrong version, and with the cursors of the owner's pages. Only a request that chooses an id may learn that it is taken.
 *
 * @example testClients(shop, { field: "customer_id", shared: { "v1-list-articles": "Every customer buys the same articles." } });
 */
export const testClients = (service: Service, options: ClientsOptions): void => {
  const { shared = {} } = options;
  const operations = operationsOf(service).filter(({ endpoint: { credential = "token" } }) => credential === "token");

  test.each(operations)("$functionName keeps the records of clients apart", async (operation) => {
    const { functionName } = operation;
    const { problems, isProven } = await mixUps(service, operation, options);
    expect(isProven, `No request to ${functionName} succeeds for the owner. Add one to the "requests".`).toBe(true);
    if (!shared[functionName]) expect(problems).toEqual([]);
    else expect(problems, `${functionName} need not be shared.`).not.toEqual([]);
  });

  test("each shared endpoint exists", () => {
    expect(operations.map(({ functionName }) => functionName)).toEqual(expect.arrayContaining(Object.keys(shared)));
  });
};

/** Returns what an endpoint shows or changes of another client's records, and whether any request succeeds for their owner. */
export const mixUps = async (
  service: Service,
  { endpoint, functionName }: Pick<Operation, "endpoint" | "functionName">,
  { field, requests = {}, settings = {} }: ClientsOptions,
) => {
  const clients = clientsIn(service, field);
  const given = Object.values(requests[functionName] ?? {});
  const calls = callsFor(service, endpoint, { clients, given }).map((call) => ({ ...call, settings }));
  const problems = new Set<string>();
  let isProven = false;
  for (const call of calls) {
    const { status, next } = await responseTo(endpoint, call, clients.owner);
    isProven ||= isSuccess(status) || isSuccess((await responseTo(endpoint, call)).status);
    if (next !== undefined) calls.push({ ...call, query: { ...call.query, cursor: next } });
    for (const problem of await problemsWith(endpoint, call, clients)) problems.add(problem);
  }
  return { problems: [...problems], isProven };
};

interface Clients {
  /** The client whose records are in the tables, and another client. */
  owner: string;
  other: string;
  /** The other client's own record in each table that has a record for each client. */
  accounts: Records;
  field: string;
}

const clientsIn = ({ tables }: Service, field: string): Clients => {
  const owners = Object.values(tables).filter((table) => field in fieldsOf(table));
  const [schema] = owners.flatMap((table) => fieldsOf(table)[field] ?? []);
  const [owner] = owners.map((table) => new Map<string, unknown>(Object.entries(exampleRecord(table))).get(field));
  if (!schema) throw new Error(`No record has the field ${field}.`);
  // Records with the first two altered values may be among the owner's.
  const other = [1, 2, 3].reduce((value) => alteredValue(schema, value), owner);
  const accounts = Object.entries(tables).map(([store, table]) => {
    const hasAccounts = table.partitionKey === field && table.sortKey === undefined;
    // A page of accounts must not hide whose account it shows.
    const account = alteredObject(table.schema, exampleRecord(table), { keep: [field, "created_at", "updated_at"] });
    return [store, hasAccounts ? [{ ...account, [field]: other }] : []];
  });
  return { owner: String(owner), other: String(other), accounts: Object.fromEntries(accounts), field };
};

/** A request, and the records while it is sent: those of the owner, and the other client's accounts. */
interface Call extends HandlerRequest {
  records: Records;
}

const namesIn = (schema: ObjectSchema | undefined): string[] => Object.keys(schema?._zod.def.shape ?? {});

/** Returns requests that name the owner's records, in each state of the tables that may matter. */
const callsFor = (
  { tables }: Service,
  endpoint: Endpoint,
  { clients, given }: { clients: Clients; given: readonly ChangedRequest[] },
): Call[] => {
  const example = requestExampleOf(endpoint);
  const filled = Object.assign({}, ...Object.values(recordsIn("filled", tables)).map(([first]) => first));
  const filters = namesIn(endpoint.query).flatMap((name) => (name in filled ? [[name, String(filled[name])]] : []));
  const page = namesIn(endpoint.query).includes("limit") ? { limit: "1" } : {};
  const requests = [clients.owner, clients.other].flatMap((client): HandlerRequest[] => {
    const named = (schema?: ObjectSchema) =>
      namesIn(schema).includes(clients.field) ? { [clients.field]: client } : {};
    const request = {
      parameters: { ...example.parameters, ...named(endpoint.parameters) },
      query: { ...example.query, ...page, ...named(endpoint.query) },
      ...(example.form && { form: { ...example.form, ...named(endpoint.form) } }),
      ...(example.json && { json: { ...example.json, ...named(endpoint.json) } }),
    };
    const filtered = { ...request, query: { ...Object.fromEntries(filters), ...request.query } };
    return [
      request,
      filtered,
      ...(endpoint.errors?.includes("precondition_failed") ? [{ ...request, ifMatch: "1" }] : []),
    ];
  });
  const states = statesOf(tables).filter((state) => state.startsWith("filled"));
  const others = given.map(({ parameters, query, form, json, ...change }) => ({
    ...(parameters && { parameters }),
    ...(query && { query }),
    ...(typeof form === "object" && { form }),
    ...(typeof json === "object" && { json }),
    records: recordsFor(change, { tables, caller: exampleToken }),
  }));
  const calls = [
    ...states.flatMap((state) => requests.map((one) => ({ ...one, records: recordsIn(state, tables) }))),
    ...others,
  ];
  return calls.map(({ records, ...request }) => {
    const both = Object.entries(records).map(([store, all]) => [store, [...all, ...(clients.accounts[store] ?? [])]]);
    return { ...request, records: Object.fromEntries(both) };
  });
};

/** Returns what a client sees of the response to a call, and what the call changes. */
const responseTo = async (endpoint: Endpoint, { records, ...request }: Call, client?: string) => {
  const caller = client === undefined ? {} : { client };
  const { outcome, ...stored } = await runHandler(endpoint, { ...request, caller }, records);
  if ("response" in outcome) {
    const { status, facts: _, ...response } = outcome.response;
    return { status, shown: JSON.stringify(response, textOf), next: cursorIn(response), ...stored };
  }
  const { error } = outcome;
  if (!(error instanceof ApiError)) throw error;
  const { status, message } = error;
  return { status, shown: JSON.stringify([message, { ...error, facts: {} }]), next: undefined, ...stored };
};

/** Returns the cursor of the next page of records or changes. */
const cursorIn = ({ next, body }: Pick<AnyResponse, "next" | "body">): string | undefined =>
  next === undefined ? z.safeParse(morePages, body).data?.cursor : encodeCursor(next);

const morePages = z.object({ cursor: z.string(), more: z.literal(true) });

const textOf = (_: string, part: unknown) => (part instanceof Uint8Array ? Buffer.from(part).toString("latin1") : part);

/** Returns what is wrong with the response to the other client, compared with the response without the owner's records. */
const problemsWith = async (endpoint: Endpoint, call: Call, clients: Clients): Promise<string[]> => {
  const { records: _, ...request } = call;
  const { accounts, other, owner } = clients;
  const absent = await responseTo(endpoint, { ...request, records: accounts }, other);
  const seen = await responseTo(endpoint, call, other);
  const sent = JSON.stringify(request);
  const tables = Object.entries(tablesUsedBy(endpoint)).map(([store, { partitionKey }]) => {
    const [before, after] = [textsOf(seen.before[store]), textsOf(seen.after[store])];
    const owned = before.filter((record) => !textsOf(absent.before[store]).includes(record));
    const keys = owned.map((record) => String(JSON.parse(record)[partitionKey]));
    const lost = owned.filter((record) => !after.includes(record));
    const added = after.filter((record) => !before.includes(record));
    const foreign = added.filter((record) =>
      stringsIn(JSON.parse(record)).some((text) => [owner, ...keys].includes(text)),
    );
    return { owned, changes: [...lost, ...foreign].map((record) => `changes ${store}: ${record}`) };
  });
  const leaked = stringsIn(tables.flatMap(({ owned }) => owned.map((record) => JSON.parse(record)))).filter(
    (text) => isShown(text, seen.shown) && ![absent.shown, sent].some((known) => isShown(text, known)),
  );
  const choosesId = endpoint.method === "PUT" || (endpoint.method === "POST" && !endpoint.parameters);
  return [
    ...leaked.map((text) => `shows ${text}`),
    ...tables.flatMap(({ changes }) => changes),
    ...(choosesId || seen.status === absent.status ? [] : [`gets ${seen.status} instead of ${absent.status}`]),
  ].map((problem) => `${endpoint.method} ${endpoint.path} ${problem}, with ${sent}`);
};

const textsOf = (records: object[] = []): string[] => records.map((record) => JSON.stringify(record));

/** Shorter texts could occur by chance. */
const minimumLength = 4;
const isShown = (text: string, json: string): boolean => json.includes(JSON.stringify(text).slice(1, -1));

/** Returns the texts in a value, at every level. */
const stringsIn = (value: unknown): string[] => {
  if (typeof value === "string") return value.length < minimumLength ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
