import { versionPath } from "../declaration/api.ts";
import type { AnyAnswer, Endpoint } from "../declaration/endpoint.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { encodeCursor } from "../validation/paging.ts";
import { declaredFields } from "../validation/response-body.ts";

type AskedFor = Pick<ApiEvent, "rawPath" | "rawQueryString">;

/** Percent-encoding can triple the number of bytes, and API Gateway accepts 10 KB of headers. */
const maxQueryBytes = 4_096;

/**
 * Makes a function that turns an answer of an endpoint's handler into the HTTP response, with the declared fields only.
 * Addresses in it are relative references, which a forged `Host` header cannot redirect.
 */
export const answerRenderer = ({ responses, query }: Pick<Endpoint, "responses" | "query">, version: string) => {
  const queryNames = Object.keys(query?.shape ?? {});
  const bodies = new Map(
    Object.entries(responses).map(([status, { body }]) => [Number(status), body && declaredFields(body)]),
  );

  return ({ status, body, location, next }: AnyAnswer, event: AskedFor): ApiResponse => {
    const copyDeclared = bodies.get(status);
    return {
      statusCode: status,
      headers: {
        ...(copyDeclared && { "Content-Type": "application/json" }),
        ...(location !== undefined && { Location: versionPath(version, location) }),
        ...(next !== undefined && { Link: `<${nextPage(event, { next, queryNames })}>; rel="next"` }),
      },
      ...(copyDeclared && { body: JSON.stringify(copyDeclared(body)) }),
    };
  };
};

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
