import { type Stage, stages } from "../../infra/stages/stage.ts";
import { assumptions, type CallUnits } from "./estimate.ts";

/** A limit, how much of it the busiest second takes, and what to do when it is near. */
export interface Limit {
  name: string;
  need: number;
  limit: number;
  remedy: string;
}

export const secondsOfMonth = 30 * 24 * 60 * 60;

/** The calls of the busiest second of a month. */
export const peakOf = (callsOfMonth: number): number => (callsOfMonth / secondsOfMonth) * assumptions.peak;

/** The most calls per second that the throttles let through to all endpoints together. */
export const throttledCalls = (units: CallUnits[], stage: Stage = stages.prod): number =>
  stage.throttles.endpoint.requestsPerSecond * units.length;

/**
 * The limits that calls run into, the nearest first. Quotas of AWS are those that an account has by default, which AWS raises on
 * request but for those of one item and one partition.
 */
export const limitsAt = (callsOfMonth: number, units: CallUnits[], stage: Stage = stages.prod): Limit[] => {
  const perSecond = peakOf(callsOfMonth);
  const average = (of: (unit: CallUnits) => number) => units.reduce((sum, unit) => sum + of(unit), 0) / units.length;
  const limits: Limit[] = [
    {
      name: "throttle of each endpoint (calls per second)",
      need: perSecond / units.length,
      limit: stage.throttles.endpoint.requestsPerSecond,
      remedy: "raise `throttles.endpoint` in `infra/stages/stage.ts`, which only serves to limit the bill",
    },
    {
      name: "the account's Lambda concurrency (simultaneous environments)",
      need: perSecond * (average(({ milliseconds }) => milliseconds) / 1000),
      limit: 1000 - Object.values(stage.concurrencyCaps).reduce((sum, cap) => sum + cap, 0),
      remedy: "request an increase of the service quota L-B99A9384",
    },
    {
      name: "the account's API Gateway calls per second",
      need: perSecond,
      limit: 10_000,
      remedy: "request an increase of the service quota, or give each group of clients its own account",
    },
    {
      name: "hot token, if one token makes all calls (reads of one item per second)",
      need: perSecond,
      limit: 3000,
      remedy: "give each of the client's systems its own token",
    },
    {
      name: "hot key, if all writes are to one key (writes of one item in the index of changes per second)",
      need: perSecond * average(({ indexWrites }) => indexWrites),
      limit: 1000,
      remedy: "no setting helps; the client must write the key less often",
    },
    {
      name: "a new table's writes per second, before it has split (all keys)",
      need: perSecond * average(({ writes }) => writes),
      limit: 4000,
      remedy: "set warm throughput on the table before the load arrives",
    },
    {
      name: "a table's reads per second (the account's quota for one table)",
      need: perSecond * average(({ reads }) => reads),
      limit: 40_000,
      remedy: "request an increase of the service quota; ask clients to use smaller pages",
    },
  ];
  return limits.toSorted((a, b) => b.need / b.limit - a.need / a.limit);
};
