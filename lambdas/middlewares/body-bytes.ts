import { ApiError } from "../errors/api-error.ts";
import type { ApiEvent } from "./request.ts";

/**
 * The bytes of a request's body, which API Gateway passes as text or in base64.
 *
 * @throws {ApiError} `content_too_large` if there are more than `maxBytes`.
 */
export const bodyBytes = ({ body = "", isBase64Encoded }: ApiEvent, maxBytes: number): Buffer => {
  if (typeof body !== "string") throw new TypeError("The body has already been read.");
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > maxBytes) throw new ApiError("content_too_large");
  return bytes;
};
