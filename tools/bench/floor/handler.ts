import { hash } from "node:crypto";
import { parse } from "node:querystring";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { ApiError, type FieldMessages, Redirect, ValidationError } from "../../../lambdas/errors/api-error.ts";
import { strongTag, weakTag } from "../../../lambdas/http/entity-tags.ts";
import { namesJson } from "../../../lambdas/middlewares/accept-json.ts";
import { type Key, versionOf } from "../../../lambdas/resources/keys/key-store.ts";
import { authenticate, type Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import { keys, tokens } from "./stores.ts";

/*
 * The floor that the service is measured against: the same calls without a framework. The rules for tokens, for `Accept` and
 * for errors are those of the service.
 */

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const { headers, requestContext, routeKey, body = "", isBase64Encoded } = event;
  const { requestId, http } = requestContext;
  let caller: Caller | undefined;
  let answer: Answer;
  try {
    if (!namesJson(headers.accept)) throw new Redirect("/api/documentation");
    caller = await authenticate({ tokenText: headers["x-token"], sourceIp: http.sourceIp, requestId }, tokens);
    answer =
      routeKey === "POST /api/v1/key"
        ? await createKey(parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body), caller)
        : await listKeys(event.queryStringParameters ?? {});
  } catch (error) {
    answer = answerOf(error);
  }
  const line = {
    timestamp: new Date().toISOString(),
    level: "INFO",
    message: "request",
    request_id: requestId,
    route: routeKey,
    source_ip: http.sourceIp,
    token_id: caller?.token.token_id,
    status: answer.statusCode,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return { ...answer, headers: { ...headersOfEveryAnswer, ...answer.headers, "x-request-id": requestId } };
};

const headersOfEveryAnswer = {
  "cache-control": "no-cache",
  connection: "close",
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=63072000; includeSubDomains",
};

const json = { "content-type": "application/json" };

type Fields = Readonly<Record<string, string | string[] | undefined>>;

const listKeys = async (query: Fields): Promise<Answer> => {
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
  return { statusCode: 200, headers: { ...json, etag, vary: "Accept-Encoding", ...(link && { link }) }, body };
};

const createKey = async (form: Fields, { author }: Caller): Promise<Answer> => {
  const pair = readPair(form);
  const created = await keys.create(pair, author);
  if (created.outcome === "taken") throw new ValidationError({ key_id: ["The key_id has already been taken."] });
  const location = `/api/v1/key/${encodeURIComponent(pair.key_id)}`;
  const headers = { ...json, etag: strongTag(versionOf(created.key)) };
  return created.outcome === "created"
    ? { statusCode: 201, headers: { ...headers, location }, body: JSON.stringify(created.key) }
    : { statusCode: 200, headers, body: JSON.stringify(created.key) };
};

/** The response to an error. */
const answerOf = (error: unknown): Answer => {
  if (error instanceof Redirect) return { statusCode: 302, headers: { location: error.location }, body: "" };
  const known = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
  const headers = Object.entries(known.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    statusCode: known.status,
    headers: { ...json, ...Object.fromEntries(headers) },
    body: JSON.stringify(known),
  };
};

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
