import type { Call } from "./schedule.ts";
import {
  clientAddress,
  otherAddress,
  type RequestInSight,
  type Situation,
  type TokenInHand,
  vCodeOf,
} from "./situation.ts";

/** The payload of a decision about what a client has asked for. */
export const decision = ({ kind, as }: Call & { kind: "confirm" | "reject" }, shown: RequestInSight): object => {
  const { token_id, ip, code } = shown;
  const otherIp = ip === clientAddress ? otherAddress : clientAddress;
  const otherCode = code === "333-333" ? "444-444" : "333-333";
  return {
    action: kind,
    token_id,
    ip: as === "another address" ? otherIp : ip,
    code: as === "another code" ? otherCode : code,
  };
};

/** The payload of any other admin action. */
export const adminPayload = (call: Call, token: TokenInHand | undefined, { now }: Situation): object => {
  const token_id = token?.token_id;
  switch (call.kind) {
    case "create":
    case "replace":
      return { action: `${call.kind}_key`, key_id: call.key, v_code: vCodeOf(call.letter) };
    case "delete":
      return { action: "delete_key", key_id: call.key };
    case "get":
      return { action: "reveal_key", key_id: call.key };
    case "list":
      return { action: "list_keys" };
    case "issue":
      return {
        action: "issue",
        ip: clientAddress,
        rate_limit: call.limit,
        expires_at: endAfter(call.expiresAfter, now()),
      };
    case "update": {
      const { limit, expiresAfter } = call;
      return {
        action: "update",
        token_id,
        ...(limit !== undefined && { rate_limit: limit }),
        ...(expiresAfter !== undefined && { expires_at: endAfter(expiresAfter, now()) }),
      };
    }
    case "dismiss":
    case "restore":
      return { action: `${call.kind}_leak`, token_id, ip: call.ip };
    case "rotate":
      return { action: "rotate", token_id, grace_seconds: call.graceSeconds };
    case "revoke":
    case "usage":
      return { action: call.kind, token_id };
    case "invite":
      return { action: "invite", ip: call.isKnown ? clientAddress : null };
    case "inspect":
      return { action: "get", token_id };
    case "tokens":
      return { action: "list" };
    case "history":
      return {
        action: "history",
        limit: 1000,
        ...(token_id !== undefined && { token_id }),
        ...(call.key !== undefined && { key_id: call.key }),
      };
    default:
      throw new Error(`${call.kind} is no action of admins.`);
  }
};

const endAfter = (milliseconds: number | null, now: number): string | null =>
  milliseconds === null ? null : new Date(now + milliseconds).toISOString();
