import type { LogLevel } from "../../lambdas/shared/log.ts";

export const stageNames = ["prod", "staging", "dev"] as const;

export type StageName = (typeof stageNames)[number];

/** The rate and burst of requests that API Gateway accepts before it responds with 429. */
export interface Throttle {
  requestsPerSecond: number;
  burst: number;
}

/** The purpose of a function: an endpoint, a job of an application, or what every service has a function for. */
export type FunctionKind =
  | "endpoint"
  | "job"
  | "site"
  | "admin"
  | "admin-http"
  | "fallback"
  | "usage"
  | "notices"
  | "check";

/** `alarms` includes saved queries. `full` adds a dashboard and alarms on the metrics of each table. */
export type MonitoringLevel = "none" | "alarms" | "full";

/** The differences between stages. Everything else is the same in all stages. */
export interface Stage {
  name: StageName;
  /** Data outlives its stack, is protected from deletion, and can be restored to any second of the last 35 days. */
  keepsData: boolean;
  /** The processors that the functions run on. See docs/decisions/fast-functions.md. */
  architecture: "arm64" | "x86_64";
  /** The retention time of the request log. */
  requestLogDays: number;
  /** The retention time of the admin log. */
  adminLogDays: number;
  /** The lowest level that functions log. */
  logLevel: LogLevel;
  /** Logs the start and the report of each invocation, which costs as much as the service's own lines. */
  logsInvocations: boolean;
  /**
   * `endpoint` applies to each route separately, and `fallback` to all paths without a route. The rate of `fallback` is so low that
   * its function, which takes milliseconds, never needs more than a few of the ten executions of a new account. A scanner therefore
   * cannot use up the endpoints' capacity. The burst does not exceed the function's cap, so excess requests do not reach Lambda.
   */
  throttles: Readonly<Record<"endpoint" | "fallback", Throttle>>;
  /**
   * The concurrency reserved for each function of this kind, which is also the function's limit. All other functions share the rest
   * of the account's concurrency.
   */
  concurrencyCaps: Readonly<Partial<Record<FunctionKind, number>>>;
  /** Requires admins to use an authenticator app. If the app is optional, the managed login pages do not offer to set one up. */
  requiresMfa: boolean;
  monitoring: MonitoringLevel;
  /** A new version gets a tenth of the calls for five minutes, and is rolled back if an alarm fires in that time. */
  shiftsTraffic: boolean;
}

/** The caps that `-c reserveConcurrency=true` sets. Lambda requires 100 unreserved executions, which new accounts do not have. */
export const concurrencyCaps = { site: 10, admin: 5, "admin-http": 5, fallback: 5, usage: 5, notices: 2 } as const;

const productionLike = {
  keepsData: true,
  architecture: "arm64",
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
  // A rehearsal of production, without the settings that cost money or time and matter only in production.
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
