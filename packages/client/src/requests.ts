import type { CallOptions, Method } from "./calls.ts";
import { ValidationFailed } from "./errors.ts";

/** What a request carries to an endpoint. Its body is a form or JSON. */
export interface Sent extends Pick<CallOptions, "headers"> {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  form?: Record<string, unknown>;
  json?: unknown;
}

/** Creates a request for a path of the API description. `query` replaces the query in `sent`. */
type RequestFactory = (method: Method, path: string, sent: Sent, query?: string) => Request;

/**
 * Creates requests. Each has its path in a header, so that the service notices if something in between has changed the path.
 *
 * @throws {ValidationFailed} if a path can't carry the parameters to the service unchanged, or if UTF-8 can't encode the body's
 * fields
 */
export const createRequests =
  (baseUrl: string, token: () => string): RequestFactory =>
  (method, path, { params = {}, form, json, headers }, query = queryOf(params.query ?? {})) => {
    const created = form !== undefined && "key_id" in form ? { key_id: form.key_id } : {};
    assertSendable({ ...created, ...params.path }, form ?? {});
    const body = form === undefined ? JSON.stringify(json) : textOf(form);

    const sentPath = fillPath(path, params.path ?? {});
    const request = new Request(`${baseUrl.replace(/\/+$/, "")}${sentPath}${query}`, {
      method,
      // A redirect means that something is wrong, and the token must not be sent elsewhere.
      redirect: "manual",
      // Responses contain secrets, so browsers must not store them on disk.
      cache: "no-store",
      body: body ?? null,
      ...(headers && { headers }),
    });
    request.headers.set("Accept", "application/json");
    request.headers.set("X-Token", sendableToken(token()));
    request.headers.set("X-Sent-Path", sentPath);
    const jsonType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    if (body !== undefined) request.headers.set("Content-Type", form ? "application/x-www-form-urlencoded" : jsonType);
    return request;
  };

export const withToken = (request: Request, { token }: { token: string }): Request => {
  request.headers.set("X-Token", token);
  return request;
};

/** Trims the token. Tokens are often read from files that end with a line feed. */
const sendableToken = (token: string): string => {
  const trimmed = token.trim();
  // The error of `Headers` would quote the token, so the token could end up in logs.
  if (!/^[\x20-\x7e]+$/.test(trimmed))
    throw new TypeError("The token is empty, or has characters other than printable ASCII.");
  return trimmed;
};

const queryOf = (query: Record<string, unknown>): string => {
  const text = textOf(query);
  return text === "" ? "" : `?${text}`;
};

/** Encodes fields in the format of forms and queries, without undefined values. */
const textOf = (fields: Record<string, unknown>): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
};

type Rule = [isBroken: (text: string) => boolean, problem: string];

/** Half of a surrogate pair would be sent as a different character. */
const wellFormed: Rule = [(text) => !text.isWellFormed(), "must be well-formed Unicode."];

/** Values that a path can't carry to the service unchanged, with the service's messages for them. */
const pathRules: Rule[] = [
  [(text) => text === "", "must be 1 to 255 characters."],
  wellFormed,
  [(text) => /\p{Cc}/u.test(text), "must not contain control characters."],
  [(text) => text.includes("?"), "must not contain a question mark."],
  [(text) => text.includes("%"), "must not contain a percent sign."],
  [(text) => text === "." || text === "..", "must not be one or two dots."],
];

/**
 * Checks that the service will receive the values unchanged. Without this check, a call for the key `a?b` would reach the key `a`,
 * because the service's gateway truncates paths.
 *
 * @throws {ValidationFailed} as if the service had rejected the values; nothing is sent
 */
const assertSendable = (parameters: Record<string, unknown>, form: Record<string, unknown>): void => {
  const fields = { ...problemsIn(form, [wellFormed]), ...problemsIn(parameters, pathRules) };
  if (Object.keys(fields).length > 0) throw new ValidationFailed({ fields, requestId: undefined });
};

const problemsIn = (values: Record<string, unknown>, rules: Rule[]): Record<string, string[]> => {
  const fields = Object.entries(values).flatMap(([name, value]) => {
    const problems = rules.filter(([isBroken]) => isBroken(String(value))).map(([, problem]) => problem);
    return problems.length === 0 ? [] : [[name, problems.map((problem) => `The ${name} ${problem}`)] as const];
  });
  return Object.fromEntries(fields);
};

/**
 * Fills percent-encoded parameters into a path. The service compares the result with the path it receives, and rejects the request
 * if something in between has changed the path.
 *
 * @example fillPath("/api/v1/key/{key_id}", { key_id: "a/b" }) // "/api/v1/key/a%2Fb"
 */
const fillPath = (template: string, values: Record<string, unknown>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
