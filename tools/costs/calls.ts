import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { formatEntry } from "../../lambdas/resources/history/change-entry.ts";
import { rightsOf, storeNames, tables } from "../../lambdas/resources/stores.ts";
import { mergeUses, tokenCheck, type Uses } from "../../lambdas/resources/uses.ts";

/** The size of an item whose values are texts, as DynamoDB counts it for reads and writes: names and values. */
const itemBytes = (record: object): number =>
  Object.entries(record).reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}${value}`), 0);

const { token_id, ip } = tables.tokens.example;
const author = { by: `token:${token_id}`, from: ip, requestId: "JKJaXmPLvHcESHA=" };
const history = formatEntry(tables.keys.example.created_at, { kind: "created", author });

/** A key that has not been changed since its creation. */
const keyBytes = itemBytes({ ...tables.keys.example, change_shard: "0", history });

/** How many keys the list has that is measured. */
export const keysOfPage = 100;

const measuredCall = z.object({
  /** How long a warm function took, including the database: the median of many calls. */
  milliseconds: z.number(),
  /** The text that it wrote to its log. */
  logBytes: z.number(),
  /** The response's body as it is sent, and its headers. */
  answerBytes: z.number(),
});

const measuredShape = z.object({
  /** The machine of the measurement. */
  machine: z.string(),
  endpoints: z.record(z.string(), measuredCall),
  /** Calls with a header by which a client of an endpoint can save something. */
  variants: z.array(z.extend(measuredCall, { endpoint: z.string(), header: z.string() })),
});

export type Measured = z.output<typeof measuredShape>;

export const measuredFile = new URL("measured.json", import.meta.url);

/** The figures that `npm run lab -- costs` found. */
export const readMeasured = async (): Promise<Measured> =>
  measuredShape.parse(JSON.parse(await readFile(measuredFile, "utf8")));

/** What one call uses. */
export interface Call extends z.output<typeof measuredCall> {
  name: string;
  /** Whether the call is part of a client's everyday work, and does not change the client's own token. */
  isOrdinary: boolean;
  reads: number;
  writes: number;
  /** Of the index of changes. */
  indexWrites: number;
}

/** The work that every call does with its token. Requests are counted only for tokens with a limit. */
const { limits: _, ...everyTokenCheck } = tokenCheck;

/** A call of each endpoint that has been measured. */
export const callsOf = (measured: Measured): Call[] =>
  operationsOf(api).flatMap(({ functionName: name, endpoint }) => {
    const found = measured.endpoints[name];
    if (!found) return [];
    const units = databaseUnits(mergeUses<Uses, Uses>(usualUses(endpoint.uses), everyTokenCheck));
    return [{ name, isOrdinary: endpoint.credential === undefined, ...units, ...found }];
  });

/** A call that gets a new token. It costs more if another change comes first, and less until its address is confirmed. */
const usualUses = ({ tokens: operations = [], ...others }: Uses): Uses => {
  const unusual = operations.includes("insert") ? ["settle", "revoke", "request"] : ["request"];
  return { ...others, tokens: operations.filter((operation) => !unusual.includes(operation)) };
};

/** Items are smaller than the units, so each action takes one unit. Only a page takes more: all of its items are read. */
const unitsOfRead: Readonly<Record<string, number>> = {
  GetItem: 1,
  Query: 1,
  Scan: Math.ceil((keysOfPage * keyBytes) / 4096),
};

const databaseUnits = (uses: Uses): Pick<Call, "reads" | "writes" | "indexWrites"> => {
  // A permission for some attributes only is for occasional writes, not for those of each call.
  const actions = storeNames
    .flatMap((store) => rightsOf(store, uses[store] ?? []))
    .filter((action) => typeof action === "string");
  return {
    reads: actions.reduce((sum, action) => sum + (unitsOfRead[action] ?? 0), 0),
    writes: actions.filter((action) => !(action in unitsOfRead)).length,
    indexWrites: indexWritesOf(uses),
  };
};

/** The operations that make a record. All other changes move it in the index of changes: one entry goes, and one comes. */
const making: readonly string[] = ["create", "insert"];

const indexWritesOf = (uses: Uses): number =>
  storeNames
    .filter((store) => "hasHistory" in tables[store])
    .flatMap((store) => (uses[store] ?? []).filter((operation) => rightsOf(store, [operation]).includes("UpdateItem")))
    .reduce((sum, operation) => sum + (making.includes(operation) ? 1 : 2), 0);
