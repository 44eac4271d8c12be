import { ApiError } from "../shared/errors/api-error.ts";
import type { ApiEvent } from "./request.ts";

/* The common part of reading a form and reading JSON. */

/** The field that the middlewares for bodies add. */
export interface BodyFields {
  /** The fields of the body. A form field that was sent more than once is an array. */
  fields: unknown;
}

/**
 * Returns the bytes of a request's body, which API Gateway passes as text or in base64.
 *
 * @throws {ApiError} `content_too_large` if there are more than `maxBytes`.
 */
export const bodyBytes = ({ body = "", isBase64Encoded }: ApiEvent, maxBytes: number): Buffer => {
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > maxBytes) {
    throw new ApiError("content_too_large", { values: { limit: sizeText(maxBytes) } });
  }
  return bytes;
};

/** Returns a size in the largest unit that divides it: `256 KiB`. */
export const sizeText = (bytes: number): string => {
  if (bytes % 1024 !== 0) return `${bytes} bytes`;
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`;
};

/** Creates the error for a body of another type than an endpoint takes. */
export const unsupportedType = (mediaTypes: readonly string[]): ApiError =>
  new ApiError("unsupported_media_type", { values: { types: mediaTypes.join(" or ") } });

/** Checks whether a body has this media type, is UTF-8, and is not compressed. */
export const isPlain = (mediaType: string, { headers }: ApiEvent): boolean => {
  const { "content-type": contentType = "", "content-encoding": encoding = "identity" } = headers;
  if (encoding.trim().toLowerCase() !== "identity") return false;
  const [type = ""] = contentType.split(";", 1);
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
  return type.trim().toLowerCase() === mediaType && charset.toLowerCase() === "utf-8";
};
