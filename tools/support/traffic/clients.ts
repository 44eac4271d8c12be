import { formatTokenText, generateTokenText } from "../../../lambdas/resources/tokens/token-text.ts";
import type { KeyAction } from "../linearizability/key-model.ts";
import type { Answered, Caller } from "./caller.ts";
import type { Held, Histories, Judge } from "./history.ts";
import { keyRequest } from "./key-client.ts";
import type { TokenPool } from "./token-pool.ts";

/** New keys are used after this time, so that no history grows long. */
const generationMs = 4_000;
const keysOfAGeneration = 24;

export const addresses = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 2}`);

/** Most tokens have no limit. The others use their limit up. */
const limits = [undefined, undefined, undefined, 5, 40];

export const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

interface ClientOptions {
  pool: TokenPool;
  caller: Caller;
  judge: Judge;
  keys: Histories<KeyAction>;
  differences: string[];
}

/** The calls of clients: they work with keys, and sometimes send calls that must be refused. */
export const createClients = ({ pool, caller: { call }, judge, keys, differences }: ClientOptions) => {
  const expectStatus = ({ status, text }: Answered, expected: number, what: string) => {
    if (status !== expected && status !== 0 && status < 500) {
      differences.push(`${what} got the status ${status} instead of ${expected}: ${text}`);
    }
  };

  const useKey = async (held: Held) => {
    const generation = Math.floor(Date.now() / generationMs);
    const keyId = `key-${generation}-${Math.floor(Math.random() * keysOfAGeneration)}`;
    const { actionOf, ...outgoing } = keyRequest(keyId);
    const answered = await call({ ...outgoing, from: held.ip, token: held.text });
    if (!judge(held, answered) || answered.status === 403 || answered.status === 429) return;
    const action = actionOf(answered);
    if (action) keys.note(keyId, { ...action, calledAt: answered.calledAt, answeredAt: answered.answeredAt });
  };

  /** Sends a call that must be refused, whatever the state of the service. */
  const trespass = async (held: Held) => {
    const path = "/api/v1/key";
    const from = anyOf(addresses);
    const forged = formatTokenText({ ...generateTokenText(), token_id: held.id });
    switch (anyOf(["elsewhere", "elsewhere", "forged", "unknown", "none", "html"])) {
      case "elsewhere": {
        const elsewhere = anyOf(addresses.filter((address) => address !== held.ip));
        const answered = await call({ method: "GET", path, from: elsewhere, token: held.text });
        if (judge(held, answered)) expectStatus(answered, 403, "a token from another address");
        return;
      }
      case "forged":
        return expectStatus(
          await call({ method: "DELETE", path: `${path}/x`, from: held.ip, token: forged }),
          401,
          "a forged token",
        );
      case "unknown":
        return expectStatus(
          await call({ method: "GET", path, from, token: formatTokenText(generateTokenText()) }),
          401,
          "an unknown token",
        );
      case "none":
        return expectStatus(await call({ method: "GET", path, from }), 401, "a call without a token");
      default:
        return expectStatus(
          await call({ method: "GET", path, from, token: held.text, headers: { accept: "text/html" } }),
          302,
          "a call for HTML",
        );
    }
  };

  return {
    /** One call of a client. */
    async act(): Promise<void> {
      const held = pool.any();
      if (held) await (Math.random() < 0.75 ? useKey(held) : trespass(held));
    },
    /** One action of an admin. */
    async administer(): Promise<void> {
      const held = pool.any();
      const chance = Math.random();
      if (!held || chance < 0.5 || pool.size() < 20) await pool.issue(anyOf(addresses), anyOf(limits));
      else if (chance < 0.75) await pool.rotate(held, anyOf([0, 1, 3600]));
      else await pool.revoke(held);
    },
  };
};
