import { chooseEncoding, encode } from "../shared/http/encoding.ts";
import type { ApiResponse, Middleware, Request } from "./request.ts";

/** Shorter bodies, such as a single key, are not worth compressing. */
const minimumCharacters = 2_048;

/**
 * Longer bodies are sent as base64 even if they are not compressed. A function's response is JSON of at most 6 MB. Base64 adds a
 * third to a body, but escaping its quotation marks can double it.
 */
const maximumTextCharacters = 1_000_000;

/** Uses low levels, because higher levels take at least twice as long and save less than 3 percent of a page of keys. */
const levels = { brotliQuality: 3, gzipLevel: 4 };

/**
 * Compresses a response body for clients that accept it. Errors are too short to compress.
 *
 * The length of a compressed body can reveal a secret in it to someone who makes the client send many requests. That is impossible
 * here, because requests are authorised by a header that browsers never add by themselves.
 *
 * @example chain.use(compressBody())
 */
export const compressBody = (): Middleware => {
  const compress = ({ event, response }: Request): Promise<void> | undefined => {
    const { body, isBase64Encoded } = response ?? {};
    if (!response || !body || isBase64Encoded || body.length < minimumCharacters) return undefined;
    response.headers = { ...response.headers, Vary: "Accept-Encoding" };
    const accepted = event.headers["accept-encoding"];
    const encoding = accepted === undefined ? "identity" : chooseEncoding(accepted);
    if (encoding === "identity" && body.length <= maximumTextCharacters) return undefined;

    if (encoding !== "identity") response.headers["Content-Encoding"] = encoding;
    return setBody(response, encode(Buffer.from(body), encoding, levels));
  };
  return { after: compress };
};

const setBody = async (response: ApiResponse, encoded: Promise<Buffer>): Promise<void> => {
  response.body = (await encoded).toString("base64");
  response.isBase64Encoded = true;
};
