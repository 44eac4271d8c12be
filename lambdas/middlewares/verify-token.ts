import type { Credential } from "../declaration/endpoint.ts";
import { authenticate, authenticateHolder } from "../resources/tokens/authenticate.ts";
import type { TokenStore } from "../resources/tokens/token-store.ts";
import type { Middleware } from "./request.ts";

interface VerifyTokenOptions {
  tokens: Pick<TokenStore, "find">;
  /** The credential that the endpoint requires. Default: a valid token, from its own address. */
  credential?: Credential | undefined;
}

/** Admits a request only with the credential that its endpoint asks for. Never reads a forwarding header. */
export const verifyToken = ({ tokens, credential = "token" }: VerifyTokenOptions): Middleware => ({
  before: async ({ event }) => {
    const { headers, requestContext } = event;
    const { http, requestId } = requestContext;
    const credentials = { tokenText: headers["x-token"], sourceIp: http.sourceIp, requestId };
    if (credential === "token") {
      event.caller = await authenticate(credentials, tokens);
      return;
    }
    event.credential = credential;
    event.caller = await authenticateHolder(credential === "secret" ? "token" : "invitation", credentials, tokens);
  },
});
