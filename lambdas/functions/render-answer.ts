import { versionPath } from "../declaration/api.ts";
import type { AnyAnswer } from "../declaration/endpoint.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { encodeCursor } from "../validation/paging.ts";

interface Request {
  /** The path below the base URL that was asked for. */
  event: Pick<ApiEvent, "rawPath" | "rawQueryString">;
  version: string;
  /** The names of the query parameters that the endpoint knows. */
  queryNames?: readonly string[];
}

/** Percent-encoding makes up to three bytes of one, and API Gateway takes 10 KB of headers. */
const longestQueryBytes = 4_096;

/** The HTTP response for what a handler answers. Paths in it are relative references, so no `Host` header can bend them. */
export const renderAnswer = (
  { status, body, location, next }: AnyAnswer,
  { version, event, queryNames = [] }: Request,
): ApiResponse => ({
  statusCode: status,
  headers: {
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(location !== undefined && { Location: versionPath(version, location) }),
    ...(next !== undefined && { Link: `<${nextPage(event, { next, queryNames })}>; rel="next"` }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/**
 * RFC 8288: the same request with the cursor of the next page. What the endpoint does not know of a query is kept, unless
 * the link would be too long to be sent.
 */
const nextPage = (
  { rawPath, rawQueryString }: Request["event"],
  { next, queryNames }: { next: string; queryNames: readonly string[] },
): string => {
  const query = new URLSearchParams(rawQueryString);
  query.set("cursor", encodeCursor(next));
  const whole = query.toString();
  const known = () => new URLSearchParams([...query].filter(([name]) => queryNames.includes(name))).toString();
  const segments = rawPath.toWellFormed().split("/");
  return `${segments.map(encodeURIComponent).join("/")}?${whole.length <= longestQueryBytes ? whole : known()}`;
};
