import { setTimeout as sleep } from "node:timers/promises";
import { createCaller, isFailure, type Target } from "./caller.ts";
import { anyOf, createKeyHistories, keyRequest, pathOf } from "./keys.ts";
import { addresses, createEnds, createSteps } from "./lives.ts";
import { createHolders, type Held, type Versions } from "./tokens.ts";

const pauseMs = 30;
const keyCallsPerStep = 3;
/** The number of parallel calls when everything is read. */
const readers = 4;

/**
 * Simulates clients at many addresses that use the service at the same time. Checks whether all responses are possible, and whether
 * everything that was acknowledged is still there. A call may fail, for example because the machine is busy or something is killed.
 * It is then unknown whether the call has taken effect.
 */
export const createTraffic = (versions: Versions, clients: number) => {
  const problems: string[] = [];
  const caller = createCaller(problems);
  const keys = createKeyHistories();
  const holders = createHolders({ caller, problems, versions });
  const steps = createSteps(holders, versions);
  const { begin, revoke } = createEnds(holders, versions);
  const done: Record<string, number> = Object.fromEntries(Object.keys(steps).map((name) => [name, 0]));

  const useKeys = async (held: Held): Promise<void> => {
    for (let call = 0; call < keyCallsPerStep; call += 1) {
      const { keyId, request } = keyRequest();
      const answered = await caller.call(versions.choose(), { ...request, from: held.ip, token: held.text });
      keys.note(keyId, request, answered);
      const isAdmitted = isFailure(answered) || ![401, 403, 429].includes(answered.status);
      holders.expect("whether an active token is admitted", isAdmitted, true);
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  };

  /** Runs the lives of tokens and their successors one after another, one step at a time. */
  async function* live(): AsyncGenerator {
    for (let isInvited = true; ; isInvited = !isInvited) {
      let held = await begin(isInvited);
      for (const [name, step] of Object.entries(steps).toSorted(() => anyOf([-1, 1]))) {
        await useKeys(held);
        yield;
        held = await step(held);
        done[name] = (done[name] ?? 0) + 1;
        yield;
      }
      await revoke(held);
      yield;
    }
  }
  const lives = Array.from({ length: clients }, live);

  /** Reads each key, and the list, which must contain exactly the existing keys. */
  const checkKeys = async (target: Target): Promise<void> => {
    const own = await holders.issue(anyOf(addresses));
    const existing = new Set<string>();
    await atOnce(keys.ids(), async (keyId) => {
      const { outcome, answered } = await holders.send(`GET ${pathOf(keyId)}`, own, { target });
      holders.expect(`whether the key ${keyId} can be read`, outcome, 200, "key_not_found");
      keys.note(keyId, { method: "GET" }, answered);
      if (outcome === 200) existing.add(keyId);
    });
    let path: string | undefined = "/api/v1/key?limit=500";
    const listed = new Set<string>();
    while (path !== undefined) {
      const { outcome, answered } = await holders.send(`GET ${path}`, own, { target });
      holders.expect("a page of keys", outcome, 200);
      const page: { key_id: string }[] = outcome === 200 ? JSON.parse(answered.text) : [];
      for (const { key_id } of page) listed.add(key_id);
      path = /^<(.*)>; rel="next"$/.exec(answered.headers.link ?? "")?.[1];
    }
    problems.push(...[...existing].filter((keyId) => !listed.has(keyId)).map((keyId) => `the list lacks ${keyId}`));
    problems.push(...[...listed].filter((keyId) => !existing.has(keyId)).map((keyId) => `the list has ${keyId}`));
  };

  return {
    /** Everything that went wrong. */
    problems,
    caller,
    keyIds: keys.ids,
    tokenIds: holders.ids,
    /** Returns how often each step has been done. */
    done: (): Readonly<Record<string, number>> => done,
    /** Lets the clients continue until `isEnough` or until something is wrong. */
    async send(isEnough: () => boolean): Promise<void> {
      const client = async (life: AsyncGenerator) => {
        while (problems.length === 0 && !isEnough()) await life.next();
      };
      await Promise.all(lives.map(client));
    },
    /** Reads each key and uses each token through a version, while nothing else is going on. */
    async checkStock(target: Target): Promise<void> {
      await checkKeys(target);
      await atOnce(holders.ids(), (id) => holders.useAgain(id, target));
    },
    /** Returns the keys whose histories cannot have happened. */
    impossibleHistories: keys.impossible,
    figures: () => ({
      ...done,
      keys: keys.ids().length,
      "operations on keys": keys.operations(),
      tokens: holders.ids().length,
      "expectations met": holders.checks(),
    }),
  };
};

/** Processes each item, several at once. */
export const atOnce = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: readers }, worker));
};
