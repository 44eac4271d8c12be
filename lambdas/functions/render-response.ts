import { hash } from "node:crypto";
import { versionPath } from "../addresses.ts";
import type { AnyAnswer, Endpoint } from "../declaration/endpoint.ts";
import { matchesAny, strongTag, weakTag } from "../http/entity-tags.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { encodeCursor } from "../validation/paging.ts";
import { declaredFields, hasSecret } from "../validation/response-body.ts";

type AskedFor = Pick<ApiEvent, "rawPath" | "rawQueryString" | "headers">;

/** Percent-encoding can triple the number of bytes, and API Gateway accepts 10 KB of headers. */
const maxQueryBytes = 4_096;

/**
 * Makes a function that turns the result of an endpoint's handler into the HTTP response: the declared fields only, or `304` if
 * the client already has them. Addresses in it are relative references, which a forged `Host` header cannot redirect.
 */
export const responseRenderer = (
  { method, responses, query }: Pick<Endpoint, "method" | "responses" | "query">,
  apiVersion: string,
) => {
  const queryNames = Object.keys(query?.shape ?? {});
  const declared = new Map(
    Object.entries(responses).map(([status, { body, paged }]) => [
      Number(status),
      {
        copyDeclared: body && declaredFields(body),
        isPaged: paged === true,
        caching: body && hasSecret(body) ? { "Cache-Control": "no-cache, no-store" } : {},
      },
    ]),
  );

  return ({ status, body, location, next, version }: AnyAnswer, event: AskedFor): ApiResponse => {
    const { copyDeclared, isPaged = false, caching } = declared.get(status) ?? {};
    const text = copyDeclared && JSON.stringify(copyDeclared(body));
    const link = next === undefined ? undefined : `<${nextPage(event, { next, queryNames })}>; rel="next"`;
    const tagOfBody = isPaged ? tagOfPage(text, link) : undefined;
    const tag = version === undefined ? tagOfBody : strongTag(version);
    const headers = { ...(tag !== undefined && { ETag: tag }), ...(link !== undefined && { Link: link }) };
    if (tag !== undefined && method === "GET" && matchesAny(event.headers["if-none-match"], tag)) {
      const vary = isPaged && { Vary: "Accept-Encoding" };
      // Caches update stored responses with these headers, and API Gateway marks a response without a type as text.
      return { statusCode: 304, headers: { ...headers, "Content-Type": "application/json", ...vary } };
    }

    return {
      statusCode: status,
      headers: {
        ...headers,
        ...caching,
        ...(text !== undefined && { "Content-Type": "application/json" }),
        ...(location !== undefined && { Location: versionPath(apiVersion, location) }),
      },
      ...(text !== undefined && { body: text }),
    };
  };
};

/**
 * A weak tag, because the bytes of a page depend on their encoding. The link counts, too: the same page with another link gets
 * another tag.
 */
const tagOfPage = (text = "", link = ""): string => weakTag(hash("sha256", text + link, "base64url").slice(0, 16));

/**
 * RFC 8288: the same request with the cursor of the next page. Query parameters that the endpoint does not know are kept,
 * unless that would make the link too long to be sent.
 */
const nextPage = (
  { rawPath, rawQueryString }: AskedFor,
  { next, queryNames }: { next: string; queryNames: readonly string[] },
): string => {
  const query = new URLSearchParams(rawQueryString);
  query.set("cursor", encodeCursor(next));
  const whole = query.toString();
  const known = () => new URLSearchParams([...query].filter(([name]) => queryNames.includes(name))).toString();
  const segments = rawPath.toWellFormed().split("/");
  return `${segments.map(encodeURIComponent).join("/")}?${whole.length <= maxQueryBytes ? whole : known()}`;
};
