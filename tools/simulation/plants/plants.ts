import type { Item } from "cdk-local-runner/database";
import { hashSecret } from "../../../lambdas/resources/tokens/token-text.ts";
import type { Plant } from "../functions.ts";
import { clientAddress, vCodeOf } from "../situation.ts";
import { ownTokenPlants } from "./own-tokens.ts";
import { historyPlants, noticePlants } from "./records.ts";
import {
  type ApiEvent,
  around,
  asPut,
  cached,
  changingCondition,
  changingUpdate,
  historyIn,
  later,
  reading,
  readingIn,
  returning,
  stale,
  swallowingFailure,
  together,
  unguarded,
  without,
  withValue,
  writes,
} from "./seams.ts";

/*
 * Bugs that the simulation must find. Each changes the behaviour of the real code from outside, at its requests or at its
 * handlers. A plant may have a memory, so each run has one of its own.
 */

/** Reads a tombstone as if the key still existed. */
const undeleted = (item: Item): Item => {
  const { deletion_id, delete_at: _, ...rest } = item;
  return deletion_id ? { ...rest, v_code: { S: vCodeOf("c") }, created_at: item.updated_at ?? { S: "" } } : item;
};

/** Serves one value after the other, again and again. */
const inTurn = (...values: string[]): (() => string) => {
  let count = 0;
  return () => values[count++ % values.length] ?? "";
};

const anyCondition = /^.*$/;
const noSuccessor = / AND attribute_not_exists\(successor_id\)/;
const notRevoked = /attribute_not_exists\(revoked_at\) AND /;

export const plants: Readonly<Record<string, () => Plant>> = {
  // Late attempts that undo acknowledged changes.
  "a late issue revives a revoked token": () => asPut(writes.issue),
  "a late rotation revives a revoked successor": () => asPut(writes.successor),
  "a late replacement undoes a later one": () => unguarded(writes.replacement),
  "a late deletion deletes a key that was created again": () => unguarded(writes.deletion),
  "a late creation brings a deleted key back": () => unguarded(writes.creation),
  "a late change of a limit undoes a later one": () => unguarded(writes.update),

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
  "a key that is created again keeps the end of its tombstone": () =>
    together(
      changingUpdate(writes.creation, /, #?delete_at\b/),
      returning(({ TableName }) => TableName === "keys", without("delete_at")),
    ),
  "a creation overwrites a key": () => changingCondition(writes.creation, anyCondition),
  "a replacement creates a key": () => changingCondition(writes.replacement, anyCondition),
  "a change does not compare before it sets": () =>
    changingCondition(writes.anyChange, / AND #\w+ = :seen_\w+(?=$| AND)/),
  "a change waits for no clock": () => withValue(writes.anyChange, ":rested", later(20_000)),
  "a change may be younger than clocks and calls allow": () => withValue(writes.anyChange, ":rested", later(4_000)),
  "the time of a change does not move": () => withValue(writes.update, ":changed_at", () => "2026-11-21T09:00:00.000Z"),
  "a token is rotated twice": () =>
    together(unguarded(writes.rotation), changingCondition(writes.rotation, noSuccessor)),
  "a rotation ignores an edit that came first": () => unguarded(writes.rotation),
  "the end of a rotated token is moved": () =>
    together(unguarded(writes.end), changingCondition(writes.end, noSuccessor)),
  "a dismissal forgets another one": () => unguarded(writes.dismissal),
  "a token is revoked twice": () => changingCondition(writes.revocation, notRevoked),
  "a revocation forgets a successor that is being made": () => returning(writes.revocation, without("successor_id")),
  "an update revives a revoked token": () =>
    together(
      unguarded(writes.update),
      changingCondition(writes.update, notRevoked),
      // With a clause that removes attributes, or without one.
      changingUpdate(writes.update, /^(?!.* REMOVE )/, "REMOVE revoked_at, revoked_by "),
      changingUpdate(writes.update, / REMOVE /, " REMOVE revoked_at, revoked_by, "),
    ),

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
      (event as ApiEvent).requestContext.http.sourceIp = clientAddress;
      return call();
    }),
  "a condition is not read": () =>
    around("replaceKey", (event, call) => {
      delete (event as ApiEvent).headers["if-match"];
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
  "a limit is not enforced": () => changingCondition(writes.count, /^\(.*?taken < :limit\) AND /),
  "a text that has ended is counted": () => readingIn("rotateToken", without("revoked_at")),
  "a repeated attempt is counted twice": () =>
    changingCondition(writes.count, / AND \(attribute_not_exists\(by_\w+\).*$/),
  "an update of a counter is lost": () => withValue(writes.count, ":one", inTurn("1", "0")),
  "a repeated delivery is counted twice": () =>
    changingCondition(writes.usage, /NOT contains\((\w+), :batch\)/g, "attribute_exists($1)"),
  "a delivery is marked but not counted": () =>
    together(changingUpdate(writes.usage, /status_\w+ :\w+(, )?/g), changingUpdate(writes.usage, /^ADD +SET/, "SET")),
};
