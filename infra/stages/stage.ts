import type { LogLevel } from "../../lambdas/log.ts";

export const stageNames = ["prod", "staging", "dev"] as const;

export type StageName = (typeof stageNames)[number];

/** The requests that API Gateway lets through before it responds with 429. */
export interface Throttle {
  requestsPerSecond: number;
  burst: number;
}

/** The purpose of a function: an endpoint of the API, or one of the jobs that every API has a function for. */
export type FunctionKind = "endpoint" | "site" | "admin" | "admin-http" | "fallback" | "usage" | "notices" | "check";

/** `alarms` includes saved queries. `full` adds a dashboard and alarms on the metrics of each table. */
export type MonitoringLevel = "none" | "alarms" | "full";

/** The differences between stages. Everything else is the same in all stages. */
export interface Stage {
  name: StageName;
  /** Data outlives its stack, is protected from deletion, and can be restored to any second of the last 35 days. */
  keepsData: boolean;
  /** How long the log of requests is kept. */
  requestLogDays: number;
  /** How long the log of admin actions is kept. */
  adminLogDays: number;
  /** The lowest level that functions log. */
  logLevel: LogLevel;
  /** Lambda logs the start and the report of each invocation, which costs as much as the service's own lines. */
  logsInvocations: boolean;
  /**
   * `endpoint` applies to each route separately, and `fallback` to all paths without a route. The latter is so low that its
   * function, which takes milliseconds, never needs more than a few of the ten executions of a new account: a scanner cannot
   * take the endpoints' capacity. Its burst does not exceed the function's cap, so the excess does not reach Lambda.
   */
  throttles: Readonly<Record<"endpoint" | "fallback", Throttle>>;
  /**
   * Concurrency reserved for each function of a kind, which is also its limit. All others share the rest of the account's
   * concurrency.
   */
  concurrencyCaps: Readonly<Partial<Record<FunctionKind, number>>>;
  /** Admins need an authenticator app. If it is optional, the managed login pages do not offer to set one up. */
  requiresMfa: boolean;
  monitoring: MonitoringLevel;
  /** A new version gets a tenth of the calls for five minutes, and is rolled back if an alarm fires meanwhile. */
  shiftsTraffic: boolean;
}

/** The caps that `-c reserveConcurrency=true` sets. Lambda insists on keeping 100 unreserved, which new accounts do not have. */
export const concurrencyCaps = { site: 10, admin: 5, "admin-http": 5, fallback: 5, usage: 5, notices: 2 } as const;

const productionLike = {
  keepsData: true,
  requestLogDays: 90,
  adminLogDays: 365,
  logLevel: "info",
  logsInvocations: false,
  throttles: {
    endpoint: { requestsPerSecond: 500, burst: 1000 },
    fallback: { requestsPerSecond: 5, burst: 5 },
  },
  concurrencyCaps: {},
  requiresMfa: true,
  monitoring: "alarms",
  shiftsTraffic: true,
} as const satisfies Omit<Stage, "name">;

export const stages: { readonly [Name in StageName]: Stage & { name: Name } } = {
  prod: { ...productionLike, name: "prod" },
  // A rehearsal of production, without what costs money or time only there.
  staging: {
    ...productionLike,
    name: "staging",
    requestLogDays: 30,
    adminLogDays: 30,
    requiresMfa: false,
    shiftsTraffic: false,
  },
  // Leaves nothing behind, and costs nothing while nobody calls it.
  dev: {
    ...productionLike,
    name: "dev",
    keepsData: false,
    requestLogDays: 7,
    adminLogDays: 7,
    logsInvocations: true,
    throttles: { ...productionLike.throttles, endpoint: { requestsPerSecond: 50, burst: 100 } },
    requiresMfa: false,
    monitoring: "none",
    shiftsTraffic: false,
  },
};
