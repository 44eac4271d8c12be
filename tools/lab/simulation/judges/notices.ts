import type { Item } from "cdk-local-runner/database";
import { channels } from "../../../../lambdas/domain/notices/notice-store.ts";
import type { Run } from "../execute.ts";
import type { Done } from "../situation.ts";
import { isSuccess, itemAt } from "./outcome.ts";

/*
 * Checks that every due notice of a successful run is sent exactly once on each channel. If nobody knows whether a notice arrived,
 * a later notice must name it exactly once instead. There must be no other notices.
 */
export const judgeNotices = (run: Run): string[] => {
  const { sendings, database, done } = run;
  const records = new Map([...database.itemsOf("notices").values()].map((item) => [textIn(item, "notice_id"), item]));
  const ids = new Set([...records.keys(), ...sendings.flatMap(({ noticeIds }) => noticeIds)]);
  const runs = done.filter(({ operation: { call } }) => call.kind === "daily run" || call.kind === "deliver");
  const possible = new Set(runs.flatMap((one) => [...atBeginning(one, run), ...atEnd(one, run), ...dueIn(one, run)]));
  const required = new Set(runs.filter(isSuccess).flatMap((one) => requiredOf(one, run)));
  return [
    ...[...ids].filter((id) => !isUncertainty(id) && !possible.has(id)).map((id) => `${id} was not due`),
    ...[...required].filter((id) => !ids.has(id)).map((id) => `${id} was due, and nobody was told`),
    ...channels.flatMap((channel) => [...ids].flatMap((id) => deliveryProblems(id, channel, { run, records }))),
    ...channels.flatMap((channel) => uncertaintyProblems(channel, records)),
  ];
};

const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const textIn = (item: Item, name: string): string => item[name]?.S ?? "";
const timeIn = (item: Item, name: string): number => Date.parse(item[name]?.S ?? "");
const isUncertainty = (id: string): boolean => id.startsWith("delivery_uncertain:");

/** Returns the tokens as they were stored at a moment of a run. */
const tokensAt = (run: Run, moment: number): Item[] => {
  const { initial, database } = run;
  const keys = new Set([...initial.itemsOf("tokens").keys(), ...database.itemsOf("tokens").keys()]);
  return [...keys].map((key) => itemAt(run, "tokens", key, moment + 1)).filter((item) => item !== undefined);
};

/** Returns the notices that are due for a token at a time, according to the documentation and independently of the functions. */
const dueFor = (token: Item, now: number): string[] => {
  const id = textIn(token, "token_id");
  const { successor_id, invitation_hash, last_used_at, request } = token;
  const expiresAt = token.expires_at ? timeIn(token, "expires_at") : Number.POSITIVE_INFINITY;
  if (token.revoked_at || now >= expiresAt) return [];
  const asked: { requested_at: string; decision?: string } | undefined = request?.S && JSON.parse(request.S);
  const isWaiting = asked && !asked.decision && now < Date.parse(asked.requested_at) + hour / 4;
  const waiting = isWaiting && !successor_id ? [`confirmation_waiting:${id}:${asked.requested_at}`] : [];
  if (invitation_hash && !token.redeemed_at) {
    const isLate = now - timeIn(token, "issued_at") >= timeIn(token, "invitation_ends_at") - now;
    const unused = isLate && !isWaiting ? [`invitation_unused:${id}:${textIn(token, "invitation_ends_at")}`] : [];
    return [...waiting, ...unused];
  }
  if (successor_id) {
    const isUsedSince = timeIn(token, "last_used_at") > timeIn(token, "rotated_at");
    return isUsedSince && now + day >= expiresAt ? [`rotation_unfinished:${id}:${successor_id.S}`] : [];
  }
  const began = token.redeemed_at ? "redeemed_at" : "issued_at";
  const lastSign = last_used_at ? "last_used_at" : began;
  const isIdle = now >= timeIn(token, lastSign) + 90 * day;
  const unused = isIdle ? [`token_unused:${id}:${textIn(token, lastSign)}`] : [];
  const [left, lifetime] = [expiresAt - now, expiresAt - timeIn(token, began)];
  const days = [1, 7, 30].find((count) => left <= count * day && lifetime > count * day);
  const isDue = days !== undefined && last_used_at && !isIdle;
  return [...waiting, ...unused, ...(isDue ? [`token_expires:${id}:${textIn(token, "expires_at")}:${days}`] : [])];
};

/** Returns the notices that are due at the beginning of a run. `atEnd` returns those at its end. */
const atBeginning = (one: Done, run: Run): string[] =>
  tokensAt(run, one.calledAt).flatMap((token) => dueFor(token, one.calledTime));
const atEnd = (one: Done, run: Run): string[] =>
  tokensAt(run, one.answeredAt).flatMap((token) => dueFor(token, one.answeredTime));

/** Returns the notices about leaks in the delivered log lines. */
const dueIn = ({ operation: { call } }: Done, { batches }: Run): string[] =>
  (call.kind === "deliver" ? (batches.get(call.batch) ?? []) : []).flatMap(({ message }) => {
    const { token_id, leak_signal, source_ip } = JSON.parse(message);
    return leak_signal !== undefined ? [`token_leaked:${token_id}:${source_ip}`] : [];
  });

/**
 * Returns the notices that must be found. A daily run finds everything that is due. A delivery finds the leaks in its lines, if the
 * token still exists.
 */
const requiredOf = (one: Done, run: Run): string[] => {
  if (one.operation.call.kind === "deliver") {
    const existing = new Set(tokensAt(run, one.answeredAt).map((token) => textIn(token, "token_id")));
    return dueIn(one, run).filter((id) => existing.has(id.split(":")[1] ?? ""));
  }
  const stillDue = new Set(atEnd(one, run));
  return atBeginning(one, run).filter((id) => stillDue.has(id));
};

interface Records {
  run: Run;
  records: ReadonlyMap<string, Item>;
}

const deliveryProblems = (id: string, channel: string, { run: { sendings, done }, records }: Records): string[] => {
  const attempts = sendings.filter((one) => one.channel === channel && one.noticeIds.includes(id));
  const arrivals = attempts.filter(({ hasArrived }) => hasArrived).length;
  const record = records.get(id);
  const state = record && textIn(record, channel);
  const isKnown = attempts.length > 0 && attempts.every(({ isAnswered }) => isAnswered);
  // Only a final daily run settles what an earlier run or a delivery has left.
  const isOver = done.some(({ operation: { client, call } }) => client === -1 && call.kind === "daily run");
  const name = `${id} on the ${channel}`;
  return [
    ...(arrivals > 1 ? [`${name} arrived ${arrivals} times`] : []),
    ...(attempts.length > 1 ? [`${name} was sent ${attempts.length} times`] : []),
    ...(state === "sent" && !isKnown ? [`${name} is taken for sent, and was not`] : []),
    ...(isOver && (state === "pending" || state === "sending") ? [`${name} was never settled: ${state}`] : []),
  ];
};

/** Checks that each attempt with an unknown outcome has one notice, which names exactly the notices of that attempt. */
const uncertaintyProblems = (channel: string, records: ReadonlyMap<string, Item>): string[] => {
  const uncertain = [...records.values()].filter((item) => textIn(item, channel) === "uncertain");
  const byAttempt = Map.groupBy(uncertain, (item) => textIn(item, `${channel}_attempt`));
  const untold = [...byAttempt].flatMap(([attempt, items]) => {
    const told = records.get(`delivery_uncertain:${attempt}`);
    const expected = items.flatMap(namesOf).toSorted().join(", ");
    const actual = told && namesOf(told).toSorted().join(", ");
    return actual === expected ? [] : [`the uncertain attempt ${attempt} is told as ${actual} instead of ${expected}`];
  });
  const invented = [...records.values()].filter(
    (item) =>
      isUncertainty(textIn(item, "notice_id")) &&
      JSON.parse(textIn(item, "details")).channel === channel &&
      !byAttempt.has(textIn(item, "notice_id").split(":")[1] ?? ""),
  );
  return [...untold, ...invented.map((item) => `${textIn(item, "notice_id")} is about nothing`)];
};

/** Returns the ids of the notices that an item stands for. A notice about notices stands for all of them. */
const namesOf = (item: Item): string[] =>
  isUncertainty(textIn(item, "notice_id"))
    ? JSON.parse(textIn(item, "details")).notice_ids.split(", ")
    : [textIn(item, "notice_id")];
