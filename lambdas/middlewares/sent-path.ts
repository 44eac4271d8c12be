import { ApiError } from "../errors/api-error.ts";
import type { ApiEvent } from "./request.ts";

/**
 * Refuses a request whose path no longer means what its client sent. A client that repeats the path in the header
 * `X-Sent-Path`, percent-encoded once, can rely on it; without the header there is nothing to compare.
 *
 * API Gateway decodes paths twice, and it is not recorded what it does with some characters. Not even `rawPath` shows what
 * was sent. The comparison is with the route and its parameters, because they decide what a request does.
 *
 * @throws {ApiError} `path_changed`
 */
export const assertSentPath = ({
  headers,
  routeKey,
  pathParameters = {},
}: Pick<ApiEvent, "headers" | "routeKey" | "pathParameters">): void => {
  const sent = headers["x-sent-path"];
  if (sent === undefined) return;
  const [, template = ""] = routeKey.split(" ");
  const arrived = template.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters[name] ?? "");
  if (decode(sent) !== arrived) throw new ApiError("path_changed");
};

const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};
