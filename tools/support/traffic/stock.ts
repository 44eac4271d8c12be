import type { KeyAction } from "../linearizability/key-model.ts";
import type { Caller, Target } from "./caller.ts";
import type { Held, Histories, Judge } from "./history.ts";
import { read } from "./key-client.ts";
import type { TokenPool } from "./token-pool.ts";

interface StockOptions {
  pool: TokenPool;
  caller: Caller;
  judge: Judge;
  keys: Histories<KeyAction>;
  differences: string[];
}

/** Calls that the check sends at once. */
const callsAtOnce = 4;

/** Reads everything that is stored, while nothing else is going on. */
export const createStock = ({ pool, caller: { callPatiently }, judge, keys, differences }: StockOptions) => {
  /** A new token, to read everything with. */
  const ownToken = async (): Promise<Held> => {
    const size = pool.size();
    for (let attempt = 0; attempt < 20 && pool.size() === size; attempt += 1) await pool.issue("127.0.0.1");
    const own = pool.all()[size];
    if (!own) throw new Error("No token could be issued to check the keys with.");
    return own;
  };

  async function* listedKeys(own: Held, target?: Target): AsyncGenerator<string> {
    let path: string | undefined = "/api/v1/key?limit=500";
    while (path !== undefined) {
      const answered = await callPatiently({ method: "GET", path, from: own.ip, token: own.text }, target);
      judge(own, answered);
      if (answered.status !== 200) {
        differences.push(`the list of keys cannot be read: ${answered.status} ${answered.text}`);
        return;
      }
      for (const { key_id } of JSON.parse(answered.text)) yield key_id;
      path = /^<(.*)>; rel="next"$/.exec(answered.headers.link ?? "")?.[1];
    }
  }

  return {
    ownToken,
    /** Reads each key, uses each token, and checks that the list has exactly the existing keys. */
    async take(own: Held, target?: Target): Promise<void> {
      const existing = new Set<string>();
      await inTurns(keys.names(), async (keyId) => {
        const path = `/api/v1/key/${keyId}`;
        const answered = await callPatiently({ method: "GET", path, from: own.ip, token: own.text }, target);
        judge(own, answered);
        const action = read(answered);
        if (!action) differences.push(`the key ${keyId} cannot be read: ${answered.status}`);
        else keys.note(keyId, { ...action, calledAt: answered.calledAt, answeredAt: answered.answeredAt });
        if (answered.status === 200) existing.add(keyId);
      });
      await inTurns(pool.all(), async (held) => {
        const outgoing = { method: "GET", path: "/api/v1/token", from: held.ip, token: held.text };
        judge(held, await callPatiently(outgoing, target));
      });
      for await (const keyId of listedKeys(own, target)) {
        if (!existing.delete(keyId)) differences.push(`the list has ${keyId}`);
      }
      differences.push(...[...existing].map((keyId) => `the list lacks ${keyId}`));
    },
  };
};

/** Does something with each item, with several at once. */
export const inTurns = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: callsAtOnce }, worker));
};
