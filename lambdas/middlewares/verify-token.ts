import type { Credential } from "../declaration/endpoint.ts";
import {
  authenticate,
  authenticateHolder,
  type Caller,
  ownerOf,
  type Visitor,
  visitorIn,
} from "../domain/tokens/authenticate.ts";
import { expiringAt } from "../domain/tokens/life-cycle.ts";
import type { TokenStore } from "../domain/tokens/token-store.ts";
import { baseUrlVariable, requireVariable } from "../shared/environment.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { describeCause, log } from "../shared/log.ts";
import type { ResponseHeaders } from "./add-headers.ts";
import type { LogFields } from "./log-request.ts";
import { type ApiEvent, type Middleware, type Request, refuseUnknown } from "./request.ts";

/** The field that `verifyToken` adds, except for workloads: the owner of a token, or of the secret of a token or an invitation. */
export interface Verified {
  caller: Caller;
}

interface VerifyTokenOptions {
  tokens: Pick<TokenStore, "find">;
  /** The credential that the endpoint requires. Default: a valid token, sent from its own address. */
  credential?: Credential;
  /** The name of the service, which every `401` includes in `WWW-Authenticate`. */
  realm: string;
}

/** The field that `verifyToken` adds, and those of earlier middlewares that it needs. */
type Verification = { caller: Caller | Visitor } & LogFields & ResponseHeaders;

/**
 * Admits only requests with the credential that the endpoint requires. Never reads a forwarding header. A workload is a `Visitor`,
 * which the handler verifies.
 *
 * @example chain.use(verifyToken({ tokens, realm: "Shop" })).handler(async ({ caller }) => …)
 */
export const verifyToken = ({
  tokens,
  credential = "token",
  realm,
  ...unknown
}: VerifyTokenOptions): Middleware<Verification> => {
  refuseUnknown("verifyToken", unknown);
  const baseUrl = credential === "workload" ? requireVariable(baseUrlVariable) : "";

  const callerOf = ({ headers, requestContext }: ApiEvent): Promise<Caller> | Visitor => {
    if (credential === "workload") return visitorIn(requestContext, baseUrl);
    const { http, requestId } = requestContext;
    const sent = { tokenValue: headers["x-token"], sourceIp: http.sourceIp, requestId };
    if (credential === "token") return authenticate(sent, tokens);
    return authenticateHolder(credential === "secret" ? "token" : "invitation", sent, tokens);
  };

  const verifyCaller = async ({ event }: Request<Verification>): Promise<void> => {
    if (credential !== "token") event.logFields.credential = credential;
    event.caller = await callerOf(event);
    if ("token" in event.caller) Object.assign(event.logFields, ownerOf(event.caller.token));
  };
  const challenge = ({ event, error }: Request<Verification>): void => {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    event.responseHeaders["WWW-Authenticate"] = `X-Token realm="${realm}"`;
  };
  return { before: verifyCaller, onError: challenge };
};

/**
 * Adds headers to every response for a token that expires within 30 days: when it expires, and how to rotate it.
 *
 * @example chain.use(verifyToken({ tokens, realm: "Shop" })).use(announceExpiry())
 */
export const announceExpiry = (): Middleware<Verified & ResponseHeaders> => {
  const announce = ({ event }: Request<Verified & ResponseHeaders>): void => {
    const expiring = expiringAt(event.caller.token, Date.now());
    if (!expiring) return;
    Object.assign(event.responseHeaders, {
      "X-Token-Expires-At": expiring.expires_at,
      ...(expiring.rotation !== null && { "X-Token-Rotation": expiring.rotation }),
    });
  };
  return { before: announce };
};

interface RecordUseOptions {
  tokens: Pick<TokenStore, "recordUse">;
}

interface Recording {
  recording?: Promise<void>;
}

/** A use is not recorded if another use was recorded less than this long ago. */
const pauseMilliseconds = 5 * 60 * 1000;

/**
 * Records when a token was last used, in parallel with the request's own work. Each token causes one small write every few minutes.
 * A failed write never fails the request, but pauses all writes of this environment for the same period.
 *
 * @example chain.use(verifyToken({ tokens, realm: "Shop" })).use(recordUse({ tokens }))
 */
export const recordUse = ({ tokens, ...unknown }: RecordUseOptions): Middleware<Verified & Recording> => {
  refuseUnknown("recordUse", unknown);
  let pausedUntil = 0;

  const record = async (tokenId: string, now: number): Promise<void> => {
    try {
      await tokens.recordUse(tokenId, new Date(now).toISOString());
    } catch (error) {
      pausedUntil = Date.now() + pauseMilliseconds;
      log("warn", { message: "use_not_recorded", token_id: tokenId, cause: describeCause(error) });
    }
  };

  const startRecording = ({ event }: Request<Verified & Recording>): void => {
    const { token } = event.caller;
    const now = Date.now();
    const isDue = now >= pausedUntil && now >= Date.parse(token.last_used_at ?? "1970") + pauseMilliseconds;
    // After its first use, a token's value must not be derived again.
    if (!isDue && token.repeat_nonce === undefined) return;
    event.recording = record(token.token_id, now);
  };
  const awaitRecording = ({ event }: Request<Recording>): Promise<void> | undefined => event.recording;
  return { before: startRecording, after: awaitRecording, onError: awaitRecording };
};
