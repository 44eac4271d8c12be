import type { UserPoolDefinition } from "../assembly/user-pool.ts";
import type { HttpListener } from "../support/http-listener.ts";
import { additionalAccount, type Login } from "./accounts.ts";
import type { Issuer } from "./issuer.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";

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
