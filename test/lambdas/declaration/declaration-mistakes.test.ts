import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { checkFiles } from "../../../lambdas/declaration/check-files.ts";
import { type Endpoint, endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { jobsWith } from "../../../lambdas/declaration/job.ts";
import { type Resource, service } from "../../../lambdas/declaration/service.ts";
import { flatCodec } from "../../../lambdas/dynamodb/attributes.ts";
import { recordTable } from "../../../lambdas/dynamodb/record-table.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import { decimal } from "../../../lambdas/shared/validation/decimal.ts";
import * as fields from "../../../lambdas/shared/validation/fields.ts";
import { keys } from "../../../lambdas/v1/keys.ts";
import { tokens } from "../../../lambdas/v1/tokens.ts";

/*
 * The mistakes that synthesis and `npm run docs` report with the declaration and what to do. The compiler reports the others: see
 * response-mistakes.test.ts and the types of endpoints.
 */

const example = (value: unknown) => z.meta({ examples: [value] });
const orderId = fields.text({ min: 1, max: 40 }).check(example("A-1"));
const name = fields.text({ min: 1, max: 40 }).check(example("Ada"));

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** Returns a table of orders with further fields. Names are checked by the compiler too, which an author may not run. */
const table = (shape: Shape = {}, declaration: object = {}): AnyTable =>
  recordTable({
    partitionKey: "order_id",
    schema: z.object({ order_id: orderId, name, ...shape }),
    ...declaration,
  }) as unknown as AnyTable;

const indexed = (partition: string[], sort: string, shape: Shape = {}) =>
  table(shape, { indexes: { byName: { partition, sort } } });

const getOrder = (change: object = {}): Endpoint => ({
  ...endpoint({
    method: "GET",
    path: "/order/{order_id}",
    summary: "Read an order",
    description: "Returns an order.",
    uses: {},
    parameters: z.object({ order_id: orderId }),
    responses: { 204: { description: "Nothing." } },
    handler: async () => ({ status: 204 }),
  }),
  uses: { orders: ["get"] },
  ...change,
});

const sendOrder = jobsWith({ tables: {}, errors: {} })({
  summary: "Sends an order",
  event: z.object({ order_id: orderId }),
  uses: {},
  handler: async () => {},
});

const orders = (change: Partial<Resource> = {}): Resource => ({
  name: "orders",
  folder: "",
  endpoints: { getOrder: getOrder() },
  tables: { orders: table() },
  ...change,
});

const declare = (...resources: Resource[]) => service({ name: "Shop", title: "Shop", versions: { v1: resources } });
const withTable = (orderTable: AnyTable) => () => orders({ tables: { orders: orderTable } });
const withChanges = (field: string, shape: Shape = {}) => withTable(table(shape, { changes: { partition: [field] } }));
const withEndpoint = (change: object) => () => orders({ endpoints: { getOrder: getOrder(change) } });
const error = { status: 404, message: "", when: "", solve: "" } as const;
const long = fields.text({ min: 1, max: 513 }).check(example("x"));

test.each<[string, () => Resource | Resource[], string]>([
  [
    "the same route in two resources",
    () => [orders(), orders({ name: "others", endpoints: { readOrder: getOrder() } })],
    "getOrder of orders and readOrder of others have the same route, GET /api/v1/order/{order_id}. Change one of them.",
  ],
  [
    "a built-in route",
    () => [tokens, orders({ endpoints: { getIt: getOrder({ path: "/token", parameters: undefined }) } })],
    "getToken of tokens and getIt of orders have the same route, GET /api/v1/token. Change one of them.",
  ],
  [
    "one path with other parameters",
    () => {
      const parameters = z.object({ id: orderId });
      return orders({
        endpoints: { getOrder: getOrder(), putOrder: getOrder({ method: "PUT", path: "/order/{id}", parameters }) },
      });
    },
    "getOrder of orders (/order/{order_id}) and putOrder of orders (/order/{id}) name the parameters of one path differently. Name them alike.",
  ],
  [
    "a parameter with another name",
    withEndpoint({ path: "/order/{id}" }),
    "The path of getOrder of orders is /order/{id}, but its `parameters` have other names: order_id instead of id.",
  ],
  [
    "a path parameter without a schema",
    withEndpoint({ parameters: undefined }),
    "is /order/{order_id}, but its `parameters` have other names: none instead of order_id.",
  ],
  ...Object.entries({
    "The setting carrierUrl needs another name: up to 64 lower-case": { settings: { carrierUrl: name } },
    "The setting tags must be a string, an enum, a whole number or a boolean.": { settings: { tags: z.array(name) } },
    "The secret key needs an example: add": { secrets: { key: fields.text({ min: 20, max: 200 }) } },
    "The setting count has an invalid example: it must be at least 5": {
      settings: { count: z.int().check(z.gte(5), example(1)) },
    },
    "key is both a setting and a secret. Rename one.": { settings: { key: name }, secrets: { key: name } },
  }).map(([sentence, change]): [string, () => Resource, string] => [sentence, withEndpoint(change), sentence]),
  ...Object.entries({ form: z.boolean(), query: z.optional(z.number()), parameters: z.int() }).map(
    ([part, schema]): [string, () => Resource, string] => [
      `a field in the ${part} that no text can have`,
      withEndpoint({
        path: part === "parameters" ? "/order/{odd}" : "/order/{order_id}",
        [part]: z.object({ odd: schema }),
      }),
      `The field odd in the \`${part}\` of getOrder of orders can never be valid, because it arrives as text.`,
    ],
  ),
  ...Object.entries({
    "The setting carrierUrl needs another name": { settings: { carrierUrl: name } },
    "sendOrder of orders uses cancel of the store orders, which does not have it.": { uses: { orders: ["cancel"] } },
    "sendOrder of orders uses the store order, which no resource declares. Add it": { uses: { order: ["get"] } },
    "The timeoutSeconds of sendOrder of orders must be a whole number from 1 to 900.": { timeoutSeconds: 901 },
    "The example of sendOrder of orders is invalid: The order_id field is required. Add fields": { example: {} },
  }).map(([sentence, change]): [string, () => Resource, string] => [
    `a job: ${sentence}`,
    () => orders({ jobs: { sendOrder: { ...sendOrder, ...change } } }),
    sentence,
  ]),
  [
    "one setting with two schemas",
    () => {
      const [one, other] = [name, orderId].map((schema) => getOrder({ settings: { carrier: schema } }));
      return orders({
        endpoints: { ...(one && { getOrder: one }), ...(other && { putOrder: { ...other, method: "PUT" } }) },
      });
    },
    "The setting carrier is declared with two schemas. Declare one, and use it in both places.",
  ],
  [
    "an example without its record",
    withEndpoint({ example: { parameters: { order_id: "A-2" } } }),
    "The example of getOrder of orders has the order_id A-2, but the example record of orders has A-1. Use the same.",
  ],
  ...["my-orders", "myOrders", "Orders", "2orders", "my_orders"].map((store): [string, () => Resource, string] => [
    `a store ${store}`,
    () => orders({ tables: { [store]: table() }, endpoints: {} }),
    `The store ${store} of orders needs another name: lower-case letters and digits, beginning with a letter.`,
  ]),
  [
    "a store with a built-in name",
    () => orders({ tables: { keys: table() }, endpoints: {} }),
    "The store keys of orders has the name of a built-in store. Rename it.",
  ],
  [
    "a resource in upper case",
    () => orders({ name: "Orders" }),
    "The resource Orders needs another name: lower-case letters, digits and hyphens, beginning with a letter.",
  ],
  ["two resources with one name", () => [keys, orders({ name: "keys" })], "Two resources of v1 have the name keys."],
  [
    "an error with a built-in code",
    () => orders({ errors: { key_not_found: error } }),
    "The error key_not_found of orders has the code of a built-in error. Use another code.",
  ],
  [
    "an error after which clients wait for an unknown time",
    () => orders({ errors: { queue_failed: { ...error, status: 503 } } }),
    'The error queue_failed of orders has the status 503, after which clients wait. Add headers: { "Retry-After": "1" }.',
  ],
  [
    "an endpoint's error with a built-in code",
    withEndpoint({ application: { tables: {}, errors: { token_invalid: error } } }),
    "The error token_invalid of orders has the code of a built-in error.",
  ],
  [
    "a field that cannot be stored",
    withTable(table({ when: z.date() })),
    "The field when of the table orders cannot be stored.",
  ],
  [
    "a nested field that cannot be stored",
    withTable(table({ lines: z.array(z.object({ at: z.date() })) })),
    "The field lines of the table orders cannot be stored.",
  ],
  [
    "a boolean in a table of strings and numbers",
    withTable({ ...table({ odd: z.boolean() }), codec: flatCodec }),
    "The field odd of the table orders cannot be stored. It must be text, an enum or a number",
  ],
  [
    "a reserved field",
    withTable(table({ history: name })),
    "The field history of the table orders needs another name, because the store writes an attribute with this name.",
  ],
  [
    "a long partition key",
    withTable(table({ order_id: long })),
    "order_id of the table orders may have at most 512 characters, because DynamoDB limits the partition key to 2048 bytes. Declare a maximum length.",
  ],
  ["an unbounded partition key", withTable(table({ order_id: z.string() })), "needs a minimum length of 1"],
  [
    "a number as partition key",
    withTable(table({ order_id: z.int() })),
    "The partition key order_id of the table orders must be text.",
  ],
  [
    "a long sort key",
    withTable(table({ line: long }, { sortKey: "line" })),
    "line of the table orders may have at most 256 characters, because DynamoDB limits the sort key to 1024 bytes.",
  ],
  [
    "an index on no field",
    withTable(indexed(["nmae"], "created_at")),
    "The table orders has no field nmae for the index byName.",
  ],
  ...[z.boolean(), z.nullable(name), z.object({ name }), z.array(name)].map(
    (field): [string, () => Resource, string] => [
      `an index on a field of the type ${field.def.type}`,
      withTable(indexed(["name"], "field", { field })),
      "The field field of the table orders cannot be part of the index byName: use text or a number that is not nullable, and an enum instead of a boolean.",
    ],
  ),
  [
    "an index on a string that may be empty",
    withTable(indexed(["note"], "created_at", { note: fields.text({ min: 0, max: 9 }).check(example("")) })),
    "The field note of the table orders needs a minimum length of 1, because it is part of the index byName.",
  ],
  [
    "an index on long texts",
    withTable(indexed(["name", "long"], "created_at", { long: fields.text({ min: 1, max: 500 }).check(example("x")) })),
    "name and long of the table orders may have at most 512 characters together",
  ],
  [
    "an index with a field twice",
    withTable(indexed(["name", "order_id"], "name")),
    "The index byName of the table orders names a field twice.",
  ],
  [
    "an index with five partition fields",
    withTable(indexed(["name", "order_id", "name", "name", "name"], "created_at")),
    "The index byName of the table orders needs 1 to 4 fields in its partition.",
  ],
  ...["by-name", "ByName", "by", "1st"].map((index): [string, () => Resource, string] => [
    `an index ${index}`,
    withTable(table({}, { indexes: { [index]: { partition: ["name"], sort: "created_at" } } })),
    `The index ${index} of the table orders needs another name`,
  ]),
  [
    "too many indexes",
    withTable(
      table(
        {},
        {
          indexes: Object.fromEntries(
            Array.from({ length: 21 }, (_, index) => [`index${index}`, { partition: ["name"], sort: "created_at" }]),
          ),
        },
      ),
    ),
    "The table orders has 21 indexes, and DynamoDB allows 20.",
  ],
  [
    "too many fields for an expression",
    withTable(
      table(Object.fromEntries(Array.from({ length: 75 }, (_, index) => [`a_field_of_average_${index}`, z.string()]))),
    ),
    "The table orders has too many fields, or their names are too long, for an expression of DynamoDB",
  ],
  ["changes that an unknown field divides", withChanges("nmae"), "The table orders has no field nmae for `changes`."],
  ...Object.entries({ optional: z.optional(name), default: z._default(name, "Ada") }).map(
    ([kind, field]): [string, () => Resource, string] => [
      `changes that a field of the type ${kind} divides`,
      withChanges("field", { field }),
      "The field field of the table orders must be required, because it divides the `changes`",
    ],
  ),
  [
    "changes that a nullable field divides",
    withChanges("field", { field: z.nullable(name) }),
    "The field field of the table orders cannot be part of `changes`: use text or a number that is not nullable, and an enum instead of a boolean.",
  ],
  ...Object.entries({ missing: {}, retired: { changes: { retired: true } } }).map(
    ([state, declaration]): [string, () => Resource, string] => [
      `an endpoint that follows ${state} changes`,
      () =>
        orders({
          tables: { orders: table({}, declaration) },
          endpoints: { getOrder: getOrder({ uses: { orders: ["changes"] } }) },
        }),
      "getOrder of orders uses changes of the store orders, which does not have it. Declare it in the table, without `retired`.",
    ],
  ),
  [
    "a client that no token can have",
    () => orders({ endpoints: { getOrder: getOrder({ example: { client: "Acme Ltd" } }) } }),
    "The client in the example of getOrder of orders must be 1 to 64 letters, digits, hyphens or underscores.",
  ],
  [
    "a path that hides another one's parameter",
    () => {
      const ids = z.object({ id: orderId });
      const kinds = z.object({ order_id: orderId, kind: name });
      const listEvents = getOrder({ path: "/order/{id}/events", parameters: ids, uses: {} });
      const listKind = getOrder({ path: "/order/{order_id}/{kind}", parameters: kinds, uses: {} });
      return orders({ endpoints: { listEvents, listKind } });
    },
    "listEvents of orders (/order/{id}/events) hides the kind `events` from listKind of orders (/order/{order_id}/{kind}).",
  ],
  [
    "a path that hides a record",
    () => {
      const listChanges = getOrder({ path: "/order/changes", parameters: undefined, uses: {} });
      return orders({ endpoints: { listChanges, getOrder: getOrder() } });
    },
    "listChanges of orders (/order/changes) hides the order_id `changes` from getOrder of orders (/order/{order_id}). Let the schema reject this value, or use another path.",
  ],
])("%s is reported", (_, mistaken, sentence) => {
  expect(() => declare(...[mistaken()].flat())).toThrow(sentence);
});

test("all mistakes are reported at once, without a stack trace", () => {
  const mistaken = orders({ name: "Orders", tables: { "my-orders": table() }, endpoints: {} });
  const report = expect.objectContaining({
    stack: expect.stringMatching(/^The resource Orders .+\nThe store my-orders .+$/),
  });
  expect(() => declare(mistaken)).toThrow(report);
});

test.each([
  ["created_at", fields.time()],
  ["updated_at", fields.time()],
])("a declared %s is reported", (field, schema) => {
  expect(() => table({ [field]: schema })).toThrow(`A record cannot declare ${field}: the store sets it.`);
});

test.each<[string, AnyTable]>([
  [
    "optional and numeric fields",
    indexed(["name", "count"], "due", { count: z.optional(z.int()), due: z.optional(fields.date()) }),
  ],
  [
    "generated ids, enums and decimals",
    indexed(["id", "state"], "price", {
      id: z.uuid(),
      state: z.enum(["a", "b"]),
      price: decimal({ places: 2, min: "0.00", max: "9.99" }),
    }),
  ],
  [
    "fields without messages",
    table({ nested: z.object({ tags: z.array(z.string()), note: z.nullable(z.string()) }), at: z.literal("x") }),
  ],
])("accepts a table with %s", (_, accepted) => {
  expect(() => declare(orders({ tables: { orders: accepted } }))).not.toThrow();
});

/** Returns a folder with these source files. */
const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "integration-api-declared-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, `${file}.ts`), text);
  return folder;
};

/** A file's text that exports an endpoint, as authors write it. */
const source = (exported: string) =>
  `export const ${exported} = endpoint({\n  method: "GET",\n  path: "/order",\n  async handler() {},\n});\n`;

test.each<[string, Record<string, string>, string, { guide?: string }]>([
  ["an endpoint's file with another name", { "read-order": source("getOrder") }, "read-order exports it", {}],
  ["an endpoint without a file", {}, "there is no such file", {}],
  ["an endpoint's file without its export", { "get-order": source("other") }, "that file does not export it", {}],
  [
    "an endpoint that no resource lists",
    { "get-order": source("getOrder"), "cancel-order": source("cancelOrder") },
    "cancel-order exports the endpoint cancelOrder, which no resource lists. Add it to the resource, or remove it.",
    {},
  ],
  [
    "a job that no resource lists",
    {
      "get-order": source("getOrder"),
      "send-order": "export const sendOrder = job({\n  event: z.object({}),\n  uses: {},\n  async handler() {},\n});\n",
    },
    "send-order exports the job sendOrder, which no resource lists. Add it to the resource, or remove it.",
    {},
  ],
  [
    "a second endpoint in a file",
    { "get-order": source("getOrder") + source("cancelOrder") },
    "get-order exports the endpoint cancelOrder, which no resource lists.",
    {},
  ],
  [
    "a missing folder of the guide",
    { "get-order": source("getOrder") },
    "The service's guide is in nowhere, but there is no such folder. Create it, or leave out `guide`.",
    { guide: "nowhere" },
  ],
])("%s is reported", (_, files, sentence, more) => {
  const folder = folderWith(files);
  const declared = { ...declare(orders({ folder })), ...more };
  expect(() => checkFiles(declared)).toThrow(sentence);
  expect(() => checkFiles(declared)).toThrow(more.guide ?? relative(process.cwd(), folder));
});

test("the endpoint and helpers of a correct folder are accepted", () => {
  const folder = folderWith({
    "get-order": `${source("getOrder")}export const other = { method: "GET" };\n`,
    "get-order.test": source("tested"),
  });
  expect(() => checkFiles(declare(orders({ folder })))).not.toThrow();
});
