import type { Credential } from "../declaration/endpoint.ts";
import { authenticate, authenticateHolder, visitorIn } from "../domain/tokens/authenticate.ts";
import { expiringAt } from "../domain/tokens/life-cycle.ts";
import type { TokenStore } from "../domain/tokens/token-store.ts";
import { baseUrlVariable, requireVariable } from "../shared/environment.ts";
import { describeCause, log } from "../shared/log.ts";
import type { Middleware } from "./request.ts";

interface VerifyTokenOptions {
  tokens: Pick<TokenStore, "find">;
  /** The credential that the endpoint requires. Default: a valid token, sent from its own address. */
  credential?: Credential | undefined;
}

/** Admits only requests with the credential that the endpoint requires. Never reads a forwarding header. */
export const verifyToken = ({ tokens, credential = "token" }: VerifyTokenOptions): Middleware =>
  credential === "workload" ? admitVisitor() : requireToken(tokens, credential);

const admitVisitor = (): Middleware => {
  const baseUrl = requireVariable(baseUrlVariable);
  return {
    before: ({ event }) => {
      event.credential = "workload";
      event.visitor = visitorIn(event.requestContext, baseUrl);
    },
  };
};

const requireToken = (
  tokens: VerifyTokenOptions["tokens"],
  credential: Exclude<Credential, "workload">,
): Middleware => ({
  before: async ({ event }) => {
    const { headers, requestContext } = event;
    const { http, requestId } = requestContext;
    const credentials = { tokenValue: headers["x-token"], sourceIp: http.sourceIp, requestId };
    if (credential === "token") {
      event.caller = await authenticate(credentials, tokens);
      return;
    }
    event.credential = credential;
    event.caller = await authenticateHolder(credential === "secret" ? "token" : "invitation", credentials, tokens);
  },
});

/** Adds headers to every response for a token that expires within 30 days: when it expires, and how to rotate it. */
export const announceExpiry = (): Middleware => ({
  before: ({ event }) => {
    const expiring = event.caller && expiringAt(event.caller.token, Date.now());
    if (!expiring) return;
    event.responseHeaders = {
      ...event.responseHeaders,
      "X-Token-Expires-At": expiring.expires_at,
      ...(expiring.rotation !== null && { "X-Token-Rotation": expiring.rotation }),
    };
  },
});

/** A use is not recorded if another use was recorded less than this long ago. */
const pauseMilliseconds = 5 * 60 * 1000;

/**
 * Records when a token was last used, in parallel with the request's own work. Each token causes one small write every few minutes.
 * A failed write never fails the request, and is followed by a pause of the same length.
 */
export const recordUse = ({ tokens }: { tokens: Pick<TokenStore, "recordUse"> }): Middleware => {
  let pausedUntil = 0;

  const record = async (tokenId: string, now: number): Promise<void> => {
    try {
      await tokens.recordUse(tokenId, new Date(now).toISOString());
    } catch (error) {
      pausedUntil = Date.now() + pauseMilliseconds;
      log("warn", { message: "use_not_recorded", token_id: tokenId, cause: describeCause(error) });
    }
  };

  return {
    before: ({ event }) => {
      const { token } = event.caller ?? {};
      const now = Date.now();
      if (!token) return;
      const isDue = now >= pausedUntil && now >= Date.parse(token.last_used_at ?? "1970") + pauseMilliseconds;
      // After its first use, a token's value must not be derived again.
      if (!isDue && token.repeat_nonce === undefined) return;
      event.recording = record(token.token_id, now);
    },
    after: ({ event }) => event.recording,
    onError: ({ event }) => event.recording,
  };
};
