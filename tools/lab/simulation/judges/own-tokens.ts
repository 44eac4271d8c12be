import type { Item } from "cdk-local-runner/database";
import { requestIn } from "../../../../lambdas/domain/tokens/address-request.ts";
import type { Run } from "../execute.ts";
import { addressOf, type Done, finalClient, tokenIn } from "../situation.ts";
import { isSuccess, isUnknown, itemAt, surelyRepeatableMilliseconds } from "./outcome.ts";

/*
 * Judges the tokens that clients get for an invitation or for their old token, and the ends of these tokens, under faults and with
 * simultaneous calls. The life cycle model covers calls that follow each other.
 */
export const judgeOwnTokens = (run: Run): string[] => [
  ...oneTextForEach(run),
  ...run.done.flatMap((done) => [...lostText(done, run), ...contradicted(done, run), ...survivor(done, run)]),
  ...beyondTheEnd(run),
];

/** Checks that an invitation, an old token or a JWT yields only one token value. */
const oneTextForEach = ({ done }: Run): string[] => {
  const given = done.flatMap((one) => {
    const { call } = one.operation;
    const { kind } = call;
    const token = one.answer?.status === 201 ? tokenIn(one.answer.body) : undefined;
    if (kind === "exchange" && token) return [{ name: `JWT ${call.jwt}`, text: token.text }];
    const isOwn = kind === "redeem" || kind === "rotate own" || kind === "move";
    if (!isOwn || !token || !one.token) return [];
    return [{ name: `${kind === "redeem" ? "invitation" : "token"} ${one.token.token_id}`, text: token.text }];
  });
  return [...Map.groupBy(given, ({ name }) => name)].flatMap(([name, group]) =>
    new Set(group.map(({ text }) => text)).size > 1 ? [`${name} has given different texts`] : [],
  );
};

/** Checks that a client that repeats its call at the end gets its token, if the token is new, unused and unchanged. */
const lostText = (done: Done, run: Run): string[] => {
  const { operation, token, answer, calledAt, answeredTime } = done;
  const { call, client, id } = operation;
  if (client !== finalClient || !token || isUnknown(done) || answer?.code === "rate_limited") return [];
  if (call.kind !== "redeem" && call.kind !== "rotate own" && call.kind !== "move") return [];
  const old = itemAt(run, "tokens", token.token_id, calledAt);
  const made = call.kind === "redeem" ? old : itemAt(run, "tokens", old?.successor_id?.S ?? "", calledAt);
  const from = addressOf(call.from);
  const isMade = call.kind === "redeem" ? made?.redeemed_at : old?.rotated_by?.S === `token:${token.token_id}:${from}`;
  const isOfCall = call.kind === "redeem" || (call.kind === "move") === (old?.ip?.S !== from);
  const since = Date.parse((call.kind === "redeem" ? made?.redeemed_at : old?.rotated_at)?.S ?? "");
  const isOpen = !old?.trust_id && !old?.revoked_at && !made?.revoked_at && !made?.last_used_at && !made?.successor_id;
  const isNew = answeredTime < since + surelyRepeatableMilliseconds;
  if (!made || !isMade || !isOfCall || !isOpen || !isNew || made.ip?.S !== from) return [];
  const isGiven = tokenIn(answer?.body)?.token_id === made.token_id?.S;
  return isGiven ? [] : [`#${id} (${call.kind}) did not get the token whose text may have been lost`];
};

/** Checks that an acknowledged decision is the only decision about its request, whoever else decides at the same moment. */
const contradicted = (done: Done, { chronicle }: Run): string[] => {
  const { operation, request: shown } = done;
  const { call, id } = operation;
  if ((call.kind !== "confirm" && call.kind !== "reject") || !isSuccess(done) || !shown) return [];
  const decisions = new Set(
    chronicle.applied.flatMap(({ change: { key, after } }) => {
      const text = after?.request?.S;
      const request = key === shown.token_id && text !== undefined ? requestIn({ request: text }) : undefined;
      return request?.code === shown.code && request.decision ? [request.decision] : [];
    }),
  );
  const isAsSaid = decisions.size === 1 && decisions.has(call.kind === "confirm" ? "confirmed" : "rejected");
  return isAsSaid ? [] : [`#${id} (${call.kind}) was acknowledged, but stored is ${[...decisions].join(" and ")}`];
};

/** Checks that a revocation also ends a successor that was made after the revocation had read the token. */
const survivor = (done: Done, { chronicle, database }: Run): string[] => {
  const { call, id } = done.operation;
  if ((call.kind !== "leave" && call.kind !== "revoke") || !isSuccess(done)) return [];
  const attempts = chronicle.attempts.filter(({ operation }) => operation === id);
  const seenAt = attempts.findLast(({ action }) => action === "GetItem")?.arrivedAt;
  const own = chronicle.applied.filter(
    ({ change: { key, table } }) => table === "tokens" && key === done.token?.token_id,
  );
  const revokedAt = own.find(({ attempt }) => attempt.operation === id)?.appliedAt;
  const made = own.find(({ change: { before, after } }) => after?.successor_id && !before?.successor_id);
  if (seenAt === undefined || revokedAt === undefined || !made) return [];
  const successor = made.change.after?.successor_id?.S ?? "";
  const isDuring = made.appliedAt > seenAt && made.appliedAt < revokedAt;
  const { revoked_at, expires_at } = database.itemsOf("tokens").get(successor) ?? {};
  const hasEnded = revoked_at || Date.parse(expires_at?.S ?? "9999") <= done.answeredTime + done.clockOffset;
  return isDuring && !hasEnded ? [`#${id} (${call.kind}) left a successor that was being made at that moment`] : [];
};

/** Checks that no successor outlives an end that an admin has brought forward, however long tokens live otherwise. */
const beyondTheEnd = ({ chronicle }: Run): string[] => {
  const bound = new Set<string>();
  const born = new Map<string, Item>();
  return chronicle.applied.flatMap(({ attempt, change: { table, key, before, after } }) => {
    if (table !== "tokens" || !after) return [];
    if (!before) born.set(key, after);
    const end = after.expires_at?.S;
    const isEdited = after.updated_by?.S !== before?.updated_by?.S && end !== before?.expires_at?.S;
    if (isEdited && end === undefined) bound.delete(key);
    else if (isEdited && end !== undefined && end < (before?.expires_at?.S ?? "9999")) bound.add(key);

    const successor = before?.successor_id ? undefined : after.successor_id?.S;
    if (successor === undefined || !bound.has(key)) return [];
    bound.add(successor);
    const isBeyond = (born.get(successor)?.expires_at?.S ?? "9999") > (before?.expires_at?.S ?? "9999");
    return isBeyond ? [`#${attempt.operation} made a successor that outlives the end that an admin has set`] : [];
  });
};
