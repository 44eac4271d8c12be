import type { Adapter, AdapterPayload } from "oidc-provider";

interface Entry {
  payload: AdapterPayload;
  expiresAt: number;
}

/**
 * Stores what a login needs while it is in progress: interactions, sessions, grants, codes. A restart loses them, so users
 * sign in again. The tokens themselves are signed and not stored.
 */
export const createMemoryAdapter = (): ((model: string) => Adapter) => {
  const entries = new Map<string, Entry>();

  const live = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.payload : undefined;
  };
  const forget = (matches: (entry: Entry) => boolean) => {
    for (const [key, entry] of entries) if (matches(entry)) entries.delete(key);
  };

  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const findBy = (matches: (payload: AdapterPayload) => boolean) =>
      [...entries.keys()]
        .filter((key) => key.startsWith(keyOf("")))
        .map(live)
        .find((payload) => payload !== undefined && matches(payload));
    return {
      async upsert(id, payload, expiresIn = Number.POSITIVE_INFINITY) {
        const now = Date.now();
        forget(({ expiresAt }) => expiresAt <= now);
        entries.set(keyOf(id), { payload, expiresAt: now + expiresIn * 1000 });
      },
      find: async (id) => live(keyOf(id)),
      findByUid: async (uid) => findBy((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findBy((payload) => payload.userCode === userCode),
      async consume(id) {
        const payload = live(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        forget(({ payload }) => payload.grantId === grantId);
      },
    };
  };
};
