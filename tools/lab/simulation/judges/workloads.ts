import type { Item } from "cdk-local-runner/database";
import { unknownIp } from "../../../../lambdas/domain/tokens/ip-address.ts";
import type { Run } from "../execute.ts";
import type { Call } from "../schedule.ts";
import { addressOf, type Done, finalClient, tokenIn, trustInHand } from "../situation.ts";
import type { Applied } from "../world/agenda.ts";
import { actorOf, fieldOf, isSuccess, isUnknown, itemAt, surelyRepeatableMilliseconds } from "./outcome.ts";

const { token_id: trustId } = trustInHand;

/** Checks the trust of a workload, the tokens that the workload gets for its JWTs, and their successors. */
export const judgeWorkloads = (run: Run): string[] => {
  const callOf = new Map(run.done.map(({ operation: { id, call } }) => [id, call]));
  const births = new Map(
    run.chronicle.applied.flatMap((one) => {
      const { table, key, before } = one.change;
      return table === "tokens" && !before ? [[key, { ...one, call: callOf.get(one.attempt.operation) }] as const] : [];
    }),
  );
  /** Returns the token of the exchange that a token descends from, as it was made. */
  const rootOf = (key: string): Birth | undefined => {
    const birth = births.get(key);
    const predecessor = birth?.change.after?.predecessor_id?.S;
    if (predecessor !== undefined) return rootOf(predecessor);
    return birth?.call?.kind === "exchange" ? birth : undefined;
  };
  return [
    ...oneForEachJwt([...births.values()]),
    ...[...births].flatMap(([key, birth]) => lifetime(birth, rootOf(key), run)),
    ...run.done.flatMap((done) => [
      ...acknowledged(done, run),
      ...accepted(done, rootOf, run),
      ...repeated(done, [...births.values()], run),
    ]),
  ];
};

type Birth = Applied & { call: Call | undefined };

/** Returns the states of the trust between two moments, beginning with the state before them. */
const statesIn = (run: Run, from: number, to: number): (Item | undefined)[] => [
  itemAt(run, "tokens", trustId, from),
  ...run.chronicle.applied.flatMap(({ appliedAt, change }) =>
    change.key === trustId && appliedAt > from && appliedAt < to ? [change.after] : [],
  ),
];

const endOf = (item: Item | undefined): number => Date.parse(item?.expires_at?.S ?? "9999");

const isLive = (trust: Item | undefined, time: number): boolean =>
  trust !== undefined && !trust.revoked_at && endOf(trust) > time;

/** Checks whether a trust is live and still stands for a token that was made from `root` and has this address. */
const covers = (trust: Item | undefined, root: Birth, { ip, time }: { ip: string; time: number }): boolean =>
  isLive(trust, time) && stands(trust, root, ip);

/** Checks that each JWT makes only one token, whatever is repeated. */
const oneForEachJwt = (births: readonly Birth[]): string[] =>
  [...Map.groupBy(births, ({ call }) => (call?.kind === "exchange" ? call.jwt : undefined))].flatMap(
    ([jwt, { length }]) => (jwt !== undefined && length > 1 ? [`JWT ${jwt} has made ${length} tokens`] : []),
  );

/**
 * Checks that a token lives no longer than its trust and the trust's token lifetime allow, and that successors end when it ends.
 */
const lifetime = (birth: Birth, root: Birth | undefined, run: Run): string[] => {
  if (!root) return [];
  const { attempt, change } = birth;
  const begins = Date.parse(change.after?.issued_at?.S ?? "");
  const calledAt = run.chronicle.attempts.find(({ operation }) => operation === attempt.operation)?.sentAt ?? 0;
  const ends =
    birth === root
      ? statesIn(run, calledAt, birth.appliedAt).map((trust) =>
          Math.min(endOf(trust), begins + Number(trust?.token_seconds?.N) * 1_000),
        )
      : [endOf(root.change.after)];
  return endOf(change.after) > Math.max(...ends) ? [`#${attempt.operation} made a token that lives too long`] : [];
};

/** Checks that an acknowledged change is stored as the response shows it, and does not replace a live trust with a new one. */
const acknowledged = (done: Done, run: Run): string[] => {
  const { operation, answer, calledAt, answeredAt, answeredTime, clockOffset } = done;
  const { id, call } = operation;
  if (!("token" in call) || call.token !== "trust" || call.kind === "exchange" || !isSuccess(done)) return [];
  const shown = JSON.stringify(["tokens_since", "updated_by", "expires_at"].map((name) => fieldOf(answer?.body, name)));
  const isStored = statesIn(run, calledAt, answeredAt).some(
    (trust) => JSON.stringify([trust?.trusted_at?.S, trust?.updated_by?.S, trust?.expires_at?.S]) === shown,
  );
  const replaced = run.chronicle.applied.find(
    ({ attempt, change }) => attempt.operation === id && change.key === trustId,
  )?.change.before;
  const isLost = call.kind === "create_trust" && isLive(replaced, answeredTime + clockOffset);
  return [
    ...(isStored ? [] : [`#${id} (${call.kind}) was acknowledged, but is not stored`]),
    ...(isLost ? [`#${id} made a trust in place of one that had not ended`] : []),
  ];
};

/** Checks that no edit of a trust has ended the tokens from `root` with this address. */
const stands = (trust: Item | undefined, root: Birth, ip: string): boolean =>
  trust !== undefined &&
  !trust.revoked_at &&
  trust.trusted_at?.S === root.change.after?.trusted_at?.S &&
  [ip, unknownIp].includes(trust.ip?.S ?? "");

const showing: readonly Call["kind"][] = ["exchange", "use", "rotate own", "move"];
const ending: readonly Call["kind"][] = ["end_trust", "end_trust_tokens"];

/**
 * Checks that a token is accepted while its trust stands for it, and never after a change of the trust that has ended the token.
 * Also checks that the tokens of a trust share its limit.
 */
const accepted = (done: Done, rootOf: (key: string) => Birth | undefined, run: Run): string[] => {
  const { operation, answer, calledAt, answeredAt, calledTime, clockOffset } = done;
  const { id, call } = operation;
  const states = statesIn(run, calledAt, answeredAt);
  if (answer?.code === "jwt_invalid" && states.every((trust) => isLive(trust, done.answeredTime + clockOffset)))
    return [`#${id} was refused, although its workload is trusted`];
  const token = call.kind === "exchange" ? tokenIn(answer?.body) : done.token;
  const root = token && rootOf(token.token_id);
  if (!root || !showing.includes(call.kind)) return [];
  const { ip } = token;
  // The call itself may have made the token.
  const earlier = root.appliedAt < calledAt ? statesIn(run, root.appliedAt, calledAt) : [];
  const isCoveredAtTheEnd = (trust: Item | undefined) =>
    covers(trust, root, { ip, time: done.answeredTime + clockOffset });
  const isCoveredIn = (trust: Item | undefined) => covers(trust, root, { ip, time: calledTime + clockOffset });
  if (answer?.code === "token_revoked") {
    const isRevoked = itemAt(run, "tokens", token.token_id, answeredAt)?.revoked_at !== undefined;
    const isWrong = !isRevoked && [...earlier, ...states].every(isCoveredAtTheEnd);
    return isWrong ? [`#${id} (${call.kind}) was refused with a token that nobody has ended`] : [];
  }
  if (!isSuccess(done)) return [];
  const hasEnded =
    earlier.some((trust) => !stands(trust, root, ip)) ||
    run.done.some(
      (end) =>
        ending.includes(end.operation.call.kind) &&
        // A call that found the trust expired by its own clock has changed nothing.
        fieldOf(end.answer?.body, "updated_by") === actorOf(end) &&
        root.appliedAt < end.calledAt &&
        end.answeredAt < calledAt,
    );
  if (run.database.itemsOf("tokens").get(token.token_id)?.limit_id?.S !== trustId)
    return [`#${id} (${call.kind}) does not count for its trust`];
  return states.some(isCoveredIn) && !hasEnded
    ? []
    : [`#${id} (${call.kind}) was accepted with a token that its trust had ended`];
};

/** Checks that a workload that repeats its exchange gets the token whose value may have been lost, and only at its address. */
const repeated = (done: Done, births: readonly Birth[], run: Run): string[] => {
  const { operation, answer, calledAt, answeredAt, answeredTime, clockOffset } = done;
  const { id, client, call } = operation;
  if (call.kind !== "exchange" || isUnknown(done) || answer?.code === "jwt_refused") return [];
  const birth = births.find((one) => one.call?.kind === "exchange" && one.call.jwt === call.jwt);
  const made = birth && itemAt(run, "tokens", birth.change.key, calledAt);
  const ip = made?.ip?.S ?? "";
  const isGiven = tokenIn(answer?.body)?.token_id === birth?.change.key;
  const isHome = ip === addressOf(call.from);
  if (made && isSuccess(done) && !isHome) return [`#${id} was given a token of another address`];
  const time = answeredTime + clockOffset;
  const isOpen = made && !made.revoked_at && !made.last_used_at && !made.successor_id && endOf(made) > time;
  const isNew = time < Date.parse(made?.issued_at?.S ?? "") + surelyRepeatableMilliseconds;
  if (client !== finalClient || !isOpen || !isHome || !isNew) return [];
  const isCovered = statesIn(run, calledAt, answeredAt).every((trust) => covers(trust, birth, { ip, time }));
  return isCovered && !isGiven ? [`#${id} (exchange) did not get the token whose text may have been lost`] : [];
};
