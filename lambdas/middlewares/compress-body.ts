import { chooseEncoding, encode } from "../http/encoding.ts";
import type { ApiResponse, Middleware } from "./request.ts";

interface CompressBodyOptions {
  /** Shorter bodies, a single key among them, are not worth it. */
  minimumCharacters?: number;
  /**
   * Longer bodies are sent as base64 even if they are not compressed. A function's response is JSON of at most 6 MB: base64 adds a
   * third to a body, but escaping its quotation marks can double it.
   */
  maximumTextCharacters?: number;
}

/** Low levels: the ones above them take twice as long or more, and save less than 3 percent of a page of keys. */
const levels = { brotliQuality: 3, gzipLevel: 4 };

/**
 * Compresses the body of a response for a client that accepts it. Errors are too short for that.
 *
 * The length of a compressed body can reveal a secret in it to somebody who makes the client send many requests. Nobody can
 * do that here: a request is authorised by a header that no browser adds by itself.
 */
export const compressBody = ({
  minimumCharacters = 2_048,
  maximumTextCharacters = 1_000_000,
}: CompressBodyOptions = {}): Middleware => ({
  after: ({ event, response }) => {
    const { body, isBase64Encoded } = response ?? {};
    if (!response || !body || isBase64Encoded || body.length < minimumCharacters) return undefined;
    response.headers = { ...response.headers, Vary: "Accept-Encoding" };
    const accepted = event.headers["accept-encoding"];
    const encoding = accepted === undefined ? "identity" : chooseEncoding(accepted);
    if (encoding === "identity" && body.length <= maximumTextCharacters) return undefined;

    if (encoding !== "identity") response.headers["Content-Encoding"] = encoding;
    return setBody(response, encode(Buffer.from(body), encoding, levels));
  },
});

const setBody = async (response: ApiResponse, encoded: Promise<Buffer>): Promise<void> => {
  response.body = (await encoded).toString("base64");
  response.isBase64Encoded = true;
};
