import type { Item } from "cdk-local-runner/database";
import { unknownIp } from "../../../../lambdas/domain/tokens/ip-address.ts";
import type { Run } from "../execute.ts";
import type { Call } from "../schedule.ts";
import { type Done, tokenIn, trustInHand } from "../situation.ts";
import type { Applied } from "../world/agenda.ts";
import { actorOf, fieldOf, isSuccess, itemAt } from "./outcome.ts";

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
    ...run.done.flatMap((done) => accepted(done, rootOf, run)),
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
