import { minuteOf } from "../../../lambdas/middlewares/limit-rate.ts";
import { type Answered, isFailure } from "./caller.ts";

/** The allowance that a limited token shares with the tokens that it was rotated from. */
export interface Allowance {
  /** The id of the first of these tokens. */
  id: string;
  /** How many requests per minute they may send together. */
  limit: number;
}

interface CountedCall {
  calledAt: number;
  answeredAt: number;
  /** A call that failed may or may not have been counted. */
  outcome: "passed" | "refused" | "unknown";
}

/** Watches the calls with limited tokens, whose verdicts were "active". */
export const createLimitWatch = () => {
  const calls = new Map<string, { limit: number; calls: CountedCall[] }>();
  let count = 0;
  return {
    note({ id, limit }: Allowance, answered: Answered): void {
      const { calledAt, answeredAt, status } = answered;
      const known = calls.get(id) ?? { limit, calls: [] };
      const outcome = isFailure(answered) ? "unknown" : status === 429 ? "refused" : "passed";
      known.calls.push({ calledAt, answeredAt, outcome });
      calls.set(id, known);
      count += 1;
    },
    calls: () => count,
    /** The minutes in which more calls passed than the limit allows, or one was refused although fewer had been sent. */
    differences: (): string[] => [...calls].flatMap(([id, allowance]) => differencesOf(id, allowance)),
  };
};

export type LimitWatch = ReturnType<typeof createLimitWatch>;

const differencesOf = (id: string, { limit, calls }: { limit: number; calls: CountedCall[] }): string[] => {
  const byMinute = Map.groupBy(
    calls.flatMap((call) => minutesOf(call).map((minute) => ({ call, minute }))),
    ({ minute }) => minute,
  );
  return [...byMinute].flatMap(([minute, entries]) => {
    const all = entries.map(({ call }) => call);
    const passed = all.filter((call) => call.outcome === "passed" && minutesOf(call).length === 1);
    const mayCount = all.filter(({ outcome }) => outcome !== "refused");
    const early = all.filter(
      (call) =>
        call.outcome === "refused" &&
        minutesOf(call).length === 1 &&
        mayCount.filter(({ calledAt }) => calledAt <= call.answeredAt).length < limit,
    );
    const where = `with the allowance of ${id} in ${minute}`;
    return [
      ...(passed.length > limit ? [`${passed.length} calls passed ${where}, whose limit is ${limit}`] : []),
      ...(early.length > 0 ? [`${early.length} calls were refused ${where} before its limit of ${limit}`] : []),
    ];
  });
};

/** The minutes in which a call can have been counted: one, or two. */
const minutesOf = ({ calledAt, answeredAt }: CountedCall): string[] => [
  ...new Set([minuteOf(calledAt), minuteOf(answeredAt)]),
];
