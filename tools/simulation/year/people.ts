import { answerOf } from "../answers.ts";
import { operations } from "../functions.ts";
import { fieldOf } from "../judges/outcome.ts";
import { requestTo } from "../request-to.ts";
import { clientAddress } from "../situation.ts";
import type { Cloud } from "./cloud.ts";
import type { Known } from "./oracle.ts";

/** A token or an invitation as its users know it. */
export interface Held extends Known {
  text: string;
  ip: string;
}

const time = (value: unknown): number => Date.parse(String(value));
const timeOrNull = (value: unknown): number | null => (typeof value === "string" ? Date.parse(value) : null);

/** The actions of admins and clients on the real functions, and their knowledge afterwards. */
export const createPeople = (cloud: Cloud) => {
  const admin = async (payload: object): Promise<unknown> => {
    const outcome = await cloud.invoke("admin", payload);
    if (outcome.kind === "done") return outcome.value;
    throw new Error(`An admin's action failed: ${JSON.stringify(payload)}`, {
      cause: outcome.kind === "failed" ? outcome.error : undefined,
    });
  };

  const call = async (operationId: string, { text }: Held, from: string, form?: Record<string, string>) => {
    const operation = operations.find((one) => one.operationId === operationId);
    if (!operation) throw new Error(`There is no operation ${operationId}.`);
    const requestId = cloud.nextRequestId();
    const request = { requestId, address: from, text, ...(form && { form }) };
    const outcome = await cloud.invoke(operationId, requestTo(operation, request).event);
    if (outcome.kind !== "done") throw new Error(`${operationId} did not answer.`);
    return answerOf(Promise.resolve(outcome.value));
  };

  const heldIn = (body: unknown, more: Partial<Held>): Held => ({
    token_id: String(fieldOf(body, "token_id")),
    text: String(fieldOf(body, "token") ?? fieldOf(body, "invitation_text")),
    ip: String(fieldOf(body, "ip") ?? clientAddress),
    issuedAt: cloud.now,
    beganAt: cloud.now,
    expiresAt: timeOrNull(fieldOf(body, "expires_at")),
    isRevoked: false,
    ...more,
  });

  const endAfter = (milliseconds: number | null) =>
    milliseconds === null ? null : new Date(cloud.now + milliseconds).toISOString();

  /** Ends a token in favour of its successor. */
  const succeed = (old: Held, successor: Held, graceMs: number): Held => {
    old.rotated = { at: cloud.now, successorId: successor.token_id };
    old.expiresAt = Math.min(cloud.now + graceMs, old.expiresAt ?? Number.POSITIVE_INFINITY);
    old.waiting = undefined;
    return successor;
  };

  /** A waiting request as an admin sees it. */
  const waitingFor = async ({ token_id }: Held): Promise<Held["waiting"]> => {
    const request = fieldOf(await admin({ action: "get", token_id }), "request");
    return {
      requestedAt: time(fieldOf(request, "requested_at")),
      endsAt: time(fieldOf(request, "requested_at")) + 15 * 60_000,
    };
  };

  return {
    admin,
    issue: async (lifetimeMs: number | null): Promise<Held> =>
      heldIn(await admin({ action: "issue", ip: clientAddress, expires_at: endAfter(lifetimeMs) }), {}),
    async invite({ validMs, isKnown, lifetimeMs }: { validMs: number; isKnown: boolean; lifetimeMs: number | null }) {
      const ip = isKnown ? clientAddress : null;
      const expires_at = endAfter(lifetimeMs === null ? null : lifetimeMs + validMs);
      const payload = { action: "invite", ip, expires_at, valid_seconds: Math.round(validMs / 1000) };
      const invitationEndsAt = cloud.now + payload.valid_seconds * 1000;
      return heldIn(await admin(payload), { beganAt: undefined, invitationEndsAt });
    },
    async edit(held: Held, lifetimeMs: number | null): Promise<void> {
      const expires_at = endAfter(lifetimeMs);
      await admin({ action: "update", token_id: held.token_id, expires_at });
      held.expiresAt = timeOrNull(expires_at);
    },
    async revoke(held: Held): Promise<void> {
      await admin({ action: "revoke", token_id: held.token_id });
      held.isRevoked = true;
    },
    async rotateAsAdmin(held: Held, graceMs: number): Promise<Held> {
      const grace_seconds = graceMs / 1000;
      return succeed(
        held,
        heldIn(await admin({ action: "rotate", token_id: held.token_id, grace_seconds }), {}),
        graceMs,
      );
    },
    async decide(held: Held, action: "confirm" | "reject"): Promise<void> {
      const request = fieldOf(await admin({ action: "get", token_id: held.token_id }), "request");
      await admin({ action, token_id: held.token_id, ip: fieldOf(request, "ip"), code: fieldOf(request, "code") });
      held.waiting = undefined;
    },
    /** Returns the status. */
    async use(held: Held, from = held.ip): Promise<number> {
      const { status } = await call("getToken", held, from);
      if (status === 200) held.lastUsedAt = cloud.now;
      return status;
    },
    async rotate(held: Held, graceMs: number): Promise<Held> {
      const { status, body } = await call("rotateToken", held, held.ip, { grace_seconds: String(graceMs / 1000) });
      if (status !== 201) throw new Error(`A rotation was answered ${status}.`);
      return succeed(held, heldIn(body, { ip: held.ip }), graceMs);
    },
    async redeem(held: Held): Promise<void> {
      const { status, body } = await call("redeemInvitation", held, held.ip);
      if (status === 202) held.waiting = await waitingFor(held);
      if (status === 201)
        Object.assign(held, heldIn(body, { issuedAt: held.issuedAt, ip: held.ip }), { waiting: undefined });
    },
    /** Returns the successor once the move has been confirmed. */
    async move(held: Held, from: string): Promise<Held | undefined> {
      const { status, body } = await call("moveToken", held, from);
      if (status === 202) held.waiting = await waitingFor(held);
      return status === 201 ? succeed(held, heldIn(body, { ip: from }), 0) : undefined;
    },
    async leave(held: Held): Promise<void> {
      await call("revokeToken", held, held.ip);
      held.isRevoked = true;
    },
  };
};

export type People = ReturnType<typeof createPeople>;
