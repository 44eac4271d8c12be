import type { CorsSettings } from "../assembly/http-api.ts";

type Headers = Record<string, string>;

/** Whether a request is a CORS preflight: a browser asks whether a page of another origin may send a request. */
export const isPreflight = (method: string | undefined, { origin, ...headers }: Headers): boolean =>
  method === "OPTIONS" && origin !== undefined && headers["access-control-request-method"] !== undefined;

/** Returns the response headers for a preflight. A disallowed origin gets no headers, so the browser blocks the request. */
export const preflightHeaders = (cors: CorsSettings, request: Headers): Headers => {
  const { AllowMethods, AllowHeaders, MaxAge } = cors;
  const allowed = allowedOrigin(cors, request);
  return {
    ...allowed,
    ...(allowed && AllowMethods.length > 0 && { "access-control-allow-methods": AllowMethods.join(",") }),
    ...(allowed && AllowHeaders.length > 0 && { "access-control-allow-headers": AllowHeaders.join(",") }),
    ...(allowed && MaxAge !== undefined && { "access-control-max-age": String(MaxAge) }),
  };
};

/**
 * Returns the headers of a function's response. Documented: if an API has CORS settings, the function's own CORS headers are
 * ignored.
 */
export const withCors = (cors: CorsSettings, request: Headers, headers: Headers): Headers => {
  const others = Object.entries(headers).filter(([name]) => !/^access-control-/i.test(name));
  const allowed = allowedOrigin(cors, request);
  const { ExposeHeaders } = cors;
  return {
    ...Object.fromEntries(others),
    ...allowed,
    ...(allowed && ExposeHeaders.length > 0 && { "access-control-expose-headers": ExposeHeaders.join(",") }),
  };
};

const allowedOrigin = ({ AllowOrigins, AllowCredentials }: CorsSettings, { origin }: Headers): Headers | undefined => {
  if (origin === undefined) return undefined;
  const isAny = AllowOrigins.includes("*");
  // Documented: `https://*` and `http://*` match all origins with this scheme.
  const schemeOnly = `${origin.split("://")[0]}://*`;
  if (!isAny && !AllowOrigins.some((allowed) => allowed === origin || allowed === schemeOnly)) return undefined;
  return {
    "access-control-allow-origin": isAny ? "*" : origin,
    ...(AllowCredentials && { "access-control-allow-credentials": "true" }),
  };
};
