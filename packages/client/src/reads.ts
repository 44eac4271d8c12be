import type { Limit } from "./limit.ts";
import { type Facts, parseResult, resultIn } from "./results.ts";
import type { Send } from "./transport.ts";

interface Read {
  data: unknown;
  /** The `Link` header. */
  link: string | null;
  response: Response;
}

/** A response to a read, with the ETag that detects changes. */
interface Remembered {
  etag: string;
  /** The unparsed body. Each caller parses it anew, so that no caller can change the cached response. */
  body: Uint8Array;
  link: string | null;
  /** The response, without its body. */
  response: Response;
}

/** Creates a function for `GET` calls. The service sends a body again only if it has changed since the last read. */
export const createReads = (send: Send, versions: Versions) => {
  const memory = createMemory();

  return async (request: Request, limit: Limit, facts: Facts): Promise<Read> => {
    const remembered = memory.get(request.url);
    if (remembered) request.headers.set("If-None-Match", remembered.etag);
    const response = await send(request, limit);
    const link = response.headers.get("link");
    if (remembered && response.status === 304) {
      memory.set(request.url, remembered);
      const data = parseResult(remembered.response, remembered.body.slice(), facts);
      versions.note(data, remembered.etag);
      return { data, link: link ?? remembered.link, response };
    }
    const { data, body } = await resultIn(response, request.url, facts);
    const etag = response.headers.get("etag");
    versions.note(data, etag);
    memory.set(request.url, etag === null ? undefined : { etag, body, link, response });
    return { data, link, response };
  };
};

const maximumBodies = 100;
const maximumBytes = 16 * 1024 ** 2;

/** Caches responses by URL in memory. A full cache drops the least recently used responses. */
const createMemory = () => {
  // A map keeps its insertion order, so the first entry is the least recently used.
  const reads = new Map<string, Remembered>();
  let size = 0;
  const forget = (url: string): void => {
    size -= reads.get(url)?.body.byteLength ?? 0;
    reads.delete(url);
  };
  return {
    get: (url: string) => reads.get(url),
    /** Replaces what is remembered of a URL, by nothing if the new response cannot or should not be remembered. */
    set: (url: string, read: Remembered | undefined): void => {
      forget(url);
      if (read === undefined || read.body.byteLength > maximumBytes) return;
      reads.set(url, read);
      size += read.body.byteLength;
      for (const oldest of reads.keys()) {
        if (reads.size <= maximumBodies && size <= maximumBytes) return;
        forget(oldest);
      }
    },
  };
};

type Versions = ReturnType<typeof createVersions>;

interface Version {
  etag: string;
  /** The object as it was read. The user may have modified their copy. */
  original: object;
}

/** Stores the ETags of the objects that a client has returned, for as long as the user keeps the objects. */
export const createVersions = () => {
  const versions = new WeakMap<object, Version>();

  return {
    note: (object: unknown, etag: string | null): void => {
      // A weak ETag, such as a list's, can't be the condition of a change.
      if (etag === null || etag.startsWith("W/") || !isObject(object)) return;
      versions.set(object, { etag, original: { ...object } });
    },
    /**
     * Returns the ETag of an object that was read from the path with these parameters.
     *
     * @throws {TypeError} if there is none
     */
    etagOf: (object: unknown, parameters: Record<string, unknown>): string => {
      const version = isObject(object) ? versions.get(object) : undefined;
      if (version === undefined) {
        throw new TypeError(
          "ifUnchanged must be an object that a call of this client returned: not a copy, and not an item of a list.",
        );
      }
      const original = new Map<string, unknown>(Object.entries(version.original));
      for (const [name, value] of Object.entries(parameters)) {
        if (!original.has(name) || original.get(name) === value) continue;
        throw new TypeError(`ifUnchanged is ${name} ${original.get(name)}, but the call is about ${name} ${value}.`);
      }
      return version.etag;
    },
  };
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
