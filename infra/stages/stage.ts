import type { LogLevel } from "../../lambdas/log.ts";

export const stageNames = ["prod", "staging", "dev"] as const;

export type StageName = (typeof stageNames)[number];

/** How many requests a second API Gateway lets through, and how many more at once, before it answers 429. */
export interface Throttle {
  requestsPerSecond: number;
  burst: number;
}

/** What a function is for: an endpoint of the API, or one of the things that every API has a function for. */
export const doors = ["endpoint", "site", "admin", "fallback", "usage"] as const;

export type Door = (typeof doors)[number];

/** Those that are behind routes; to `usage` leads a log. */
export type RoutedDoor = Exclude<Door, "usage">;

/** The door that a function of the service is, by its name. */
export const doorOf = (functionName: string): Door => doors.find((door) => door === functionName) ?? "endpoint";

/** What differs between the stages. What does not stand here is the same in all of them. */
export interface Stage {
  name: StageName;
  /** Data outlives its stack, is recoverable to any second of the last 35 days, and is not to be deleted by mistake. */
  keepsData: boolean;
  /** How long the log of requests is kept. */
  requestLogDays: number;
  /** How long the log of what admins did is kept. */
  adminLogDays: number;
  /** What functions log: everything from this level on. */
  logLevel: LogLevel;
  /** Whether Lambda logs the start and the report of each invocation, which cost as much as the service's own lines. */
  logsInvocations: boolean;
  throttles: Readonly<Record<RoutedDoor, Throttle>>;
  /** The most that a door may run at once, taken from the account's concurrency; without one it shares the rest. */
  concurrencyCaps: Readonly<Partial<Record<Door, number>>>;
  /** Metrics from the logs, alarms and a dashboard. */
  isWatched: boolean;
  /** A new version gets a tenth of the calls for five minutes, and none again if an alarm goes off meanwhile. */
  shiftsTraffic: boolean;
}

const guarded = {
  keepsData: true,
  requestLogDays: 90,
  adminLogDays: 365,
  logLevel: "info",
  logsInvocations: false,
  throttles: {
    endpoint: { requestsPerSecond: 500, burst: 1000 },
    site: { requestsPerSecond: 50, burst: 100 },
    admin: { requestsPerSecond: 20, burst: 40 },
    fallback: { requestsPerSecond: 20, burst: 40 },
  },
  concurrencyCaps: { site: 10, admin: 5, fallback: 5, usage: 5 },
  isWatched: true,
  shiftsTraffic: true,
} as const satisfies Omit<Stage, "name">;

export const stages: { readonly [Name in StageName]: Stage & { name: Name } } = {
  prod: { ...guarded, name: "prod" },
  // A rehearsal of production, but for what only costs time and space there.
  staging: { ...guarded, name: "staging", requestLogDays: 30, adminLogDays: 30, shiftsTraffic: false },
  // Leaves nothing behind, and fits into a new account, whose concurrency is too small to reserve any of it.
  dev: {
    ...guarded,
    name: "dev",
    keepsData: false,
    requestLogDays: 7,
    adminLogDays: 7,
    logsInvocations: true,
    throttles: {
      endpoint: { requestsPerSecond: 50, burst: 100 },
      site: { requestsPerSecond: 20, burst: 40 },
      admin: { requestsPerSecond: 10, burst: 20 },
      fallback: { requestsPerSecond: 10, burst: 20 },
    },
    concurrencyCaps: {},
    isWatched: false,
    shiftsTraffic: false,
  },
};
