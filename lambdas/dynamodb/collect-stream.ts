import type { Readable } from "node:stream";

/** All bytes of a stream. The SDK's own function also supports browsers, and for that loads Node.js's web streams. */
export const collectStream = (stream: Readable): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("end", () => resolve(Buffer.concat(chunks)));
    stream.once("error", reject);
  });
