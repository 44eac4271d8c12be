import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import { ApiError } from "../errors/api-error.ts";
import { bodyBytes } from "./body-bytes.ts";
import { isInUtf8 } from "./content-type.ts";
import type { Middleware } from "./request.ts";

interface FormBodyOptions {
  maxBytes?: number;
}

/** The parser reads no more than this, and what it skips must not go unnoticed. */
const maxPairs = 1000;

/**
 * Reads a form-encoded body into `event.body`. A field that was sent twice becomes an array.
 *
 * middy's parser accepts anything as a form, so invalid bodies are refused first: another media type (`415`), a body that is
 * too large (`413`), malformed encoding or more pairs than the parser reads (`400`).
 */
export const formBody = ({ maxBytes = 16 * 1024 }: FormBodyOptions = {}): Middleware => {
  const parser = httpUrlencodeBodyParser({ disableContentTypeCheck: true });

  return {
    before: (request) => {
      const { event } = request;
      if (!isInUtf8("application/x-www-form-urlencoded", event.headers["content-type"]))
        throw new ApiError("unsupported_media_type");

      const bytes = bodyBytes(event, maxBytes);
      if (!isWellFormed(bytes)) throw new ApiError("malformed_form");

      const text = bytes.toString("utf8");
      if (text.split("&", maxPairs + 1).length > maxPairs) throw new ApiError("malformed_form");

      event.body = text;
      event.isBase64Encoded = false;
      parser.before?.(request as Parameters<NonNullable<typeof parser.before>>[0]);
    },
  };
};

/** Whether the body is well-formed UTF-8 before and after percent-decoding, and every `%` begins an escape. */
const isWellFormed = (bytes: Buffer): boolean => {
  try {
    decodeURIComponent(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
};
