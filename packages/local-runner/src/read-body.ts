import type { IncomingMessage } from "node:http";

const emptyBody = Buffer.alloc(0);

/**
 * Reads a request's body, or gives undefined once it is longer than `maximumBytes`. The rest is then still read, and
 * dropped, so that the client is done sending when it is told. Rejects if the client breaks off.
 */
export function readBody(request: IncomingMessage, maximumBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maximumBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on("end", () => {
      if (bytes > maximumBytes) return resolve(undefined);
      const [first = emptyBody] = chunks;
      resolve(chunks.length <= 1 ? first : Buffer.concat(chunks, bytes));
    });
    request.on("error", reject);
  });
}
