import * as z from "zod/mini";
import { endpointsWith } from "../../../lambdas/declaration/endpoint.ts";
import { resource, service } from "../../../lambdas/declaration/service.ts";
import { tokens } from "../../../lambdas/v1/tokens.ts";

/* A service whose names and values mean something in TypeScript or Python. */

const endpoint = endpointsWith({ tables: {}, errors: {} });
const text = (value = "a") => z.string().check(z.meta({ examples: [value] }));
const odd = z.enum([
  "",
  "it's",
  'a "quote"',
  "back\\slash",
  "new\nline",
  "\u2028\u{1f4a5}",
  "None",
  "*/",
  "{x}",
  '"""',
]);
const cell = z.object({ "a b": z.number(), None: z.optional(text()) });

const record = z
  .object({
    ...{ class: text(), from: odd, self: z.boolean(), constructor: z.number(), "": z.optional(z.boolean()) },
    ...{ "with-hyphen": z.nullable(z.array(z.nullable(z.array(z.nullable(cell))))), "1st": z.optional(z.int()) },
    ...{ ratio: z.literal(1.5), level: z.literal([1, 2]), always: z.literal(true), nothing: z.null() },
    ...{ either: z.union([text(), z.number(), z.null()]), odds: z.record(text(), z.nullable(z.array(odd))) },
  })
  .check(z.meta({ description: 'Ends with "quotes" and a backslash, */ \\' }));

const pass = endpoint({
  method: "POST",
  path: "/none/{self}/{class}",
  summary: 'A "summary"',
  description: "It ends with a backslash \\",
  uses: {},
  parameters: z.object({ self: text(), class: text() }),
  query: z.object({ self: z.optional(text()), body: z.optional(odd), "x-y": z.optional(text()) }),
  json: record,
  responses: { 200: { description: "It.", body: record } },
  handler: async ({ json }) => ({ status: 200, body: json }),
});

const list = endpoint({
  method: "GET",
  path: "/any",
  summary: "A list",
  description: "Returns a list.",
  uses: {},
  responses: { 200: { description: "It.", body: z.object({ type: z.array(text()), True: z.boolean() }) } },
  handler: async () => ({ status: 200, body: { type: [], True: true } }),
});

const rotate = { ...list, path: "/operations" } as const;

export const reservedApi = service({
  name: "Reserved",
  title: 'The "Reserved" `API` \\ {x}',
  versions: { v1: [tokens, resource({ name: "reserved", folder: "/", endpoints: { pass, list, rotate } })] },
});

export const reservedProgram = `
import { createIntegrationClient } from "reserved-client";
const client = createIntegrationClient({ baseUrl: "", token: "" });
const params = { path: { self: "a", class: "b" }, query: { "x-y": "1", body: "*/" as const } };
export const change = async (body: Awaited<ReturnType<typeof read>>) => client.POST("/api/v1/none/{self}/{class}", { params, body });
declare const read: () => Promise<import("reserved-client").components["schemas"]["None"]>;
export const cell: number | undefined = (await change(await read()))["with-hyphen"]?.[0]?.[0]?.["a b"];
`;
