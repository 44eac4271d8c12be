import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { invokeAdmin, type Target } from "../support/traffic/caller.ts";
import { inTurns } from "../support/traffic/stock.ts";

/** A running version of the service. */
export interface Version {
  name: "released" | "present";
  target: Target;
}

interface ReadingOptions {
  keyIds: readonly string[];
  tokenIds: readonly string[];
}

/** How long counts of uses may take to arrive, and tokens to expire. */
const patienceMs = 15_000;

/**
 * Reads all keys, tokens, usage figures and leaks through several versions while nothing else is going on, and returns the
 * differences between their responses.
 */
export const compareReadings = async (versions: readonly Version[], options: ReadingOptions): Promise<string[]> => {
  const endsAt = Date.now() + patienceMs;
  for (;;) {
    const readings: Map<string, string>[] = [];
    for (const version of versions) readings.push(await readAll(version, options));
    const questions = new Set(readings.flatMap((each) => [...each.keys()]));
    const differences = [...questions].filter((question) => {
      const [first = "", ...others] = readings.map((each) => each.get(question) ?? "");
      return !isExpected(question, first) || others.some((other) => !areCompatible(parsed(first), parsed(other)));
    });
    if (differences.length === 0 || Date.now() > endsAt) {
      return differences.map((question) =>
        versions
          .map(({ name }, index) => `${question} in the ${name} version: ${readings[index]?.get(question)}`)
          .join("\n"),
      );
    }
    await sleep(300);
  }
};

/** The responses of a version's admin actions, by the question. */
const readAll = async (version: Version, { keyIds, tokenIds }: ReadingOptions): Promise<Map<string, string>> => {
  const readings = new Map<string, string>();
  const read = async (action: string, fields: object = {}): Promise<string> => {
    const text = await ask(version, { ...fields, action });
    const { errorType, errorMessage } = errorSchema.parse(JSON.parse(text));
    const reading = errorType === undefined ? text : `${errorType}: ${errorMessage}`;
    readings.set(`${action} ${JSON.stringify(fields)}`, reading);
    return text;
  };
  await inTurns(keyIds, async (key_id) => void (await read("get_key", { key_id })));
  await inTurns(tokenIds, async (token_id) => {
    await read("get", { token_id });
    await read("usage", { token_id });
  });
  await read("leaks");
  for (const action of ["list", "list_keys"]) {
    let fields: object | undefined = { limit: "100" };
    while (fields) {
      const { next_cursor } = pageSchema.parse(JSON.parse(await read(action, fields)));
      fields = next_cursor === null ? undefined : { limit: "100", cursor: next_cursor };
    }
  }
  return readings;
};

/** On a busy machine, a read may fail once or twice. */
const ask = async ({ target }: Version, payload: object): Promise<string> => {
  let { text } = await invokeAdmin(target, payload);
  for (let attempt = 1; attempt < 4 && text.startsWith('{"errorType":"unavailable"'); attempt += 1) {
    ({ text } = await invokeAdmin(target, payload));
  }
  return text;
};

/** The part of a response that says that the action has failed. */
const errorSchema = z.object({ errorType: z.optional(z.string()), errorMessage: z.optional(z.string()) });

/** A failed action has no cursor. */
const pageSchema = z.object({ next_cursor: z._default(z.nullable(z.string()), null) });

/** Failures are not JSON. */
const parsed = (response: string): unknown => (response.startsWith("{") ? JSON.parse(response) : response);

/** Deleted keys are read, too, and may be missing. */
const isExpected = (question: string, response: string): boolean =>
  response.startsWith("{") || (question.startsWith("get_key ") && response.startsWith("key_not_found: "));

/**
 * Whether two responses say the same. One version may know fields that the other one does not, so one of two objects may have
 * more fields.
 */
export const areCompatible = (one: unknown, other: unknown): boolean => {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => areCompatible(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return isDeepStrictEqual(one, other);
  const [fewer, more] = Object.keys(one).length <= Object.keys(other).length ? [one, other] : [other, one];
  if (Object.keys(fewer).length === 0) return Object.keys(more).length === 0;
  return Object.entries(fewer).every(([name, value]) => name in more && areCompatible(value, more[name]));
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
