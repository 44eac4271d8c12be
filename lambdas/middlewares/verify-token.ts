import { authenticate } from "../resources/tokens/authenticate.ts";
import type { TokenStore } from "../resources/tokens/token-store.ts";
import type { Middleware } from "./request.ts";

interface VerifyTokenOptions {
  tokens: Pick<TokenStore, "find">;
  /** Lets a request go on while its token is looked up: whoever answers it awaits `event.verdict` first. */
  ahead?: boolean;
}

/** Lets a request on only with a verified token from the token's own address. Reads no forwarding header. */
export const verifyToken = ({ tokens, ahead = false }: VerifyTokenOptions): Middleware => ({
  before: ({ event }) => {
    let isLookedUp = false;
    const find: TokenStore["find"] = (tokenId) => {
      isLookedUp = true;
      return tokens.find(tokenId);
    };
    const credentials = { tokenText: event.headers["x-token"], sourceIp: event.requestContext.http.sourceIp };
    const verdict = authenticate(credentials, { find }).then((caller) => {
      event.caller = caller;
    });
    // What is refused without a look-up is refused now: nothing may begin for it.
    if (!ahead || !isLookedUp) return verdict;
    // Awaited later. Until then a refusal must not count as one that nobody minds.
    verdict.catch(() => {});
    event.verdict = verdict;
    return undefined;
  },
  // A caller who is refused learns of the refusal, and not of what else was wrong with the request.
  onError: async (request) => {
    const [verdict] = await Promise.allSettled([request.event.verdict]);
    if (verdict?.status === "rejected") request.error = verdict.reason;
  },
});
