/** A response to a read, with the ETag that tells whether it has changed. */
export interface Remembered {
  etag: string;
  /** The unparsed body. Each caller parses it again, so no caller can change the remembered response. */
  body: Uint8Array;
  /** The `Link` header. */
  link: string | null;
}

export interface Memory {
  recall(url: string): Remembered | undefined;
  remember(url: string, read: Remembered): void;
  forget(url: string): void;
}

interface MemoryOptions {
  /** The maximum number of bodies. */
  bodies?: number;
  /** The maximum size of all bodies together. */
  bytes?: number;
}

/** Remembers responses by URL, in memory only. When it is full, it forgets the least recently used ones. */
export const createMemory = ({ bodies = 100, bytes = 16 * 1024 ** 2 }: MemoryOptions = {}): Memory => {
  // A map keeps its entries in the order in which they were set, so the first one is the least recently used.
  const reads = new Map<string, Remembered>();
  let size = 0;

  const forget = (url: string): void => {
    size -= reads.get(url)?.body.byteLength ?? 0;
    reads.delete(url);
  };
  const set = (url: string, read: Remembered): void => {
    forget(url);
    reads.set(url, read);
    size += read.body.byteLength;
  };

  return {
    forget,
    recall: (url) => {
      const read = reads.get(url);
      if (read) set(url, read);
      return read;
    },
    remember: (url, read) => {
      if (read.body.byteLength > bytes) return forget(url);
      set(url, read);
      for (const oldest of reads.keys()) {
        if (reads.size <= bodies && size <= bytes) return;
        forget(oldest);
      }
    },
  };
};
