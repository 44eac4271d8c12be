/** What a read returned, and how to ask whether it is still the same. */
export interface Remembered {
  etag: string;
  /** The body as it was received: parsed again for each caller, so that nobody can change what is remembered. */
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

/** Remembers reads by their URL, in memory only. When it is full, it forgets those that were not used for longest. */
export const createMemory = ({ bodies = 100, bytes = 16 * 1024 ** 2 }: MemoryOptions = {}): Memory => {
  // A map keeps the order in which its entries were set: the first one is the one that was not used for longest.
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
