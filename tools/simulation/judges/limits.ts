import { minuteOf } from "../../../lambdas/resources/limits/minute.ts";
import type { Done, Run } from "../run-schedule.ts";

/** Of the calls with a token in one minute as many pass as its limit says: no more, and none is refused before. */
export const judgeLimits = (run: Run): string[] => {
  const { done } = run;
  const takers = new Map<number, string>();
  for (const { operation, body } of run.chronicle.attempts) {
    const counter: unknown = JSON.parse(body).Key?.minute_id?.S;
    if (typeof counter === "string") takers.set(operation, counter);
  }
  const takenFrom = (counter: string, until: number): Done[] =>
    done.filter(
      ({ operation: { id }, answer, calledAt }) =>
        takers.get(id) === counter && answer?.code !== "rate_limited" && calledAt < until,
    );
  const problems: string[] = [];

  for (const counter of new Set(takers.values())) {
    const passed = takenFrom(counter, Number.POSITIVE_INFINITY).filter(({ answer }) => answer && answer.status < 500);
    const limit = Math.max(...limitsOf(run, counter));
    if (passed.length > limit) problems.push(`${passed.length} calls passed on ${counter} with a limit of ${limit}`);
  }
  for (const { operation, answer, token, calledTime, answeredTime, answeredAt, clockOffset } of done) {
    if (answer?.code !== "rate_limited" || !token) continue;
    const minutes = [calledTime, answeredTime].map((time) => minuteOf(time + clockOffset));
    const counters = minutes.map((minute) => `${token.token_id}/${minute}`);
    const isDue = counters.some((counter) => {
      const limit = Math.min(...limitsOf(run, counter));
      return takenFrom(counter, answeredAt).length >= limit;
    });
    if (!isDue) problems.push(`#${operation.id} was refused for its rate limit, which was not used up`);
  }
  return problems;
};

/** The limits that the token of a counter has had. */
const limitsOf = ({ chronicle, initial }: Run, counter: string): number[] => {
  const [token_id = ""] = counter.split("/");
  const items = [
    initial.itemsOf("tokens").get(token_id),
    ...chronicle.applied.flatMap(({ change }) =>
      change.table === "tokens" && change.key === token_id ? [change.after] : [],
    ),
  ];
  return items.flatMap((item) => (item?.rate_limit ? [Number(item.rate_limit.N)] : []));
};
