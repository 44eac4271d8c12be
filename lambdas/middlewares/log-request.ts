import type { Script } from "node:vm";
import { ApiError } from "../shared/errors/api-error.ts";
import { describeCause, type LogLevel, log } from "../shared/log.ts";
import type { Middleware, Request } from "./request.ts";

declare global {
  /** Set by infra/bundles/cached.cjs, which runs a function with the code cache that it is deployed with. */
  var codeCache: { state: "accepted" | "rejected"; script: Script } | undefined;
}

/** The field in which later middlewares and the handler collect facts for the log. */
export interface LogFields {
  /** Fields of the request's log line, such as the caller. */
  logFields: Record<string, string>;
}

/**
 * Writes one JSON line per request: who called what, and the outcome. It never contains a header, a body, a query string or a
 * secret. The cause of a 5xx is logged here and shown nowhere else.
 *
 * @example chain.use(logRequest()).handler(async ({ logFields }) => { logFields.outcome = "created"; … })
 */
export const logRequest = (): Middleware<LogFields> => {
  let isFirst = true;
  /** Logs once that this environment is new, and whether V8 has accepted its code cache, so that metric filters can count both. */
  const coldStart = () => {
    if (!isFirst) return undefined;
    isFirst = false;
    return { cold_start: true, ...(globalThis.codeCache && { code_cache: globalThis.codeCache.state }) };
  };
  const collectFields = ({ event }: Request<LogFields>): void => {
    event.logFields = {};
  };
  const logSuccess = (request: Request<LogFields>): void => {
    log(levelOf(request.event.logFields), {
      ...about(request),
      status: request.response?.statusCode,
      ...coldStart(),
    });
  };
  const logFailure = (request: Request<LogFields>): void => {
    const { level, ...outcome } = outcomeOf(request.error);
    log(level, { ...about(request), ...outcome, ...coldStart() });
  };
  return { before: collectFields, after: logSuccess, onError: logFailure };
};

const about = ({ event }: Request<LogFields>) => ({
  message: "request",
  request_id: event.requestContext.requestId,
  route: event.routeKey,
  source_ip: event.requestContext.http.sourceIp,
  ...event.logFields,
});

const outcomeOf = (error: unknown): { level: LogLevel; status: number; [fact: string]: unknown } => {
  if (!(error instanceof ApiError)) return { level: "error", status: 500, cause: describeCause(error) };
  const { status, code, facts, cause } = error;
  if (status >= 500) return { level: "error", status, code, ...facts, cause: describeCause(cause) };
  return { level: levelOf(facts), status, code, ...facts };
};

const levelOf = (facts: Record<string, string>): LogLevel => (facts.leak_signal ? "warn" : "info");
