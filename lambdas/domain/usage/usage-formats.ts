import * as z from "zod/mini";
import { type Item, invalidResponse } from "../../dynamodb/records.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { isTime, textThat, wholeNumber } from "../../shared/validation/fields.ts";
import { jsonText } from "../../shared/validation/json-text.ts";
import { storedIp } from "../tokens/stored-ip.ts";
import { isTokenId } from "../tokens/token-value.ts";
import { countedLeakAddress, leakAddress, maxNamedAddresses, maxRouteLength, refusal } from "./refusal.ts";

/*
 * The formats of the usage table's attributes. Some attributes are JSON, and some attribute names are not fixed, so the table
 * cannot declare them as fields.
 */

const storedTime = z.string().check(z.refine(isTime));
const storedCount = z.int().check(z.minimum(1));

export const entry = textThat(
  (value) => (isTime(value) && value.endsWith(":00:00.000Z")) || isTokenId(value),
  "must be the beginning of an hour or the id of a token.",
);

/** A number of calls. Zero is not stored. */
export const count = wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER });

/** Returns a format for JSON, and a function that reads a string in that format. */
const json = <Schema extends z.ZodMiniType>(description: string, schema: Schema) => ({
  format: jsonText(schema, description),
  read: (value: string): z.output<Schema> => z.parse(schema, JSON.parse(value)),
});

export const storedRefusal = json(
  "a refusal",
  z.extend(refusal, {
    time: storedTime,
    code: z.string().check(z.regex(/^[a-z_]{1,40}$/)),
    status: z.int().check(z.minimum(100), z.maximum(599)),
    source_ip: z.union([z.literal(""), storedIp]),
    route: z.string().check(z.maxLength(maxRouteLength)),
  }),
);

const listOf = <Address extends z.ZodMiniType<z.output<typeof leakAddress>>>(address: Address) =>
  z.array(address.check(z.refine(({ first_at, last_at }) => first_at <= last_at))).check(
    z.minLength(1),
    z.maxLength(maxNamedAddresses),
    z.refine((addresses) => new Set(addresses.map(({ source_ip }) => source_ip)).size === addresses.length),
  );

const stored = { source_ip: storedIp, first_at: storedTime, last_at: storedTime };

export const leakAddresses = json("a list of addresses", listOf(z.extend(leakAddress, stored)));

export const countedLeakAddresses = json(
  "a list of addresses with their calls",
  listOf(z.extend(countedLeakAddress, { ...stored, calls: storedCount })),
);

/** Reads a set of strings. Returns an empty list if the item has no such attribute. */
export const readSet = (item: Item, name: string): string[] => {
  const attribute = item[name];
  if (attribute === undefined) return [];
  if (!attribute.SS) throw invalidResponse(`The item's ${name} is not a set of strings.`);
  return attribute.SS;
};

/** One day longer than the longest period that admins can look at. */
export const keptMs = 8 * 24 * 60 * 60 * 1000;

/** Returns when an item for this time can be deleted: Unix seconds. */
export const deleteAt = (time: string): number => deletableAfter(time, keptMs / 1000);
