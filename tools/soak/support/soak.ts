import { setTimeout as sleep } from "node:timers/promises";
import { formatTokenText, generateTokenText } from "../../../lambdas/resources/tokens/token-text.ts";
import { type KeyAction, keyModel } from "../../support/linearizability/key-model.ts";
import type { Model } from "../../support/linearizability/linearizability.ts";
import { createCaller } from "./caller.ts";
import type { Answered } from "./calls.ts";
import { createHistories } from "./history.ts";
import { keyRequest, read, vCodeMark } from "./key-client.ts";
import { serviceProcess } from "./process.ts";
import { createTokenPool, type Held } from "./token-pool.ts";
import { type TokenEvent, verdictModel } from "./verdict-model.ts";

/** What a soak has done so far. */
export interface SoakProgress {
  statuses: Record<string, number>;
  processKills: number;
  threadKills: number;
}

export interface SoakOptions {
  /** The maximum duration. */
  seconds: number;
  /** Ends the soak early. */
  isEnough?: (progress: SoakProgress) => boolean;
  port: number;
  dataDirectory: string;
  assemblyDirectory: string;
  clients?: number;
  /** The pause of a client between two calls. */
  pauseMs?: number;
  killThreadEveryMs?: number;
  killProcessEveryMs?: number;
}

export interface SoakReport {
  /** Everything that is wrong. */
  differences: string[];
  figures: Record<string, number>;
  /** How often each status was returned. */
  statuses: Record<string, number>;
}

const addresses = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 2}`);
const adminPauseMs = 150;
/** Keys are replaced by new ones after a while, so that no history grows long. */
const generationMs = 4_000;
const keysOfAGeneration = 24;
const leak = new RegExp(`itk_[0-9A-Z]{26}_|${vCodeMark}`);

const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/**
 * Lets clients with many addresses and an admin use the service while its threads and the whole process are
 * killed. Then checks that all answers are consistent, and that nothing acknowledged is lost.
 */
export const soak = async (options: SoakOptions): Promise<SoakReport> => {
  const { seconds, port, dataDirectory, assemblyDirectory } = options;
  const { clients = 10, pauseMs = 40, killThreadEveryMs = 2_000, killProcessEveryMs = 20_000 } = options;
  const { isEnough = () => false } = options;
  const service = serviceProcess({ port, dataDirectory, assemblyDirectory, killThreadEveryMs, leak });
  const keys = createHistories<KeyAction>();
  const events = createHistories<TokenEvent>();
  const pool = createTokenPool(port + 1, events);
  const differences: string[] = [];
  const caller = createCaller(port, differences);
  const { call, callPatiently } = caller;
  const usedKeys = new Set<string>();
  const endsAt = Date.now() + seconds * 1000;
  let processKills = 0;
  const end = Promise.withResolvers<void>();
  const isOver = (): boolean => {
    const progress = { statuses: caller.statuses(), processKills, threadKills: service.threadKills() };
    const over = Date.now() >= endsAt || isEnough(progress);
    if (over) end.resolve();
    return over;
  };
  const pause = (milliseconds: number) => Promise.race([sleep(milliseconds), end.promise]);

  const expectStatus = ({ status, text }: Answered, expected: number, of: string) => {
    if (status !== expected && status !== 0 && status < 500) differences.push(`${of} was answered ${status}: ${text}`);
  };

  /** Records the verdict on a token. The rest of the answer only counts if that is `active`. */
  const judge = ({ id }: Held, { status, text, calledAt, answeredAt }: Answered): boolean => {
    if (status === 0 || status >= 500) return true;
    const code: unknown = status === 401 || status === 403 ? JSON.parse(text).code : undefined;
    if (code === "token_invalid" || code === "token_missing")
      differences.push(`the token ${id} was answered ${String(code)}`);
    const verdict = code === "token_expired" ? "expired" : code === "token_revoked" ? "revoked" : "active";
    const action = { kind: "use", verdict, from: calledAt, to: answeredAt } as const;
    events.note(id, { action, calledAt, answeredAt, isKnown: true });
    return verdict === "active";
  };

  const useKey = async (held: Held) => {
    const generation = Math.floor(Date.now() / generationMs);
    const keyId = `soak-${generation}-${Math.floor(Math.random() * keysOfAGeneration)}`;
    const { told, ...outgoing } = keyRequest(keyId);
    const answered = await call({ ...outgoing, from: held.ip, token: held.text });
    usedKeys.add(keyId);
    if (!judge(held, answered) || answered.status === 403) return;
    const done = told(answered);
    if (done) keys.note(keyId, { ...done, calledAt: answered.calledAt, answeredAt: answered.answeredAt });
  };

  /** Requests that must be refused whatever the state of the service. */
  const trespass = async (held: Held) => {
    const path = "/api/v1/key";
    const from = anyOf(addresses);
    const forged = formatTokenText({ ...generateTokenText(), token_id: held.id });
    switch (anyOf(["elsewhere", "elsewhere", "forged", "unknown", "none", "html"])) {
      case "elsewhere": {
        const elsewhere = anyOf(addresses.filter((address) => address !== held.ip));
        const answered = await call({ method: "GET", path, from: elsewhere, token: held.text });
        if (judge(held, answered)) expectStatus(answered, 403, "a token from elsewhere");
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
        return expectStatus(await call({ method: "GET", path, from }), 401, "no token");
      default:
        return expectStatus(
          await call({ method: "GET", path, from, token: held.text, headers: { accept: "text/html" } }),
          302,
          "HTML",
        );
    }
  };

  const client = async () => {
    while (!isOver()) {
      const held = pool.any();
      if (held) await (Math.random() < 0.75 ? useKey(held) : trespass(held));
      await pause(pauseMs * (0.5 + Math.random()));
    }
  };

  const admin = async () => {
    while (!isOver()) {
      const held = pool.any();
      const chance = Math.random();
      if (!held || chance < 0.5 || pool.size() < 20) await pool.issue(anyOf(addresses));
      else if (chance < 0.75) await pool.rotate(held, anyOf([0, 1, 3600]));
      else await pool.revoke(held);
      await pause(adminPauseMs);
    }
  };

  const killer = async () => {
    while (!isOver()) {
      await pause(killProcessEveryMs * (0.75 + Math.random() / 2));
      if (isOver()) return;
      await service.kill();
      processKills += 1;
      await service.start();
    }
  };

  /** At the end, each key is read and each token used once more, and the list must have exactly the existing keys. */
  const takeStock = async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) await pool.issue("127.0.0.1");
    const own = pool.all().findLast(({ ip }) => ip === "127.0.0.1");
    if (!own) throw new Error("no token could be issued for the final check");
    const there = new Set<string>();
    for (const keyId of usedKeys) {
      const answered = await callPatiently({
        method: "GET",
        path: `/api/v1/key/${keyId}`,
        from: own.ip,
        token: own.text,
      });
      const told = read(answered);
      if (!told) differences.push(`the key ${keyId} could not be read in the end: ${answered.status}`);
      else keys.note(keyId, { ...told, calledAt: answered.calledAt, answeredAt: answered.answeredAt });
      if (answered.status === 200) there.add(keyId);
    }
    for (const held of pool.all()) {
      judge(held, await callPatiently({ method: "GET", path: "/api/v1/token", from: held.ip, token: held.text }));
    }
    for await (const keyId of listed(own)) if (!there.delete(keyId)) differences.push(`the list has ${keyId}`);
    differences.push(...[...there].map((keyId) => `the list lacks ${keyId}`));
  };

  async function* listed(own: Held): AsyncGenerator<string> {
    let path: string | undefined = "/api/v1/key?limit=500";
    while (path !== undefined) {
      const { text, headers }: Answered = await callPatiently({ method: "GET", path, from: own.ip, token: own.text });
      for (const { key_id } of JSON.parse(text)) yield key_id;
      path = /^<(.*)>; rel="next"$/.exec(headers.link ?? "")?.[1];
    }
  }

  try {
    await service.start();
    await Promise.all([killer(), admin(), ...Array.from({ length: clients }, client)]);
    // One last kill: whatever exists after it was on the disk.
    await service.kill();
    processKills += 1;
    await service.start();
    await takeStock();
  } finally {
    await service.kill();
  }

  differences.push(...keys.impossible(() => keyModel as Model<unknown, KeyAction>));
  differences.push(...events.impossible(() => verdictModel as Model<unknown, TokenEvent>));
  differences.push(...service.leaks().map((line) => `a secret in the log: ${line}`));
  if (caller.gatewayFailures() > service.threadKills()) {
    differences.push(`${caller.gatewayFailures()} calls failed, but only ${service.threadKills()} threads were killed`);
  }

  return {
    differences,
    statuses: caller.statuses(),
    figures: {
      seconds,
      calls: caller.calls(),
      addresses: addresses.length,
      tokens: pool.size(),
      "keys checked": keys.size().objects,
      "operations on keys": keys.size().operations,
      "verdicts and changes of tokens": events.size().operations,
      "threads killed": service.threadKills(),
      "answered 500 by the gateway for it": caller.gatewayFailures(),
      "processes killed": processKills,
      "median ms": caller.percentile(0.5),
      "99th percentile ms": caller.percentile(0.99),
      "most memory MB": service.memory().most,
      "last memory MB": service.memory().last,
      differences: differences.length,
    },
  };
};
