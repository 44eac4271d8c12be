/** The ETags of the objects that a client has returned. */
export interface Versions {
  /** Remembers the ETag of an object for as long as its user keeps the object. */
  note(object: unknown, etag: string | null): void;
  /**
   * The ETag of an object that was read from the path with these parameters.
   *
   * @throws {TypeError} if the object does not have one
   */
  etagOf(object: unknown, parameters: Record<string, unknown>): string;
}

interface Version {
  etag: string;
  /** The object as it was read. The user may have changed the object itself. */
  original: object;
}

export const createVersions = (): Versions => {
  const versions = new WeakMap<object, Version>();

  return {
    note: (object, etag) => {
      // A weak ETag, such as that of a list, cannot be the condition of a change.
      if (etag === null || etag.startsWith("W/") || !isObject(object)) return;
      versions.set(object, { etag, original: { ...object } });
    },
    etagOf: (object, parameters) => {
      const version = isObject(object) ? versions.get(object) : undefined;
      if (version === undefined) {
        throw new TypeError(
          "ifUnchanged must be an object that a call of this client returned: not a copy, and not an item of a list.",
        );
      }
      const original = new Map<string, unknown>(Object.entries(version.original));
      for (const [name, value] of Object.entries(parameters)) {
        if (original.get(name) === value) continue;
        throw new TypeError(`ifUnchanged is ${name} ${original.get(name)}, but the call is about ${name} ${value}.`);
      }
      return version.etag;
    },
  };
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
