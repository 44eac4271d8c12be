import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import { ApiError } from "../errors/api-error.ts";
import { bodyBytes } from "./body-bytes.ts";
import { isInUtf8 } from "./content-type.ts";
import type { Middleware } from "./request.ts";

interface FormBodyOptions {
  maxBytes?: number;
}

/** As many as the parser reads: what it leaves out must not pass unseen. */
const maxPairs = 1000;

/**
 * Reads a form-encoded body into `event.body`, a field sent twice into an array.
 *
 * middy's parser takes anything for a form, so what is none is refused before: another media type (`415`), too large a
 * body (`413`), encoding that is malformed or more pairs than it reads (`400`).
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

/** Whether every byte, as it stands or percent-encoded, is part of well-formed UTF-8, and every `%` begins an escape. */
const isWellFormed = (bytes: Buffer): boolean => {
  try {
    decodeURIComponent(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
};
