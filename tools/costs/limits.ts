import { type Stage, stages } from "../../infra/stages/stage.ts";
import { assumptions, type CallUnits } from "./estimate.ts";

/** A limit, how much of it the busiest second takes, and what to do when it is near. */
export interface Limit {
  name: string;
  need: number;
  limit: number;
  remedy: string;
}

const secondsOfMonth = 30 * 24 * 60 * 60;

/** The calls of the busiest second of a month. */
export const peakOf = (callsOfMonth: number): number => (callsOfMonth / secondsOfMonth) * assumptions.peak;

/**
 * The limits that calls run into, the nearest first. Quotas of AWS are those that an account has by default, which AWS raises on
 * request but for those of one item and one partition.
 */
export const limitsAt = (callsOfMonth: number, units: CallUnits[], stage: Stage = stages.prod): Limit[] => {
  const perSecond = peakOf(callsOfMonth);
  const average = (of: (unit: CallUnits) => number) => units.reduce((sum, unit) => sum + of(unit), 0) / units.length;
  const limits: Limit[] = [
    {
      name: "throttle of the stage (calls a second)",
      need: perSecond,
      limit: stage.throttles.endpoint.requestsPerSecond,
      remedy: "raise `throttles.endpoint` in `infra/stages/stage.ts`: it bounds the bill, nothing else",
    },
    {
      name: "account's concurrency of Lambda (environments at once)",
      need: perSecond * (average(({ milliseconds }) => milliseconds) / 1000),
      limit: 1000 - Object.values(stage.concurrencyCaps).reduce((sum, cap) => sum + cap, 0),
      remedy: "ask for more under Service Quotas, L-B99A9384",
    },
    {
      name: "account's calls a second through API Gateway",
      need: perSecond,
      limit: 10_000,
      remedy: "ask for more under Service Quotas, or give each group of clients an account",
    },
    {
      name: "hot token: one token makes every call (reads of one item a second)",
      need: perSecond,
      limit: 3000,
      remedy: "give each of the client's systems a token of its own",
    },
    {
      name: "hot key: every write is to one key (writes of one item a second)",
      need: perSecond * average(({ writes }) => writes),
      limit: 1000,
      remedy: "no setting helps: the client must write it less often",
    },
    {
      name: "new table's writes a second, before it has split (all keys)",
      need: perSecond * average(({ writes }) => writes),
      limit: 4000,
      remedy: "set warm throughput on the table before the load comes",
    },
    {
      name: "table's reads a second (account's quota for one table)",
      need: perSecond * average(({ reads }) => reads),
      limit: 40_000,
      remedy: "ask for more under Service Quotas; ask clients for smaller pages",
    },
  ];
  return limits.toSorted((a, b) => b.need / b.limit - a.need / a.limit);
};
