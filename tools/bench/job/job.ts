import { hash } from "node:crypto";
import { ApiError, type FieldMessages, Redirect, ValidationError } from "../../../lambdas/errors/api-error.ts";
import { strongTag, weakTag } from "../../../lambdas/http/entity-tags.ts";
import { namesJson } from "../../../lambdas/middlewares/accept-json.ts";
import { type Key, versionOf } from "../../../lambdas/resources/keys/key-store.ts";
import { type Caller, authenticate as verify } from "../../../lambdas/resources/tokens/authenticate.ts";
import { keys, tokens } from "./stores.ts";

/*
 * The job without a framework: the work that each contender has to do for a request because its framework does not. The rules
 * for tokens, for `Accept` and for errors are those of the service, so that only the framework differs.
 */

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The headers of every response. */
export const headersOfEveryAnswer = {
  "cache-control": "no-cache",
  connection: "close",
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
};

export const requireJson = (accept: string | undefined): void => {
  if (!namesJson(accept)) throw new Redirect("/api/documentation");
};

interface RequestContext {
  requestId: string;
  http: { sourceIp: string };
}

export const authenticate = (
  tokenText: string | undefined,
  { requestId, http: { sourceIp } }: RequestContext,
): Promise<Caller> => verify({ tokenText, sourceIp, requestId }, tokens);

type Fields = Readonly<Record<string, string | string[] | undefined>>;

export const listKeys = async (query: Fields): Promise<Answer> => {
  const { limit } = query;
  const isValid = typeof limit === "string" && /^\d{1,9}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 1000;
  if (limit !== undefined && !isValid) {
    throw new ValidationError({ limit: ["The limit must be a whole number from 1 to 1000."] });
  }
  const after = typeof query.cursor === "string" ? Buffer.from(query.cursor, "base64url").toString() : undefined;
  const page = await keys.list({ limit: limit === undefined ? undefined : Number(limit), after });
  const body = JSON.stringify(page.keys);
  const link = page.next === undefined ? "" : linkTo(page.next, limit);
  const etag = weakTag(hash("sha256", body + link, "base64url").slice(0, 16));
  return { status: 200, headers: { ...json, etag, vary: "Accept-Encoding", ...(link && { link }) }, body };
};

export const createKey = async (form: Fields, caller: Caller | undefined): Promise<Answer> => {
  if (!caller) throw new ApiError("internal_error");
  const pair = readPair(form);
  const created = await keys.create(pair, caller.author);
  if (created.outcome === "taken") throw new ValidationError({ key_id: ["The key_id has already been taken."] });
  const location = `/api/v1/key/${encodeURIComponent(pair.key_id)}`;
  const headers = { ...json, etag: strongTag(versionOf(created.key)) };
  return created.outcome === "created"
    ? { status: 201, headers: { ...headers, location }, body: JSON.stringify(created.key) }
    : { status: 200, headers, body: JSON.stringify(created.key) };
};

/** The response to an error. */
export const answerOf = (error: unknown): Answer => {
  if (error instanceof Redirect) return { status: 302, headers: { location: error.location }, body: "" };
  const known = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
  const headers = Object.entries(known.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { status: known.status, headers: { ...json, ...Object.fromEntries(headers) }, body: JSON.stringify(known) };
};

/** One line in the log for each request. */
export const logRequest = (fields: {
  requestId: string;
  route: string;
  sourceIp: string;
  caller: Caller | undefined;
  status: number;
}): void => {
  const { requestId, route, sourceIp, caller, status } = fields;
  const line = {
    timestamp: new Date().toISOString(),
    level: "INFO",
    message: "request",
    request_id: requestId,
    route,
    source_ip: sourceIp,
    token_id: caller?.token.token_id,
    status,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const json = { "content-type": "application/json" };

const linkTo = (next: string, limit: Fields[string]): string =>
  `</api/v1/key?limit=${limit}&cursor=${Buffer.from(next).toString("base64url")}>; rel="next"`;

const readPair = ({ key_id, v_code }: Fields): Pick<Key, "key_id" | "v_code"> => {
  const messages: FieldMessages = {};
  const keyId = problemOf(key_id, 1, 255);
  if (keyId) messages.key_id = [`The key_id ${keyId}`];
  else if (/[\p{Cc}?]|^\.{1,2}$/u.test(String(key_id))) messages.key_id = ["The key_id has forbidden characters."];
  const vCode = problemOf(v_code, 64, 64);
  if (vCode) messages.v_code = [`The v_code ${vCode}`];
  if (Object.keys(messages).length > 0) throw new ValidationError(messages);
  return { key_id: String(key_id), v_code: String(v_code) };
};

const problemOf = (value: Fields[string], min: number, max: number): string | undefined => {
  if (value === undefined) return "field is required.";
  if (typeof value !== "string") return "must be sent once.";
  const length = [...value].length;
  if (length >= min && length <= max) return undefined;
  return min === max ? `must be ${min} characters.` : `must be ${min} to ${max} characters.`;
};
