import { authenticate } from "../resources/tokens/authenticate.ts";
import type { TokenStore } from "../resources/tokens/token-store.ts";
import type { Middleware } from "./request.ts";

interface VerifyTokenOptions {
  tokens: Pick<TokenStore, "find">;
}

/** Admits a request only with a valid token from the token's own address. It never reads a forwarding header. */
export const verifyToken = ({ tokens }: VerifyTokenOptions): Middleware => ({
  before: async ({ event }) => {
    const { headers, requestContext } = event;
    event.caller = await authenticate(
      { tokenText: headers["x-token"], sourceIp: requestContext.http.sourceIp },
      tokens,
    );
  },
});
