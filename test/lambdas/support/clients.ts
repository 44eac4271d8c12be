import { afterEach, vi } from "vitest";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { moveToken } from "../../../lambdas/v1/move-token.ts";
import { redeemInvitation } from "../../../lambdas/v1/redeem-invitation.ts";
import { revokeToken } from "../../../lambdas/v1/revoke-token.ts";
import { rotateToken } from "../../../lambdas/v1/rotate-token.ts";
import { useAdmin } from "./admin.ts";
import { captureLog } from "./captured-log.ts";
import { callEndpoint } from "./endpoint.ts";
import { useStores } from "./stores.ts";
import { away, home } from "./token-store.ts";

export const minuteMs = 60_000;

type Response = Awaited<ReturnType<typeof callEndpoint>>;

interface Answer extends Response {
  /** The text of the token in the body. */
  token: string;
  /** The log line of the request. */
  line: Record<string, unknown>;
}

/** The actions of clients on their own tokens, and of admins, with separate tables and a clock that tests can move. */
export const useClients = () => {
  const admin = useAdmin();
  useStores("limits");
  afterEach(() => {
    vi.useRealTimers();
  });

  const send = async (endpoint: Endpoint, text: string, ip: string, form?: Record<string, string>) => {
    const response = await callEndpoint(endpoint, { token: text, sourceIp: ip, form });
    return { ...response, token: String(response.body.token) };
  };

  const call = async (...request: Parameters<typeof send>): Promise<Answer> => {
    const log = captureLog();
    const answer = await send(...request);
    const line = log.lines().find((each) => Object(each).message === "request");
    return { ...answer, line: { ...Object(line) } };
  };

  const sameTime = async (...request: Parameters<typeof send>) => {
    captureLog();
    return Promise.all(Array.from({ length: 5 }, () => send(...request)));
  };

  return {
    ...admin,
    redeem: (invitation: string, ip = home) => call(redeemInvitation, invitation, ip),
    rotate: (token: string, { ip = home, grace_seconds = "0" } = {}) => call(rotateToken, token, ip, { grace_seconds }),
    move: (token: string, ip = away) => call(moveToken, token, ip),
    revoke: (token: string, ip = home) => call(revokeToken, token, ip),
    /** The same call five times at once. */
    atOnce: {
      redeem: (invitation: string) => sameTime(redeemInvitation, invitation, home),
      rotate: (token: string) => sameTime(rotateToken, token, home, { grace_seconds: "0" }),
      move: (token: string) => sameTime(moveToken, token, away),
    },
    /** An ordinary call. */
    use: (token: string, ip = home) => call(getToken, token, ip),

    /** Creates an invitation, and returns its id and its text. */
    async invite(fields: object = {}) {
      const { token_id, invitation_text } = await admin.act({ action: "invite", ...fields }, "invite-1");
      return { token_id, text: String(invitation_text) };
    },

    /** Confirms or rejects the request that a client's `202` has shown. */
    decide: (action: "confirm" | "reject", token_id: string, { body }: Pick<Answer, "body">) =>
      admin.act({ action, token_id, ip: body.ip, code: body.code }, `${action}-1`),

    /** Issues a token for `home`, and returns its id and its text. */
    async issue(fields: object = {}) {
      const { token_id, token } = await admin.act({ action: "issue", ip: home, ...fields });
      return { token_id, text: String(token) };
    },

    get: (token_id: string) => admin.act({ action: "get", token_id }),

    /** Moves the clock of the functions forward. */
    pass(milliseconds: number) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
    },
  };
};
