import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { invokeAdmin } from "../../support/traffic/caller.ts";
import { inTurns } from "../../support/traffic/stock.ts";
import { areCompatible } from "./compatible-responses.ts";
import type { Version, Versions } from "./versions.ts";

/** What a version says about each thing: the answers of its admin actions, by the question. */
type Readings = Map<string, string>;

interface ReadingOptions {
  versions: Versions;
  keyIds: readonly string[];
  tokenIds: readonly string[];
}

/**
 * Reads all keys, tokens, usage figures and leaks through both versions while nothing else is going on, and returns how
 * their answers differ.
 */
export const compareReadings = async (options: ReadingOptions): Promise<string[]> => {
  const { released, present } = options.versions;
  const compare = async () => differencesBetween(await readAll(released, options), await readAll(present, options));
  const differences = await compare();
  // A token may have expired, or an hour may have begun, between the two readings. That does not happen twice.
  return differences.length === 0 ? [] : compare();
};

/** Reads something. On a busy machine, a read may fail once or twice. */
const ask = async ({ target }: Version, payload: object): Promise<string> => {
  let answered = await invokeAdmin(target, payload);
  for (let attempt = 1; attempt < 4 && answered.text.startsWith('{"errorType":"unavailable"'); attempt += 1) {
    answered = await invokeAdmin(target, payload);
  }
  return answered.text;
};

const readAll = async (version: Version, { keyIds, tokenIds }: ReadingOptions): Promise<Readings> => {
  const readings: Readings = new Map();
  const read = async (action: string, fields: object = {}): Promise<string> => {
    const text = await ask(version, { ...fields, action });
    const { errorType, errorMessage } = errorSchema.parse(JSON.parse(text));
    readings.set(
      `${action} ${JSON.stringify(fields)}`,
      errorType === undefined ? text : `${errorType}: ${errorMessage}`,
    );
    return text;
  };
  await inTurns(keyIds, async (key_id) => void (await read("get_key", { key_id })));
  await inTurns(tokenIds, async (token_id) => {
    await read("get", { token_id });
    await read("usage", { token_id });
  });
  await read("leaks");
  for (const action of ["list", "list_keys"]) {
    let cursor: string | undefined;
    do {
      const { next_cursor } = pageSchema.parse(
        JSON.parse(await read(action, { limit: "100", ...(cursor && { cursor }) })),
      );
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  return readings;
};

/** The part of an answer that says that the action has failed. */
const errorSchema = z.object({ errorType: z.optional(z.string()), errorMessage: z.optional(z.string()) });

/** A failed action has no cursor. */
const pageSchema = z.object({ next_cursor: z._default(z.nullable(z.string()), null) });

const differencesBetween = (released: Readings, present: Readings): string[] => {
  const questions = new Set([...released.keys(), ...present.keys()]);
  return [...questions]
    .filter(
      (question) =>
        !areCompatible(parsed(released.get(question)), parsed(present.get(question))) ||
        isFailure(question, present.get(question)),
    )
    .map((question) => `${question}: ${released.get(question)} (released), ${present.get(question)} (present)`);
};

/** Failures are no JSON. */
const parsed = (answer = ""): unknown => (answer.startsWith("{") ? JSON.parse(answer) : answer);

/** Deleted keys are asked for too. */
const isFailure = (question: string, answer = ""): boolean =>
  !answer.startsWith("{") && !(question.startsWith("get_key ") && answer.startsWith("key_not_found: "));

/** How often a token was used with its correct secret. A call that failed may or may not count. */
export interface Uses {
  least: number;
  most: number;
}

interface UsageOptions {
  version: Version;
  uses: ReadonlyMap<string, Uses>;
  /** How long figures may take to arrive. */
  patienceMs?: number;
}

const usageSchema = z.object({ hours: z.array(z.object({ statuses: z.record(z.string(), z.number()) })) });

/** Waits until each use has been counted, and returns which counts are wrong. */
export const compareUses = async ({ version, uses, patienceMs = 15_000 }: UsageOptions): Promise<string[]> => {
  const endsAt = Date.now() + patienceMs;
  const wrong = new Map<string, string>();
  let isReadable = true;

  const compare = async ([token_id, { least, most }]: [string, Uses]): Promise<void> => {
    const text = await ask(version, { action: "usage", token_id, hours: "168" });
    const { data } = z.safeParse(usageSchema, JSON.parse(text));
    isReadable &&= data !== undefined;
    const counted = data?.hours.flatMap(({ statuses }) => Object.values(statuses)).reduce((sum, one) => sum + one, 0);
    if (counted !== undefined && counted >= least && counted <= most) wrong.delete(token_id);
    else wrong.set(token_id, `${counted ?? text} uses instead of ${least}`);
  };

  await inTurns([...uses], compare);
  while (wrong.size > 0 && isReadable && Date.now() < endsAt) {
    await sleep(300);
    await inTurns(
      [...uses].filter(([tokenId]) => wrong.has(tokenId)),
      compare,
    );
  }
  return [...wrong].map(
    ([tokenId, count]) => `the ${version.name} version has counted, for the token ${tokenId}, ${count}`,
  );
};
