import { authenticate } from "../tokens/authenticate.ts";
import type { TokenStore } from "../tokens/token-store.ts";
import type { Middleware } from "./request.ts";

interface VerifyTokenOptions {
  tokens: Pick<TokenStore, "find">;
}

/** Lets a request on only with a verified token from the token's own address. Reads no forwarding header. */
export const verifyToken = ({ tokens }: VerifyTokenOptions): Middleware => ({
  before: async ({ event }) => {
    event.caller = await authenticate(
      { tokenText: event.headers["x-token"], sourceIp: event.requestContext.http.sourceIp },
      tokens,
    );
  },
});
