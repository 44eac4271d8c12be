import type { Item } from "cdk-local-runner/database";
import { maxAttempts, requestIn } from "../../../lambdas/resources/tokens/address-request.ts";
import { requestIn as shownRequestIn } from "../answers.ts";
import type { Run } from "../execute.ts";
import { isSuccess, isUnknown } from "./outcome.ts";
import { isTaken, nameOf, type OwnCall, ownCallsIn } from "./own-calls.ts";

/*
 * Requests for confirmation: nobody gets a token at an address that needs confirmation unless exactly that address and its code
 * were confirmed, and the attempts are counted.
 */
export const judgeRequests = (run: Run): string[] => {
  const calls = ownCallsIn(run);
  return [
    ...calls.flatMap((call) => [...unconfirmed(call, run), ...rejected(call, calls, run)]),
    ...mistaken(calls, run),
    ...contradicted(run),
    ...exchanged(calls, run),
    ...uncounted(run),
  ];
};

const unconfirmed = (call: OwnCall, { done, initial, chronicle }: Run): string[] => {
  const { given, credential, ip, done: own } = call;
  if (!given || own.operation.call.kind === "rotate own") return [];
  const record = initial.itemsOf("tokens").get(credential);
  const first = record ?? chronicle.applied.find(({ change }) => change.key === credential)?.change.after;
  // An address that an admin has named needs no confirmation, and neither does the address of a rotated token.
  if (first?.ip?.S === ip) return [];
  const isConfirmed = done.some(
    (one) =>
      one.operation.call.kind === "confirm" &&
      one.operation.call.as === "shown" &&
      one.request?.token_id === credential &&
      one.request.ip === ip &&
      (isSuccess(one) || isUnknown(one)) &&
      one.calledAt < own.answeredAt,
  );
  return isConfirmed ? [] : [`${nameOf(call)} got a token at an address that nobody has confirmed`];
};

/** Nobody is let in from an address that was rejected before, unless another one has been asked for since. */
const rejected = (call: OwnCall, calls: readonly OwnCall[], { done }: Run): string[] => {
  const { credential, ip, done: own } = call;
  const isAbout = (one: OwnCall) => one.credential === credential;
  if (!isTaken(call)) return [];
  const rejection = done.find(
    ({ operation, request, answeredAt, answer }) =>
      operation.call.kind === "reject" &&
      answer?.code === undefined &&
      answer !== undefined &&
      request?.token_id === credential &&
      request.ip === ip &&
      answeredAt < own.calledAt,
  );
  if (!rejection) return [];
  const isReplaced = calls.some(
    (one) =>
      isAbout(one) && one.ip !== ip && one.done.answeredAt > rejection.calledAt && one.done.calledAt < own.answeredAt,
  );
  const isRotation = own.operation.call.kind === "rotate own";
  return isReplaced || isRotation ? [] : [`${nameOf(call)} was taken although its request was rejected`];
};

/** A decision whose address or code is not that of the request at the time. */
const mistaken = (calls: readonly OwnCall[], { done }: Run): string[] =>
  done.flatMap((one) => {
    const { call, id } = one.operation;
    if ((call.kind !== "confirm" && call.kind !== "reject") || !isSuccess(one) || !one.request) return [];
    if (call.as !== "shown") return [`#${id} has decided a request with ${call.as}`];
    const { token_id, code } = one.request;
    const shown = calls.flatMap((own) => {
      const request = own.credential === token_id ? shownRequestIn(own.done.answer?.body) : undefined;
      return request && own.done.answer?.status === 202 ? [{ ...own.done, code: request.code }] : [];
    });
    const lastShown = Math.max(...shown.flatMap((each) => (each.code === code ? [each.answeredAt] : [])));
    const isOld = shown.some(
      (each) => each.code !== code && each.calledAt > lastShown && each.answeredAt < one.calledAt,
    );
    return isOld ? [`#${id} has decided a request that had been replaced by another`] : [];
  });

/** A decision that was acknowledged is the only one about its request, whoever else decides at the same moment. */
const contradicted = ({ done, chronicle }: Run): string[] =>
  done.flatMap((one) => {
    const { call, id } = one.operation;
    if ((call.kind !== "confirm" && call.kind !== "reject") || !isSuccess(one) || !one.request) return [];
    const { token_id, code } = one.request;
    const decisions = new Set(
      chronicle.applied.flatMap(({ change: { key, after } }) => {
        const request = key === token_id ? storedIn(after) : undefined;
        return request?.code === code && request.decision ? [request.decision] : [];
      }),
    );
    const isAsSaid = decisions.size === 1 && decisions.has(call.kind === "confirm" ? "confirmed" : "rejected");
    return isAsSaid ? [] : [`#${id} (${call.kind}) was acknowledged, but stored is ${[...decisions].join(" and ")}`];
  });

/** New requests, as they were stored. */
const requestsIn = ({ chronicle }: Run) =>
  chronicle.applied.flatMap(({ attempt: { operation }, change: { table, key, before, after } }) => {
    const [old, request] = table === "tokens" ? [storedIn(before), storedIn(after)] : [];
    return request && request.requested_at !== old?.requested_at ? [{ operation, token_id: key, old, ...request }] : [];
  });

/** Each request has its own code, and each client is shown the code for its own address. */
const exchanged = (calls: readonly OwnCall[], run: Run): string[] => {
  const requests = requestsIn(run);
  const reused = requests.filter(({ code }, index) => requests.findIndex((one) => one.code === code) < index);
  const misled = calls.filter(({ done: { answer }, credential, ip }) => {
    const shown = answer?.status === 202 ? shownRequestIn(answer.body) : undefined;
    const isOwn = (one: (typeof requests)[number]) => one.token_id === credential && one.ip === ip;
    return shown && (shown.ip !== ip || !requests.some((one) => isOwn(one) && one.code === shown.code));
  });
  return [
    ...reused.map(({ operation }) => `#${operation} has given its request the code of another one`),
    ...misled.map((call) => `${nameOf(call)} was shown the request of another address`),
  ];
};

/** Each new request counts as an attempt, up to the maximum. */
const uncounted = (run: Run): string[] =>
  requestsIn(run).flatMap(({ operation, old, first_at, attempts }) => {
    const expected = old && old.first_at === first_at ? old.attempts + 1 : 1;
    return attempts === expected && attempts <= maxAttempts ? [] : [`#${operation} has not counted its request`];
  });

const storedIn = (item: Item | undefined) =>
  requestIn(item?.request?.S === undefined ? {} : { request: item.request.S });
