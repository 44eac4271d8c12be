import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import { ApiError, ValidationError } from "../shared/errors/api-error.ts";
import { repeatedMembers } from "../shared/validation/repeated-members.ts";
import type { ApiEvent, Middleware, Request } from "./request.ts";

/** The field that these middlewares add. */
export interface BodyFields {
  /** The fields of the body. A form field that was sent more than once is an array. */
  fields: unknown;
}

/** Maximum size of a request body. */
const maxBytes = 16 * 1024;

/** Maximum pairs that the parser reads. It silently skips further pairs, so they must be rejected. */
const maxPairs = 1000;

/**
 * Reads a form-encoded body.
 *
 * middy's parser accepts anything as a form, so invalid bodies are rejected first: another media type or a compressed body (`415`),
 * a body that is too large (`413`), and malformed encoding or more pairs than the parser reads (`400`).
 *
 * @example chain.use(readForm()).handler(async ({ fields }) => …)
 */
export const readForm = (): Middleware<BodyFields> => {
  const parser = httpUrlencodeBodyParser<ApiEvent>({ disableContentTypeCheck: true });

  const parseForm = ({ event, context }: Request<BodyFields>): void => {
    if (!isPlain("application/x-www-form-urlencoded", event)) throw new ApiError("unsupported_media_type");

    const bytes = bodyBytes(event, maxBytes);
    if (!isWellFormed(bytes)) throw new ApiError("malformed_form");

    const text = bytes.toString("utf8");
    if (isJson(text)) throw new ApiError("json_instead_of_form");
    if (text.split("&", maxPairs + 1).length > maxPairs) throw new ApiError("malformed_form");

    // The parser replaces the body. It gets a copy of the event, so that `body` stays the text that arrived.
    const form = { ...event, body: text, isBase64Encoded: false };
    parser.before?.({ event: form, context, response: undefined, error: undefined, internal: {} });
    event.fields = form.body;
  };
  return { before: parseForm };
};

/** Checks whether the body is well-formed UTF-8, both before and after percent-decoding, and whether every `%` begins an escape. */
const isWellFormed = (bytes: Buffer): boolean => {
  try {
    decodeURIComponent(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
};

/** Checks whether the body is JSON labelled as a form, which is what curl sends by default. A form would encode the brackets. */
const isJson = (text: string): boolean => {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads the JSON object in the body of a POST or PUT. A `ValidationError` names each member that occurs twice, at any depth.
 *
 * @example chain.use(readJson()).handler(async ({ fields }) => …)
 */
export const readJson = (): Middleware<BodyFields> => {
  const parseJson = ({ event }: Request<BodyFields>): void => {
    event.fields = {};
    if (!["POST", "PUT"].includes(event.requestContext.http.method)) return;
    if (!isPlain("application/json", event)) throw new ApiError("json_required");
    event.fields = parseObject(bodyBytes(event, maxBytes));
  };
  return { before: parseJson };
};

const parseObject = (bytes: Buffer): Record<string, unknown> => {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    throw new ApiError("malformed_json", { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ApiError("malformed_json");
  assertSentOnce(repeatedMembers(text));
  return { ...value };
};

/**
 * Checks that no field was sent more than once.
 *
 * @throws {ValidationError} naming the repeated fields
 */
export const assertSentOnce = (repeated: readonly string[]): void => {
  if (repeated.length === 0) return;
  throw new ValidationError(Object.fromEntries(repeated.map((name) => [name, [`The ${name} must be sent once.`]])));
};

/**
 * Returns the bytes of a request's body, which API Gateway passes as text or in base64.
 *
 * @throws {ApiError} `content_too_large` if there are more than `maxBytes`.
 */
const bodyBytes = ({ body = "", isBase64Encoded }: ApiEvent, maxBytes: number): Buffer => {
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > maxBytes) throw new ApiError("content_too_large");
  return bytes;
};

/** Checks whether a body has this media type, is UTF-8, and is not compressed. */
const isPlain = (mediaType: string, { headers }: ApiEvent): boolean => {
  const { "content-type": contentType = "", "content-encoding": encoding = "identity" } = headers;
  if (encoding.trim().toLowerCase() !== "identity") return false;
  const [type = ""] = contentType.split(";", 1);
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
  return type.trim().toLowerCase() === mediaType && charset.toLowerCase() === "utf-8";
};
