import type { CallOptions, Method } from "./calls.ts";
import { assertSendable, fillPath } from "./path-parameters.ts";

/** What the calls of all endpoints have in common. */
export interface CallInit extends CallOptions {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: Record<string, unknown>;
  ifUnchanged?: unknown;
}

/** Makes a request for a path of the API description, or for the next page of one. */
export type RequestFactory = (method: Method, path: string, init: CallInit, page?: URL) => Request;

/**
 * Each request has its path in a header, so that the service notices if something on the way has changed the path.
 *
 * @throws {ValidationFailed} if no path can carry the parameters to the service unchanged, or UTF-8 the fields of the body
 */
export const createRequests =
  (baseUrl: string, token: () => string): RequestFactory =>
  (method, path, { params = {}, body, headers, signal }, page) => {
    const created = body !== undefined && "key_id" in body ? { key_id: body.key_id } : {};
    assertSendable({ ...created, ...params.path }, body ?? {});

    const sentPath = fillPath(path, params.path ?? {});
    const request = new Request(page ?? `${baseUrl.replace(/\/+$/, "")}${sentPath}${queryOf(params.query ?? {})}`, {
      method: method.toUpperCase(),
      // A redirect means that something is wrong, and the token must not be sent anywhere else.
      redirect: "manual",
      // Responses contain secrets, so a browser must not store them on its disk.
      cache: "no-store",
      signal: signal ?? null,
      body: body === undefined ? null : textOf(body),
      ...(headers && { headers }),
    });
    request.headers.set("Accept", "application/json");
    request.headers.set("X-Token", sendableToken(token()));
    request.headers.set("X-Sent-Path", sentPath);
    if (body !== undefined) request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    return request;
  };

/** Tokens are often read from files, whose last line ends with a line feed. */
const sendableToken = (token: string): string => {
  const trimmed = token.trim();
  // The error of `Headers` would repeat the token, and so bring it into logs.
  if (!/^[\x20-\x7e]+$/.test(trimmed)) throw new TypeError("The token must consist of printable ASCII characters.");
  return trimmed;
};

const queryOf = (query: Record<string, unknown>): string => {
  const text = textOf(query);
  return text === "" ? "" : `?${text}`;
};

/** Fields in the format of forms and queries, without those that are undefined. */
const textOf = (fields: Record<string, unknown>): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
};
