import type { Adapter, AdapterPayload } from "oidc-provider";
import type { UserPoolDefinition } from "../assembly/user-pool.ts";
import type { HttpListener } from "../support/http-listener.ts";
import { additionalAccount, type Login } from "./accounts.ts";
import type { Issuer } from "./issuer.ts";

interface LoginServerOptions {
  listener: HttpListener;
  baseUrl: string;
  dataDirectory: string;
  additionalUsers: Login[];
  log: (text: string) => void;
}

/** The login on its port, for one user pool after another. */
interface LoginServer {
  /** Makes the issuer of a user pool, which does not answer yet. Undefined without a user pool. */
  prepare: (userPool: UserPoolDefinition | undefined) => Promise<Issuer | undefined>;
  /** Makes an issuer answer requests from now on. It keeps the sessions and the logins in progress. */
  serve: (issuer: Issuer | undefined) => void;
}

/** Loads the login's library, which takes a while and which only a stack with a user pool needs. */
export const loadLogin = () => import("./issuer.ts");

export const createLogin = ({ listener, additionalUsers, ...options }: LoginServerOptions): LoginServer => {
  const adapter = createMemoryAdapter();
  const additionalAccounts = additionalUsers.map(additionalAccount);
  return {
    async prepare(userPool) {
      if (userPool === undefined) return undefined;
      const { createIssuer } = await loadLogin();
      return createIssuer({ ...options, userPool, url: listener.url, additionalAccounts, adapter });
    },
    serve(issuer) {
      listener.serve(
        issuer?.listener ?? ((_, response) => response.writeHead(404).end("This application has no user pool.")),
      );
    },
  };
};

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
