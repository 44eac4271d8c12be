import type { Item } from "cdk-local-runner/database";
import { minuteOf } from "../../../lambdas/resources/limits/minute.ts";
import type { Done } from "../answers.ts";
import type { Run } from "../execute.ts";

/** In each minute, exactly as many calls pass as the limit allows: no more, and none is refused before. */
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

/** Only a credential that works is counted. */
const ofEnded = ({ done, chronicle, initial }: Run, counters: ReadonlyMap<number, string>): string[] =>
  done.flatMap(({ operation: { id, call }, token, calledAt, calledTime, clockOffset }) => {
    if (!token || !counters.has(id)) return [];
    const change = chronicle.applied.findLast(
      (one) => one.change.key === token.token_id && one.change.table === "tokens" && one.appliedAt < calledAt,
    );
    const item = change?.change.after ?? initial.itemsOf("tokens").get(token.token_id);
    const hasExpired = Date.parse(item?.expires_at?.S ?? "9999") <= calledTime + clockOffset;
    const isUsed = call.kind === "redeem" && item?.redeemed_at !== undefined;
    return item?.revoked_at || hasExpired || isUsed ? [`#${id} was counted although its text had ended`] : [];
  });

/** The counter that each operation has tried to take from, by the operation's id. */
const countersOf = ({ chronicle }: Run): Map<number, string> => {
  const counters = new Map<number, string>();
  for (const { operation, body } of chronicle.attempts) {
    const counter: unknown = JSON.parse(body).Key?.minute_id?.S;
    if (typeof counter === "string") counters.set(operation, counter);
  }
  return counters;
};

/** Rotated tokens share the allowance of the first. */
const allowanceIn = ({ token_id, limit_id }: Item): string | undefined => limit_id?.S ?? token_id?.S;

const allowanceOf = ({ database }: Run, token_id: string): string | undefined => {
  const item = database.itemsOf("tokens").get(token_id);
  return item && allowanceIn(item);
};

/** The limits that the tokens of a counter have had. */
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
