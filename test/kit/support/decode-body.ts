import { brotliDecompressSync, gunzipSync } from "node:zlib";

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (body) => body,
};

/**
 * Decodes the body of a response according to its `Content-Encoding`.
 *
 * @throws {Error} for an encoding that the service does not use
 */
export const decodeBody = (body: Buffer, contentEncoding = "identity"): Buffer => {
  const decode = decoders[contentEncoding];
  if (!decode) throw new Error(`The response has the encoding ${contentEncoding}.`);
  // A response to HEAD, and a 304, have no body.
  return body.length === 0 ? body : decode(body);
};

/** Checks whether a response has done what it was asked for. A `303` is a success whose result is elsewhere. */
export const isSuccess = (status: number): boolean => status < 300 || status === 303;

/** Returns the media type of a body, without its parameters. */
export const mediaTypeOf = (contentType = ""): string => contentType.split(";")[0] ?? "";
