import { promisify } from "node:util";
import preferredEncodings from "negotiator/lib/encoding.js";

/** The supported content encodings, smallest first. */
export const encodings = ["br", "gzip", "identity"] as const;

export type Encoding = (typeof encodings)[number];

/**
 * Returns the encoding that an `Accept-Encoding` header prefers, or `identity` if the header accepts none, which RFC 9110 allows.
 */
export const chooseEncoding = (acceptEncoding = ""): Encoding => {
  const [chosen] = preferredEncodings(acceptEncoding, encodings, encodings);
  return encodings.find((encoding) => encoding === chosen) ?? "identity";
};

interface CompressionLevels {
  /** 0 to 11. */
  brotliQuality: number;
  /** 1 to 9. */
  gzipLevel: number;
}

/** Encodes bytes, in another thread. */
export const encode = async (
  bytes: Buffer,
  encoding: Encoding,
  { brotliQuality, gzipLevel }: CompressionLevels,
): Promise<Buffer> => {
  if (encoding === "identity") return bytes;
  // Loaded on first use, because most responses are not compressed and it would slow down cold starts.
  const { brotliCompress, constants, gzip } = process.getBuiltinModule("node:zlib");
  if (encoding === "gzip") return promisify(gzip)(bytes, { level: gzipLevel });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
};
