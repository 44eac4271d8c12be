/**
 * CRC-32 (ISO 3309, as in gzip) of a text in UTF-8. `node:zlib` has one, but loading it takes 2 ms of a cold start, and tokens
 * are short.
 */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
};

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
