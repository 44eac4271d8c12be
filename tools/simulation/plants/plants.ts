import type { Item } from "cdk-local-runner/database";
import { hashSecret } from "../../../lambdas/resources/tokens/token-text.ts";
import type { Plant } from "../functions.ts";
import { clientAddress, vCodeOf } from "../situation.ts";
import { ownTokenPlants } from "./own-tokens.ts";
import { historyPlants, noticePlants } from "./records.ts";
import {
  around,
  asPut,
  cached,
  changing,
  historyIn,
  later,
  reading,
  readingIn,
  replaceCondition,
  stale,
  swallowingFailure,
  withoutCondition,
  withoutGuard,
  withValue,
  writes,
} from "./seams.ts";

/*
 * Bugs that the simulation must find. Each changes the behaviour of the real code from outside, at its requests or at its
 * handlers. A plant may have a memory, so each run has one of its own.
 */

const without =
  (name: string) =>
  (item: Item): Item => {
    const { [name]: _, ...rest } = item;
    return rest;
  };

/** Reads a tombstone as if the key still existed. */
const undeleted = (item: Item): Item => {
  const { deletion_id, delete_at: _, ...rest } = item;
  return deletion_id ? { ...rest, v_code: { S: vCodeOf("c") }, created_at: item.updated_at ?? { S: "" } } : item;
};

const everySecond = <Value>(value: Value, other: Value): (() => Value) => {
  let count = 0;
  return () => {
    count += 1;
    return count % 2 === 0 ? other : value;
  };
};

export const plants: Readonly<Record<string, () => Plant>> = {
  // Late attempts that undo acknowledged changes.
  "a late issue revives a revoked token": () => asPut(writes.issue),
  "a late rotation revives a revoked successor": () => asPut(writes.successor),
  "a late replacement undoes a later one": () => changing(writes.replacement, withoutGuard),
  "a late deletion deletes a key that was created again": () => changing(writes.deletion, withoutGuard),
  "a late creation brings a deleted key back": () => changing(writes.creation, withoutGuard),
  "a late change of a limit undoes a later one": () => changing(writes.update, withoutGuard),

  // Invitations, rotations and moves.
  ...ownTokenPlants,

  // Histories.
  ...historyPlants,

  // Notices.
  ...noticePlants,

  // Conditions and times.
  "a deletion leaves nothing": () => ({
    seam: {
      request: (action, request) =>
        action === "UpdateItem" && writes.deletion(request)
          ? { action: "DeleteItem", request: { ...request, ReturnValues: "NONE" } }
          : { action, request },
      answer: (action, answer, { ExpressionAttributeValues = {}, Key }) => {
        if (action !== "DeleteItem" || answer.status !== 200) return answer;
        const left = Object.entries(ExpressionAttributeValues).map(([name, value]) => [name.slice(1), value]);
        const made = { ...Key, ...Object.fromEntries(left), ...historyIn(ExpressionAttributeValues) };
        return { ...answer, body: { Attributes: made } };
      },
    },
  }),
  "a key that is created again keeps the end of its tombstone": () => ({
    seam: {
      ...changing(writes.creation, ({ UpdateExpression = "", ...request }) => ({
        ...request,
        UpdateExpression: UpdateExpression.replace(/, #?delete_at\b/, ""),
      })).seam,
      answer(action, answer, { TableName }) {
        const { Attributes: item } = answer.body as { Attributes?: Item };
        if (action !== "UpdateItem" || TableName !== "keys" || !item) return answer;
        return { ...answer, body: { Attributes: without("delete_at")(item) } };
      },
    },
  }),
  "a creation overwrites a key": () => changing(writes.creation, withoutCondition),
  "a replacement creates a key": () => changing(writes.replacement, withoutCondition),
  "a change does not compare before it sets": () =>
    changing(writes.anyChange, replaceCondition(/ AND #\w+ = :seen_\w+(?=$| AND)/)),
  "a change waits for no clock": () => withValue(writes.anyChange, ":rested", later(20_000)),
  "a change may be younger than clocks and calls allow": () => withValue(writes.anyChange, ":rested", later(4_000)),
  "the time of a change does not move": () => withValue(writes.update, ":changed_at", () => "2026-11-21T09:00:00.000Z"),
  "a token is rotated twice": () =>
    changing(writes.rotation, (request) =>
      replaceCondition(/ AND attribute_not_exists\(successor_id\)/)(withoutGuard(request)),
    ),
  "a rotation ignores an edit that came first": () => changing(writes.rotation, withoutGuard),
  "the end of a rotated token is moved": () =>
    changing(writes.end, (request) =>
      replaceCondition(/ AND attribute_not_exists\(successor_id\)/)(withoutGuard(request)),
    ),
  "a dismissal forgets another one": () => changing(writes.dismissal, withoutGuard),
  "a token is revoked twice": () =>
    changing(writes.revocation, replaceCondition(/attribute_not_exists\(revoked_at\) AND /)),
  "a revocation forgets a successor that is being made": () => ({
    seam: {
      answer(action, answer, request) {
        const { Attributes: item } = answer.body as { Attributes?: Item };
        if (action !== "UpdateItem" || !writes.revocation(request) || !item) return answer;
        return { ...answer, body: { Attributes: without("successor_id")(item) } };
      },
    },
  }),
  "an update revives a revoked token": () =>
    changing(writes.update, ({ UpdateExpression = "", ...request }) => ({
      ...replaceCondition(/attribute_not_exists\(revoked_at\) AND /)(withoutGuard(request)),
      UpdateExpression: UpdateExpression.includes(" REMOVE ")
        ? UpdateExpression.replace(" REMOVE ", " REMOVE revoked_at, revoked_by, ")
        : `REMOVE revoked_at, revoked_by ${UpdateExpression}`,
    })),

  // Reads.
  "a verdict is cached": () => cached("tokens"),
  "a token is read from a replica": () => stale("tokens"),
  "a key is read from a replica": () => stale("keys"),
  "expiry is compared with the wrong time": () =>
    reading("tokens", (item) =>
      item.expires_at?.S ? { ...item, expires_at: { S: later(3_600_000)(item.expires_at.S) } } : item,
    ),
  "a revocation is not read": () => reading("tokens", without("revoked_at")),
  "an end that an admin has set is not read": () => reading("tokens", without("end_set_at")),
  "any secret is accepted": () =>
    reading("tokens", (item) => ({ ...item, secret_hash: { S: hashSecret("0".repeat(43)) } })),
  "a list shows deleted keys": () => reading("keys", undeleted),
  "a list lacks a key": () => reading("keys", (item) => (item.key_id?.S === "two" ? undefined : item)),

  // Answers.
  "an address is taken from the wrong place": () =>
    around("getToken", (event, call) => {
      const { requestContext } = event as { requestContext: { http: { sourceIp: string } } };
      requestContext.http.sourceIp = clientAddress;
      return call();
    }),
  "a condition is not read": () =>
    around("replaceKey", (event, call) => {
      delete (event as { headers: Record<string, string> }).headers["if-match"];
      return call();
    }),
  "a failed deletion is answered as done": () => swallowingFailure("deleteKey", { status: 204, body: undefined }),
  "a failed creation is answered as done": () =>
    swallowingFailure("createKey", {
      status: 201,
      body: { key_id: "one", v_code: vCodeOf("a"), created_at: "", updated_at: "" },
    }),
  "a failed revocation is answered as done": () =>
    around("admin", async (event, call) => {
      const { action, token_id } = event as { action: string; token_id?: string };
      if (action !== "revoke") return call();
      return call().catch((error: Error) => {
        if (error.name !== "unavailable") throw error;
        return { token_id, state: "revoked", revoked_by: "somebody" };
      });
    }),

  // Counters.
  "a limit is not enforced": () => changing(writes.count, replaceCondition(/^\(.*?taken < :limit\) AND /)),
  "a text that has ended is counted": () => readingIn("rotateToken", without("revoked_at")),
  "a repeated attempt is counted twice": () =>
    changing(writes.count, replaceCondition(/ AND \(attribute_not_exists\(by_\w+\).*$/)),
  "an update of a counter is lost": () => {
    const next = everySecond("1", "0");
    return withValue(writes.count, ":one", next);
  },
  "a repeated delivery is counted twice": () =>
    changing(writes.usage, replaceCondition(/NOT contains\((\w+), :batch\)/g, "attribute_exists($1)")),
  "a delivery is marked but not counted": () =>
    changing(writes.usage, ({ UpdateExpression = "", ...request }) => ({
      ...request,
      UpdateExpression: UpdateExpression.replace(/status_\w+ :\w+(, )?/g, "").replace(/^ADD +SET/, "SET"),
    })),
};
