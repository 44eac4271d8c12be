import { operations } from "./api-types.ts";
import type { Method } from "./calls.ts";
import { parseBody, requireSuccess } from "./errors.ts";

/** What an operation sends and returns, where that is not JSON. */
export type Facts = NonNullable<(typeof operations)[string]>;

export const factsOf = (method: Method, path: string): Facts => operations[`${method} ${path}`] ?? {};

/** A result of a call, with the bytes that it was read from. */
interface Received {
  data: unknown;
  body: Uint8Array;
}

/** Reads the result in a response. @throws {ApiFailure} if the response is not successful, or not one that the API declares */
export const resultIn = async (response: Response, url: string, facts: Facts): Promise<Received> => {
  const location = response.headers.get("location");
  if (facts.redirects && response.status === 303 && location !== null) {
    return { data: new URL(location, url).href, body: new Uint8Array() };
  }
  await requireSuccess(response);
  const body = new Uint8Array(await response.arrayBuffer());
  return { data: parseResult(response, body, facts), body };
};

/** Returns JSON, a string, bytes, or `undefined` if the response declares no body. */
export const parseResult = (response: Response, body: Uint8Array, { media, empty }: Facts): unknown => {
  const { status, headers } = response;
  if (status === 204 || status === 205 || (empty?.includes(status) && body.length === 0)) return undefined;
  const text = () => new TextDecoder().decode(body);
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (media === undefined || type.trim().toLowerCase() !== media) return parseBody(response, text());
  return media.startsWith("text/") ? text() : body;
};
