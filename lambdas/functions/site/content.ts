import { createHash } from "node:crypto";
import { type Encoding, encode } from "../../http/encoding.ts";

/** Bytes that are served unchanged, in any encoding. */
export interface Content {
  /** 200 by default. */
  status?: number;
  contentType: string;
  /** Identifies these bytes. */
  hash: string;
  /** Its address changes with its bytes, so a browser never needs to ask again. */
  isImmutable: boolean;
  bytes(encoding: Encoding): Promise<Buffer>;
}

/** Content that is compressed when it is first requested. */
export const contentOf = (bytes: Buffer, description: Pick<Content, "status" | "contentType">): Content => ({
  ...description,
  hash: contentHash(bytes),
  isImmutable: false,
  bytes: oncePerEncoding((encoding) => compress(bytes, encoding)),
});

/** Remembers the bytes in each encoding: an execution environment serves the same ones again and again. */
export const oncePerEncoding = (encode: Content["bytes"]): Content["bytes"] => {
  const encoded: { [E in Encoding]?: Promise<Buffer> } = {};
  return (encoding) => {
    encoded[encoding] ??= encode(encoding);
    return encoded[encoding];
  };
};

/** 96 bits of the SHA-256: enough to tell all versions of a file apart. */
export const contentHash = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 16);

/** Brotli's quality 9 takes a tenth of a second for 1.7 MB; 11 takes 24 times as long and saves 8 percent. */
export const compress = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encode(bytes, encoding, { brotliQuality: 9, gzipLevel: 9 });
