import type { PathMethods } from "../declaration/api.ts";
import { ApiError } from "../errors/api-error.ts";
import { apiChain } from "./api-chain.ts";

/**
 * The Lambda handler of every request that no route takes: `405` with `Allow` on a path that answers other methods, `404`
 * on any other. Only under `/api`, less the documentation itself, is JSON asked for.
 */
export const serveFallback = (pathMethods: PathMethods) => {
  const paths = Object.entries(pathMethods).map(([path, methods]) => ({ pattern: patternOf(path), methods }));

  return apiChain({ asksForJson: isApiPath }).handler(async ({ rawPath, requestContext }) => {
    const path = paths.find(({ pattern }) => pattern.test(rawPath));
    if (!path) throw new ApiError("endpoint_not_found");
    const allow = path.methods.toSorted().join(", ");
    throw new ApiError("method_not_allowed", {
      values: { method: requestContext.http.method, allow },
      headers: { Allow: allow },
    });
  });
};

const isApiPath = (path: string): boolean => /^\/api(\/|$)/.test(path) && !/^\/api\/documentation(\/|$)/.test(path);

/** What API Gateway's own matching takes for `path`: a parameter at its end may hold slashes. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{\w+\}$/, ".+").replace(/\{\w+\}/g, "[^/]+")}$`, "s");
