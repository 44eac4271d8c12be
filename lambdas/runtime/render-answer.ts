import { versionPath } from "../declaration/api.ts";
import type { AnyAnswer } from "../declaration/endpoint.ts";
import { encodeCursor } from "../declaration/paging.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";

interface Request {
  /** The path below the base URL that was asked for. */
  event: Pick<ApiEvent, "rawPath" | "rawQueryString">;
  version: string;
}

/** The HTTP response for what a handler answers. Paths in it are relative references, so no `Host` header can bend them. */
export const renderAnswer = (
  { status, body, location, next }: AnyAnswer,
  { version, event }: Request,
): ApiResponse => ({
  statusCode: status,
  headers: {
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(location !== undefined && { Location: versionPath(version, location) }),
    ...(next !== undefined && { Link: `<${nextPage(event, next)}>; rel="next"` }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/** RFC 8288: the same request with the cursor of the next page. */
const nextPage = ({ rawPath, rawQueryString }: Request["event"], next: string): string => {
  const query = new URLSearchParams(rawQueryString);
  query.set("cursor", encodeCursor(next));
  return `${rawPath.split("/").map(encodeURIComponent).join("/")}?${query}`;
};
