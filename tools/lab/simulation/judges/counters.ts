import type { Item } from "cdk-local-runner/database";
import { minuteOf } from "../../../../lambdas/middlewares/limit-rate.ts";
import type { Run } from "../execute.ts";
import type { Done, LogLine } from "../situation.ts";
import { fieldOf, isSuccess, itemAt } from "./outcome.ts";

/**
 * Checks that exactly as many calls pass in each minute as the limit allows. No more may pass, and no earlier call may be rejected.
 */
export const judgeLimits = (run: Run): string[] => {
  const { done } = run;
  const counters = countersOf(run);
  const takenFrom = (counter: string, until: number): Done[] =>
    done.filter(
      ({ operation: { id }, answer, calledAt }) =>
        counters.get(id) === counter && answer?.code !== "rate_limited" && calledAt < until,
    );
  const problems: string[] = [];

  for (const counter of new Set(counters.values())) {
    const passed = takenFrom(counter, Number.POSITIVE_INFINITY).filter(({ answer }) => answer && answer.status < 500);
    const limit = Math.max(...limitsOf(run, counter));
    if (passed.length > limit) problems.push(`${passed.length} calls passed on ${counter} with a limit of ${limit}`);
  }
  for (const { operation, answer, token, calledTime, answeredTime, answeredAt, clockOffset } of done) {
    if (answer?.code !== "rate_limited" || !token) continue;
    const minutes = [calledTime, answeredTime].map((time) => minuteOf(time + clockOffset));
    const isDue = minutes.some((minute) => {
      const counter = `${allowanceOf(run, token.token_id)}/${minute}`;
      return takenFrom(counter, answeredAt).length >= Math.min(...limitsOf(run, counter));
    });
    if (!isDue) problems.push(`#${operation.id} was refused for its rate limit, which was not used up`);
  }
  return [...problems, ...ofEnded(run, counters)];
};

/** Checks that only working credentials are counted. */
const ofEnded = (run: Run, counters: ReadonlyMap<number, string>): string[] =>
  run.done.flatMap(({ operation: { id, call }, token, calledAt, calledTime, clockOffset }) => {
    if (!token || !counters.has(id)) return [];
    const item = itemAt(run, "tokens", token.token_id, calledAt);
    const hasExpired = Date.parse(item?.expires_at?.S ?? "9999") <= calledTime + clockOffset;
    const isUsed = call.kind === "redeem" && item?.redeemed_at !== undefined;
    return item?.revoked_at || hasExpired || isUsed ? [`#${id} was counted although its text had ended`] : [];
  });

/** Returns the counter that each operation has tried to take from, by the operation's id. */
const countersOf = ({ chronicle }: Run): Map<number, string> => {
  const counters = new Map<number, string>();
  for (const { operation, body } of chronicle.attempts) {
    const counter: unknown = JSON.parse(body).Key?.minute_id?.S;
    if (typeof counter === "string") counters.set(operation, counter);
  }
  return counters;
};

/** Returns the id of a token's allowance. Rotated tokens share the allowance of the first token. */
const allowanceIn = ({ token_id, limit_id }: Item): string | undefined => limit_id?.S ?? token_id?.S;

export const allowanceOf = ({ database }: Run, token_id: string): string | undefined => {
  const item = database.itemsOf("tokens").get(token_id);
  return item && allowanceIn(item);
};

/** Returns the limits that the tokens of a counter have had. */
const limitsOf = ({ chronicle, initial }: Run, counter: string): number[] => {
  const [allowance] = counter.split("/");
  const items = [
    ...initial.itemsOf("tokens").values(),
    ...chronicle.applied.flatMap(({ change: { table, after } }) => (table === "tokens" && after ? [after] : [])),
  ];
  return items.flatMap((item) =>
    allowanceIn(item) === allowance && item.rate_limit ? [Number(item.rate_limit.N)] : [],
  );
};

/**
 * Checks that every line of a successfully delivered batch is counted once. If all deliveries of a batch failed, its lines may be
 * counted at most once.
 */
export const judgeUsage = ({ done, batches }: Run): string[] => {
  const probe = done.findLast(({ operation }) => operation.call.kind === "usage");
  if (!probe?.answer || !probe.token || !isSuccess(probe)) return [];
  const { token_id } = probe.token;
  const deliveries = done.flatMap((one) => {
    const { call } = one.operation;
    return call.kind === "deliver" ? [{ batch: call.batch, isCounted: isSuccess(one) }] : [];
  });
  const hours = fieldOf(probe.answer.body, "hours");
  const counted = (Array.isArray(hours) ? hours : []).flatMap((hour) =>
    Object.entries(fieldOf(hour, "statuses") ?? {}).flatMap(([status, count]) => Array(Number(count)).fill(status)),
  );
  let possible: string[][] = [[]];
  for (const [batch, lines] of batches) {
    const added = statusesIn(lines, token_id);
    const isCounted = deliveries.some((one) => one.batch === batch && one.isCounted);
    possible = [...possible.map((sum) => [...sum, ...added]), ...(isCounted ? [] : possible)];
  }
  if (possible.some((sum) => textOf(sum) === textOf(counted))) return [];
  return [`usage was counted as ${textOf(counted)} instead of ${possible.map(textOf).join(" or ")}`];
};

const statusesIn = (lines: readonly LogLine[], token_id: string): string[] =>
  lines.flatMap(({ message }) => {
    const line: { token_id?: string; status: number } = JSON.parse(message);
    return line.token_id === token_id ? [`${Math.floor(line.status / 100)}xx`] : [];
  });

const textOf = (statuses: readonly string[]): string => `[${statuses.toSorted().join(", ")}]`;
