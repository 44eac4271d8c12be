import type { AttributeValue, Item } from "cdk-local-runner/database";
import type { Run } from "../execute.ts";
import type { Applied } from "../world/chronicle.ts";
import { fieldOf, isSuccess, isUnknown } from "./outcome.ts";
import { isTaken, nameOf, type OwnCall, ownCallsIn } from "./own-calls.ts";

/*
 * The tokens that clients get for an invitation or for their old token: each has one text for one address, which can be
 * requested again until its first use, for at most 15 minutes, and not after a revocation.
 */
export const judgeSuccessions = (run: Run): string[] => {
  const calls = ownCallsIn(run);
  const births = birthsIn(run);
  return [
    ...oneTextForEach(calls),
    ...calls.flatMap((call) => problemsOf(call, births, run)),
    ...abandoned(run),
    ...survivors(run),
    ...beyondTheEnd(run),
    ...leftToDerive(run),
    ...unrecorded(run),
  ];
};

const repeatableMilliseconds = 15 * 60 * 1_000;
/** Clocks differ by up to five seconds each, and a call takes time. */
const toleranceMilliseconds = 20_000;

/** A token that a client has got, as the database has it. */
interface Birth {
  credential: string;
  isInvitation: boolean;
  isMove: boolean;
  token_id: string;
  ip: string;
  appliedAt: number;
  /** When it was made, by the clock of the environment that made it. */
  time: number;
}

const birthsIn = (run: Run): Birth[] =>
  changesOf(run).flatMap(({ change: { key, before, after }, appliedAt }): Birth[] => {
    const at = { credential: key, appliedAt };
    if (after?.redeemed_at && !before?.redeemed_at) {
      return [
        {
          ...at,
          isInvitation: true,
          isMove: false,
          token_id: key,
          ip: after.ip?.S ?? "",
          time: timeIn(after.redeemed_at),
        },
      ];
    }
    const isByClient = after?.rotated_by?.S?.startsWith("token:") === true;
    if (!isByClient || !after?.successor_id || before?.successor_id) return [];
    const [, , ...ip] = after.rotated_by?.S?.split(":") ?? [];
    const isMove = after.ip?.S !== ip.join(":");
    const token_id = after.successor_id.S ?? "";
    return [{ ...at, isInvitation: false, isMove, token_id, ip: ip.join(":"), time: timeIn(after.rotated_at) }];
  });

const timeIn = (attribute: AttributeValue | undefined): number => Date.parse(attribute?.S ?? "");

const changesOf = ({ chronicle }: Run): Applied[] =>
  chronicle.applied.filter(({ change }) => change.table === "tokens");

/** When a record was first like this: a moment of the chronicle. */
const momentOf = (run: Run, key: string, isMet: (item: Item) => boolean): number =>
  changesOf(run).find(({ change }) => change.key === key && change.after && isMet(change.after))?.appliedAt ??
  Number.POSITIVE_INFINITY;

const oneTextForEach = (calls: readonly OwnCall[]): string[] =>
  [...Map.groupBy(calls, ({ credential, isInvitation }) => `${isInvitation ? "invitation" : "token"} ${credential}`)]
    .map(([name, group]) => ({ name, given: group.flatMap(({ given }) => given?.text ?? []) }))
    .flatMap(({ name, given }) => (new Set(given).size > 1 ? [`${name} has given different texts`] : []));

const problemsOf = (call: OwnCall, births: readonly Birth[], run: Run): string[] => {
  const { done, given, ip, credential, isInvitation } = call;
  const problems: string[] = [];
  const birth = births.find((one) => one.credential === credential && one.isInvitation === isInvitation);
  if (given && given.ip !== ip) problems.push(`${nameOf(call)} got a token for another address`);
  if (given && done.calledAt > momentOf(run, given.token_id, (item) => item.last_used_at !== undefined)) {
    problems.push(`${nameOf(call)} got a text again after its first use`);
  }
  if (given && birth && done.calledTime > birth.time + repeatableMilliseconds + toleranceMilliseconds) {
    problems.push(`${nameOf(call)} got a text again after 15 minutes`);
  }
  if (isTaken(call) && done.calledAt > revocationOf(credential, run)) {
    problems.push(`${nameOf(call)} was accepted after an acknowledged revocation`);
  }
  if (birth && done.operation.client === -1 && isLost(call, birth, run) && given?.token_id !== birth.token_id) {
    problems.push(`${nameOf(call)} did not get the token whose text may have been lost`);
  }
  return problems;
};

/** When somebody was first told that a token or an invitation is revoked. */
const revocationOf = (token_id: string, { done }: Run): number =>
  Math.min(
    ...done.flatMap((one) => {
      const { kind } = one.operation.call;
      if (one.token?.token_id !== token_id || !isSuccess(one)) return [];
      const isTold = kind === "leave" || (kind === "revoke" && fieldOf(one.answer?.body, "state") === "revoked");
      return isTold ? [one.answeredAt] : [];
    }),
    Number.POSITIVE_INFINITY,
  );

/** Whether a client that repeats its call must get its token: it is new, unused, and nobody has changed it. */
const isLost = ({ done, ip, credential }: OwnCall, birth: Birth, run: Run): boolean => {
  const isOver = (item: Item) =>
    [item.last_used_at, item.revoked_at, item.successor_id].some((field) => field !== undefined);
  const isNew = done.answeredTime < birth.time + repeatableMilliseconds - toleranceMilliseconds;
  return (
    isNew &&
    !isUnknown(done) &&
    done.answer?.code !== "rate_limited" &&
    !(birth.isMove && done.operation.call.kind === "rotate own") &&
    birth.ip === ip &&
    birth.appliedAt < done.calledAt &&
    momentOf(run, birth.token_id, isOver) > done.answeredAt &&
    momentOf(run, credential, (item) => item.revoked_at !== undefined) > done.answeredAt
  );
};

/** The first use of a token removes from its record the value from which its text can be derived. */
const leftToDerive = (run: Run): string[] =>
  changesOf(run).flatMap(({ attempt, change: { key, after } }) =>
    after?.last_used_at && after.repeat_nonce
      ? [`#${attempt.operation} left something in ${key} from which its text can be derived after its first use`]
      : [],
  );

/** A call with a token removes the value from which its text can be derived, or at least tries to. */
const unrecorded = (run: Run): string[] =>
  run.done.flatMap((done) => {
    const { call, id } = done.operation;
    const isUse = call.kind === "use" || ("door" in call && call.door === "api");
    if (!isUse || !isSuccess(done)) return [];
    const changes = changesOf(run).filter(({ change }) => change.key === done.token?.token_id);
    const before = changes.findLast(({ appliedAt }) => appliedAt < done.calledAt);
    const isRemoved = changes.some(
      ({ appliedAt, change }) =>
        appliedAt < done.answeredAt && !change.after?.repeat_nonce && appliedAt > done.calledAt,
    );
    const hasTried = run.chronicle.attempts.some(
      ({ operation, body }) => operation === id && body.includes("last_used_at"),
    );
    const isLeft = before?.change.after?.repeat_nonce && !isRemoved && !hasTried;
    return isLeft ? [`#${id} has used its token, and left what its text can be derived from`] : [];
  });

/** A token that has replaced another one is not revoked unless somebody asks for the end of one of the two. */
const abandoned = (run: Run): string[] =>
  changesOf(run).flatMap(({ attempt, change: { key, before, after } }) => {
    const isAsked = run.done.some(
      ({ operation: { id, call } }) => id === attempt.operation && (call.kind === "revoke" || call.kind === "leave"),
    );
    if (isAsked || before?.revoked_at || !after?.revoked_at) return [];
    const isNeeded = [...run.database.itemsOf("tokens").values()].some(
      ({ successor_id, revoked_at }) => successor_id?.S === key && !revoked_at,
    );
    return isNeeded ? [`#${attempt.operation} has revoked a token that has taken the place of another one`] : [];
  });

/** A revocation also ends a successor that was made after the revocation had read the token. */
const survivors = (run: Run): string[] =>
  run.done.flatMap((done) => {
    const { call, id } = done.operation;
    if ((call.kind !== "leave" && call.kind !== "revoke") || !isSuccess(done)) return [];
    const attempts = run.chronicle.attempts.filter(({ operation }) => operation === id);
    const seenAt = attempts.findLast(({ action }) => action === "GetItem")?.arrivedAt;
    const own = changesOf(run).filter(({ change: { key } }) => key === done.token?.token_id);
    const revokedAt = own.find(({ attempt }) => attempt.operation === id)?.appliedAt;
    const made = own.find(({ change: { before, after } }) => after?.successor_id && !before?.successor_id);
    if (seenAt === undefined || revokedAt === undefined || !made) return [];
    const successor = made.change.after?.successor_id?.S ?? "";
    const isDuring = made.appliedAt > seenAt && made.appliedAt < revokedAt;
    const hasEnded = run.database.itemsOf("tokens").get(successor)?.revoked_at !== undefined;
    return isDuring && !hasEnded ? [`#${id} (${call.kind}) left a successor that was being made at that moment`] : [];
  });

/** No successor outlives an end that an admin has brought forward, however long tokens live otherwise. */
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
