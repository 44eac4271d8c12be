import type { PathMethods } from "../declaration/operations.ts";
import { apiChain } from "../middlewares/chain.ts";
import type { ApiEvent } from "../middlewares/request.ts";
import { shortcuts } from "../shared/addresses.ts";
import { otherError } from "../shared/errors/api-error.ts";
import { notFoundPage } from "../site/not-found-page.ts";

/** The headers that each version adds to its responses. */
type VersionHeaders = Readonly<Record<string, Record<string, string>>>;

/**
 * Creates the Lambda handler for requests that match no route. It responds with `405` and `Allow` if the path has other methods,
 * with a redirect for a shortcut to the documentation, and with `404` otherwise.
 *
 * Clients must accept JSON only under `/api`, except for the documentation. On other paths, except those under `/admin`, browsers
 * get a page. Like all responses to admins, those under `/admin` must not be stored by browsers.
 */
export const serveFallback = (pathMethods: PathMethods, versionHeaders: VersionHeaders = {}) => {
  const declared = Object.entries(pathMethods).map(([path, methods]) => ({ path, pattern: patternOf(path), methods }));
  const headersOf = new Map(Object.entries(versionHeaders));

  const chain = apiChain({ asksForJson: isApiPath }).use(notFoundPage({ appliesTo: isForBrowsers }));
  return chain.handler<ApiEvent>(async ({ rawPath, requestContext: { http } }) => {
    const headers = isAdminPath(rawPath) ? noStore : (headersOf.get(rawPath.split("/")[2] ?? "") ?? {});
    const target = readMethods.has(http.method) ? shortcuts[rawPath] : undefined;
    if (target !== undefined) return { statusCode: 308, headers: { Location: target } };
    // Several paths match if a path is below another path that ends with a parameter. API Gateway may choose either of them for a
    // method.
    const found = declared.filter(({ pattern }) => pattern.test(rawPath));
    if (found.length === 0) throw otherError("endpoint_not_found", { headers, facts: { method: http.method } });

    const allow = [...new Set(found.flatMap(({ methods }) => methods))].toSorted().join(", ");
    throw otherError(isDocumentation(rawPath) ? "documentation_not_writable" : "method_not_allowed", {
      values: { method: http.method, allow },
      headers: { ...headers, Allow: allow },
      facts: { method: http.method, path: found.map(({ path }) => path).join(" ") },
    });
  });
};

const readMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const noStore = { "Cache-Control": "no-store" };

const isAdminPath = (path: string): boolean => /^\/admin(\/|$)/.test(path);

const isDocumentation = (path: string): boolean => /^\/api\/documentation(\/|$)/.test(path);

const isApiPath = (path: string): boolean => /^\/api(\/|$)/.test(path) && !isDocumentation(path);

/** Matches like API Gateway, where a parameter at the end of a path may contain slashes. */
const patternOf = (path: string): RegExp => {
  const pattern = path
    .split("/")
    .map((segment, index, { length }) =>
      isParameter(segment) ? (index === length - 1 ? ".+" : "[^/]+") : RegExp.escape(segment),
    )
    .join("/");
  return new RegExp(`^${pattern}$`, "s");
};

const isParameter = (segment: string): boolean => /^\{\w+\}$/.test(segment);

const isForBrowsers = (path: string): boolean => !isApiPath(path) && !isAdminPath(path);
