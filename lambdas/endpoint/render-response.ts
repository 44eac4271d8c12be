import { hash } from "node:crypto";
import type { Endpoint } from "../declaration/endpoint.ts";
import type { AnyResponse } from "../declaration/responses.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { versionPath } from "../shared/addresses.ts";
import { matchesAny, strongTag, weakTag } from "../shared/http/entity-tags.ts";
import { encodeCursor } from "../shared/validation/paging.ts";
import { declaredFields, hasSecret } from "../shared/validation/response-body.ts";

type AskedFor = Pick<ApiEvent, "rawPath" | "rawQueryString" | "headers">;

/** Percent-encoding can triple the size, and API Gateway accepts 10 KB of headers. */
const maxQueryBytes = 4_096;

/**
 * Returns a function that converts a handler's result into the HTTP response. The response contains only the declared fields, or is
 * a `304` if the client already has them. Its addresses are relative references, which a forged `Host` header cannot redirect.
 */
export const responseRenderer = (
  { method, responses, query }: Pick<Endpoint, "method" | "responses" | "query">,
  apiVersion: string,
) => {
  const queryNames = Object.keys(query?._zod.def.shape ?? {});
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

  return ({ status, body, location, next, version }: AnyResponse, event: AskedFor): ApiResponse => {
    const { copyDeclared, isPaged = false, caching } = declared.get(status) ?? {};
    const text = copyDeclared && JSON.stringify(copyDeclared(body));
    const link = next === undefined ? undefined : `<${nextPage(event, { next, queryNames })}>; rel="next"`;
    const tagOfBody = isPaged ? tagOfPage(text, link) : undefined;
    const tag = version === undefined ? tagOfBody : strongTag(version);
    const headers = { ...(tag !== undefined && { ETag: tag }), ...(link !== undefined && { Link: link }) };
    if (tag !== undefined && method === "GET" && matchesAny(event.headers["if-none-match"], tag)) {
      const vary = isPaged && { Vary: "Accept-Encoding" };
      // Caches update stored responses with these headers, and API Gateway labels responses without a type as text.
      return { statusCode: 304, headers: { ...headers, ...jsonType, ...vary } };
    }

    return {
      statusCode: status,
      headers: {
        ...headers,
        ...caching,
        ...(text !== undefined && jsonType),
        ...(location !== undefined && { Location: inOneLine(versionPath(apiVersion, location)) }),
      },
      ...(text !== undefined && { body: text }),
    };
  };
};

const jsonType = { "Content-Type": "application/json" };

/** Encodes what a handler has not encoded, because a line break would let the path add its own headers and body. */
const inOneLine = (path: string): string => path.replace(/[^!-~]/gu, encodeURIComponent);

/**
 * Returns a weak tag, because the bytes of a page depend on their encoding. The tag depends on the link too, so that the same page
 * with a different link gets a different tag.
 */
const tagOfPage = (text = "", link = ""): string => weakTag(hash("sha256", text + link, "base64url").slice(0, 16));

/**
 * Returns the same request with the cursor of the next page (RFC 8288). Keeps query parameters that the endpoint does not know,
 * unless they would make the link too long to send.
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
