import { ApiError } from "../shared/errors/api-error.ts";
import { describeCause, type LogLevel, log } from "../shared/log.ts";
import type { Middleware, Request } from "./request.ts";

/**
 * Writes one JSON line per request: who called what, and the outcome. It never contains a header, a body, a query string or a
 * secret. The cause of a 5xx is logged here and shown nowhere else.
 */
export const logRequest = (): Middleware => {
  let isFirst = true;
  /** Logs once that this environment is new, so that a metric filter can count cold starts. */
  const coldStart = () => {
    if (!isFirst) return undefined;
    isFirst = false;
    return { cold_start: true };
  };
  return {
    after: (request) => {
      const { facts } = request.event;
      log(levelOf(facts), { ...about(request), status: request.response?.statusCode, ...facts, ...coldStart() });
    },
    onError: (request) => {
      const { level, ...outcome } = outcomeOf(request.error);
      log(level, { ...about(request), ...outcome, ...coldStart() });
    },
  };
};

const about = ({ event }: Request) => ({
  message: "request",
  request_id: event.requestContext.requestId,
  route: event.routeKey,
  source_ip: event.requestContext.http.sourceIp,
  token_id: event.caller?.token.token_id,
  credential: event.credential,
  actor: event.actor,
});

const outcomeOf = (error: unknown): { level: LogLevel; status: number; [fact: string]: unknown } => {
  if (!(error instanceof ApiError)) return { level: "error", status: 500, cause: describeCause(error) };
  const { status, code, facts, cause } = error;
  if (status >= 500) return { level: "error", status, code, ...facts, cause: describeCause(cause) };
  return { level: levelOf(facts), status, code, ...facts };
};

const levelOf = (facts: Record<string, string> = {}): LogLevel => (facts.leak_signal ? "warn" : "info");
