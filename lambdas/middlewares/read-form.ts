import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import { ApiError } from "../shared/errors/api-error.ts";
import { parseJson } from "../shared/parse-json.ts";
import { type BodyFields, bodyBytes, isPlain, unsupportedType } from "./read-body.ts";
import type { ApiEvent, Middleware, Request } from "./request.ts";

/** Maximum size of a form. */
export const maxFormBytes = 16 * 1024;

const formType = "application/x-www-form-urlencoded";

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
    if (!isPlain(formType, event)) throw unsupportedType([formType]);

    const bytes = bodyBytes(event, maxFormBytes);
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
const isJson = (text: string): boolean => /^\s*[{[]/.test(text) && parseJson(text) !== undefined;

/** Reads the body in the functions of endpoints that take a form. */
export const readBody = (): Middleware<BodyFields> => readForm();
