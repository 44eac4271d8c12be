import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../release/compare-descriptions.ts";
import { type Fields, invokeAdmin, patiently, type Target } from "./traffic/caller.ts";
import { atOnce } from "./traffic/traffic.ts";

/** How long it may take until uses are counted and tokens expire. */
const patienceMs = 15_000;

/**
 * Reads all keys, tokens, usage figures and leaks through two versions while nothing else is going on. Returns the differences
 * between their responses.
 */
export const compareReadings = async (
  [released, present]: readonly [Target, Target],
  { keyIds, tokenIds }: { keyIds: readonly string[]; tokenIds: readonly string[] },
): Promise<string[]> => {
  const problems: string[] = [];
  const endsAt = Date.now() + patienceMs;

  const compare = async (action: string, fields: Fields = {}): Promise<Fields> => {
    const read = async (target: Target): Promise<Fields> => {
      const { outcome, body } = await patiently(() => invokeAdmin(target, { ...fields, action }));
      return outcome === 200 ? body : { refusal: outcome };
    };
    for (;;) {
      const [one, other] = [await read(released), await read(present)];
      // Deleted keys are read too.
      const isExpected = !("refusal" in one) || one.refusal === "key_not_found";
      if (isExpected && areCompatible(one, other)) return one;
      if (Date.now() > endsAt) {
        const what = `${action} ${JSON.stringify(fields)}`;
        problems.push(`${what}: ${JSON.stringify(one)} in the release, ${JSON.stringify(other)} in this version`);
        return one;
      }
      await sleep(300);
    }
  };

  await atOnce(keyIds, async (key_id) => void (await compare("get_key", { key_id })));
  await atOnce(tokenIds, async (token_id) => {
    await compare("get", { token_id });
    await compare("usage", { token_id });
  });
  await compare("leaks");
  for (const action of ["list", "list_keys"]) {
    let cursor: unknown;
    do {
      const fields = { limit: "100", ...(typeof cursor === "string" && { cursor }) };
      ({ next_cursor: cursor } = await compare(action, fields));
    } while (typeof cursor === "string");
  }
  return problems;
};

/**
 * Checks whether two responses are equivalent. One version may know fields that the other does not, so one of two objects may have
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
