/**
 * Returns the CRC-32 (ISO 3309, as in gzip) of bytes, or of a string in UTF-8. `node:zlib` has a much faster implementation, but
 * loading it takes 2 ms of a 50 ms cold start. It is loaded only for the second large piece of data, or for a very large one.
 */
export const crc32 = (data: string | Uint8Array): number => {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  if (bytes.length > largeBytes) {
    if (hadLargeData || bytes.length > veryLargeBytes) return process.getBuiltinModule("node:zlib").crc32(bytes);
    hadLargeData = true;
  }
  let crc = -1;
  for (let index = 0; index < bytes.length; index += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  }
  return ~crc >>> 0;
};

const largeBytes = 4_096;
const veryLargeBytes = 65_536;
let hadLargeData = false;

// Signed integers, because V8 computes faster with them.
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
