import type { IncomingMessage } from "node:http";

const emptyBody = Buffer.alloc(0);

/**
 * Reads a request's body; undefined if it is longer than `maximumBytes`. The rest of such a body is still read and dropped,
 * so that the client has finished sending when it gets its answer. Rejects if the client disconnects.
 */
export const readBody = (request: IncomingMessage, maximumBytes: number): Promise<Buffer | undefined> => {
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
};
