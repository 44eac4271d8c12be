import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { TokenRecord } from "../../lambdas/resources/tokens/token-store.ts";
import { matchesHash, parseTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { type ActionExample, actionExamples } from "../../tools/support/examples.ts";
import { exampleStates, type StateName, stateNames } from "../../tools/support/table-states.ts";
import { author } from "../support/authors.ts";
import type { Call } from "./support/fault-proxy.ts";
import { faultNames, faults } from "./support/faults.ts";
import { type Lane, runOnLanes, startLane, startLanes } from "./support/lane.ts";

/*
 * Admin actions whose calls to the database meet faults. The response is a success that is stored, or `unavailable`. A rotation
 * never leaves a client without a working token whose text somebody has.
 */

let lane: Lane;
beforeAll(async () => {
  lane = await startLane(inject("assemblyDirectory"));
});
afterAll(() => lane.close());

const always = Number.POSITIVE_INFINITY;
const eachTimes = [1, always];

// One fault of each kind stands for the others. Only actions that replace something meet every quick fault.
const representatives = faultNames(false);
const isQuick = (name: string) => !faults[name]?.isSlow;
const quickFaultsFor = (action: string) => faultNames(action === "replace_key").filter(isQuick);

/** Performs an action that meets a fault. Returns its result, or `unavailable`; anything else fails the test. */
const perform = async (
  on: Lane,
  payload: object,
  rule: { fault: string; times: number; matches: (call: Call) => boolean },
): Promise<{ result: unknown } | "unavailable"> => {
  const { fault } = faults[rule.fault] ?? {};
  if (!fault) throw new Error(`There is no fault ${rule.fault}.`);
  const injected = on.proxy.inject({ ...rule, fault });
  const { outcome } = await on.functions.invoke("admin", payload);
  injected.remove();
  if ("error" in outcome) {
    expect(outcome.error).toMatchObject({ name: "unavailable" });
    return "unavailable";
  }
  return { result: outcome.answer };
};

describe("every action", () => {
  const actions = actionExamples();
  /** The problems of each action that meets a fault, by action. */
  const problems = new Map<string, string[]>();
  /** The actions whose example calls the database. */
  const callers = new Set<string>();

  beforeAll(async () => {
    const lanes = await startLanes(inject("assemblyDirectory"), 2);
    const [first] = lanes as [Lane];
    const references = new Map<string, Reference>();
    for (const action of actions) references.set(action.name, await findReference(first, action));

    const jobs = actions.flatMap((action) =>
      quickFaultsFor(action.name).flatMap((fault) => eachTimes.map((times) => ({ action, fault, times }))),
    );
    await runOnLanes(lanes, jobs, async (own, { action: { name, payload }, fault, times }) => {
      const { state, after } = references.get(name) as Reference;
      await own.tables.fill(exampleStates[state]);
      const matches = () => callers.add(name) !== undefined;
      const outcome = await perform(own, payload, { fault, times, matches });
      const then = await contentsOf(own);
      const found = problems.get(name) ?? [];
      if (outcome !== "unavailable" && then !== after) found.push(`${fault}, ${times} times: the tables hold ${then}`);
      problems.set(name, found);
    });
    await Promise.all(lanes.map((own) => own.close()));
  });

  test.each(actions)("$name succeeds and is stored, or is unavailable, whatever fault it meets", ({ name }) => {
    expect(problems.get(name)?.join("\n")).toBe("");
  });

  test("calls the database in its example if it uses a store", () => {
    const users = actions.filter(({ uses }) => Object.keys(uses).length > 0).map(({ name }) => name);
    expect([...callers].toSorted()).toEqual(users.toSorted());
  });
});

/** The state of the tables in which an example succeeds, and what the tables hold afterwards. */
interface Reference {
  state: StateName;
  after: string;
}

const findReference = async (own: Lane, { name, payload }: ActionExample): Promise<Reference> => {
  for (const state of ["filled", ...stateNames] as const) {
    await own.tables.fill(exampleStates[state]);
    const { outcome } = await own.functions.invoke("admin", payload);
    if ("answer" in outcome) return { state, after: await contentsOf(own) };
  }
  throw new Error(`The example of ${name} succeeds with none of the tables ${stateNames.join(", ")}.`);
};

/** The contents of the tables without ids, secrets and values derived from them, which differ each time. */
const contentsOf = async (own: Lane): Promise<string> => {
  const items = Object.entries(await own.tables.contents()).flatMap(([store, all]) =>
    all.map((item) => `${store} ${JSON.stringify(Object.entries(item).toSorted())}`),
  );
  return items
    .map((item) =>
      item
        .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "an id")
        .replace(/"[\w-]{43}"/g, '"a hash"')
        .replace(/"change_shard","\d"/g, '"change_shard","a shard"')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time"),
    )
    .toSorted()
    .join("\n");
};

let count = 0;
const newName = () => `admin-${count++}`;

const tokensOf = async (comment: string): Promise<TokenRecord[]> => {
  const { tokens } = await lane.stores.tokens.list({ limit: 1_000_000 });
  return tokens.filter((record) => record.comment === comment);
};

const proves = (token: unknown, record: TokenRecord | undefined): boolean =>
  matchesHash(parseTokenText(String(token))?.secret ?? "", record?.secret_hash);

/** Performs an action on the shared lane and checks that it meets the fault. */
const act = async (payload: object, { matches, ...rule }: Parameters<typeof perform>[2]) => {
  let hits = 0;
  const counted = (call: Call) => {
    const isHit = matches(call);
    if (isHit) hits += 1;
    return isHit;
  };
  const outcome = await perform(lane, payload, { ...rule, matches: counted });
  expect(hits).toBeGreaterThan(0);
  return outcome === "unavailable" ? undefined : (outcome.result as Record<string, unknown>);
};

describe.concurrent("issuing a token", () => {
  test.each(representatives)("stores at most one token, which is the one it returned, for %s", async (fault) => {
    for (const times of eachTimes) {
      const comment = newName();
      const matches = ({ operation, body }: Call) => operation === "UpdateItem" && body.includes(`"${comment}"`);
      const result = await act({ action: "issue", ip: "127.0.0.1", comment }, { fault, times, matches });
      const stored = await tokensOf(comment);
      expect(stored.length).toBeLessThanOrEqual(1);
      if (result) expect(proves(result.token, stored[0])).toBe(true);
    }
  });
});

describe.concurrent("rotating a token", () => {
  /** The calls of a rotation: the new token refers to the old one, and has a key of its own. */
  const steps: Record<string, (call: Call, tokenId: string) => boolean> = {
    "look-up": ({ operation }) => operation === "GetItem",
    "new token": ({ operation, body }, id) => operation === "UpdateItem" && !isAbout(body, id),
    "old token": ({ operation, body }, id) => operation === "UpdateItem" && isAbout(body, id),
  };
  const isAbout = (body: string, id: string) => body.includes(`"Key":{"token_id":{"S":"${id}"}}`);
  const cases = representatives.flatMap((fault) => Object.keys(steps).map((step) => [fault, step] as const));
  test.each(cases)("leaves a token that works, for %s on its %s", async (fault, step) => {
    for (const times of eachTimes) {
      const { record: old } = await lane.storedToken({ comment: newName() });
      const matches = (call: Call) => call.body.includes(old.token_id) && steps[step]?.(call, old.token_id) === true;
      const rotation = { action: "rotate", token_id: old.token_id, grace_seconds: 0 };
      const result = await act(rotation, { fault, times, matches });

      const all = await tokensOf(old.comment);
      const now = all.find(({ token_id }) => token_id === old.token_id);
      const successors = all.filter(({ predecessor_id }) => predecessor_id === old.token_id);
      if (result) {
        expect(now?.successor_id).toBe(result.token_id);
        const own = successors.find(({ token_id }) => token_id === result.token_id);
        expect(proves(result.token, own) && own?.revoked_at === undefined).toBe(true);
        expect(successors).toHaveLength(1);
      } else {
        // Either the token has not ended, or its record names the successor, which can be rotated.
        const named = successors.find(({ token_id }) => token_id === now?.successor_id);
        expect(now?.successor_id === undefined || named?.revoked_at === undefined).toBe(true);
        const next = { ...rotation, token_id: now?.successor_id ?? old.token_id };
        expect(await lane.admin(next)).toMatchObject({ token: expect.stringMatching(/^itk_/) });
      }
    }
  });
});

describe.concurrent("revoking a token", () => {
  test.each(representatives)("has revoked the token if it says so, and can be repeated, for %s", async (fault) => {
    for (const times of eachTimes) {
      const { record } = await lane.storedToken({ comment: newName() });
      const matches = ({ operation, body }: Call) => operation === "UpdateItem" && body.includes(record.token_id);
      const revocation = { action: "revoke", token_id: record.token_id };
      const result = await act(revocation, { fault, times, matches });
      const revoked = await lane.stores.tokens.find(record.token_id);
      if (result) expect(revoked?.revoked_at).toBe(result.revoked_at);
      const again = await lane.admin(revocation);
      if (revoked?.revoked_at !== undefined) expect(again.revoked_at).toBe(revoked.revoked_at);
      expect(again.state).toBe("revoked");
    }
  });
});

describe.concurrent("limiting a token", () => {
  test.each(representatives)("has set the limit if it says so, and can be repeated, for %s", async (fault) => {
    for (const times of eachTimes) {
      const { record } = await lane.storedToken({ comment: newName(), rate_limit: 10 });
      const matches = ({ operation, body }: Call) => operation === "UpdateItem" && body.includes(record.token_id);
      const change = { action: "update", token_id: record.token_id, rate_limit: 20 };
      const result = await act(change, { fault, times, matches });
      const changed = await lane.stores.tokens.find(record.token_id);
      if (result) expect(changed?.rate_limit).toBe(result.rate_limit);
      // The token is never without a limit in the meantime.
      expect([10, 20]).toContain(changed?.rate_limit);
      expect(await lane.admin(change)).toMatchObject({ rate_limit: 20, state: "active" });
    }
  });
});

describe.concurrent("managing keys", () => {
  const [before, after] = ["b".repeat(64), "a".repeat(64)];
  const changes = [
    ["create_key", { v_code: after }, after],
    ["replace_key", { v_code: after }, after],
    ["delete_key", {}, undefined],
  ] as const;

  test.each(representatives.flatMap((fault) => changes.map((change) => [fault, ...change] as const)))(
    "stores what it says, for %s: %s",
    async (fault, action, fields, vCodeAfter) => {
      for (const times of eachTimes) {
        const key_id = newName();
        if (action !== "create_key") await lane.stores.keys.create({ key_id, v_code: before }, author);
        const first = await lane.stores.keys.get(key_id);
        const matches = ({ body }: Call) => body.includes(`{"S":"${key_id}"}`);
        const result = await act({ action, key_id, ...fields }, { fault, times, matches });
        const stored = await lane.stores.keys.get(key_id);
        if (result !== undefined) expect(stored?.v_code).toBe(vCodeAfter);
        else expect([first?.v_code, vCodeAfter]).toContain(stored?.v_code);
      }
    },
  );
});
