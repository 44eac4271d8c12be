import {
  formatTokenValue,
  generateTokenValue,
  parseTokenValue,
} from "../../../../lambdas/domain/tokens/token-value.ts";
import type { Reply } from "./caller.ts";
import { anyOf } from "./keys.ts";
import { current, type Held, type Holders, toHeld, type Versions } from "./tokens.ts";

export const addresses = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 2}`);

type Step = (held: Held) => Promise<Held>;

const elsewhere = ({ ip }: Held): string => anyOf(addresses.filter((address) => address !== ip));

const rateLimit = 3;
const minuteNow = (): number => Math.floor(Date.now() / 60_000);

/** Creates the steps of a token between its issue and its end. Each step returns the token with which the client continues. */
export const createSteps = (
  { expect, expectUse, send, admin, issue, hold, end }: Holders,
  { newest }: Versions,
): Readonly<Record<string, Step>> => {
  /** Expects the same call to return the same token again, because nobody has used the token yet. */
  const expectRepeatable = async (repeat: () => Promise<Reply>, { body }: Reply): Promise<void> =>
    expect("the token that a repeated call returns", (await repeat()).body.token, body.token);

  return {
    async "refused elsewhere"(held) {
      const forged = formatTokenValue({ ...generateTokenValue(), token_id: held.id });
      await expectUse("a token from another address", { ...held, ip: elsewhere(held) }, "ip_not_allowed");
      await expectUse("a token with another secret", { ...held, text: forged }, "token_invalid");
      return held;
    },
    async "sent through pages"(held) {
      const { answered } = await send("GET /api/v1/key?limit=1", held);
      const next = /^<(.*)>; rel="next"$/.exec(answered.headers.link ?? "")?.[1];
      if (next) expect("the next page", (await send(`GET ${next}`, held)).outcome, 200);
      return held;
    },
    async limited(held) {
      const minute = minuteNow();
      const { body } = await admin("issue", { ip: held.ip, comment: "traffic", rate_limit: rateLimit });
      const replies: Reply[] = [];
      for (let call = 0; call <= rateLimit; call += 1) replies.push(await send(current, toHeld(body, held.ip)));
      // A new minute has a new allowance, and an attempt without a response may have been counted.
      if (minuteNow() !== minute || replies.some(({ isRepeated }) => isRepeated)) return held;
      const remaining = replies.map(({ answered }) => Number(/;r=(\d+)/.exec(answered.headers.ratelimit ?? "")?.[1]));
      expect("the remaining calls of a limited token", remaining, [2, 1, 0, 0]);
      expect("a call beyond the limit", replies.at(-1)?.outcome, "rate_limited");
      return held;
    },
    async "rotated by an admin"(held) {
      const grace_seconds = anyOf([0, 3_600]);
      const rotate = () => admin("rotate", { token_id: held.id, grace_seconds });
      const { outcome, body, isRepeated } = await rotate();
      // Only the lost response contained the successor's value.
      const isLost = isRepeated && outcome !== 200;
      if (!isLost) expect("a rotation", outcome, 200);
      const successor = isLost ? await issue(held.ip) : hold(body, held.ip);
      await end("a rotated token", held, grace_seconds === 0 ? "token_expired" : 200);
      expect("a second rotation", (await rotate()).outcome, "token_already_rotated", "token_not_active");
      return successor;
    },
    async "rotated by its client"(held) {
      const target = newest();
      if (!target) return held;
      const grace_seconds = anyOf(["0", "3600"]);
      const rotate = () => send("POST /api/v1/token/rotation", held, { form: { grace_seconds }, target });
      const reply = await rotate();
      expect("a client's rotation", reply.outcome, 201);
      await expectRepeatable(rotate, reply);
      await end("a token that its client has rotated", held, grace_seconds === "0" ? "token_expired" : 200);
      return hold(reply.body, held.ip);
    },
    async moved(held) {
      const target = newest();
      if (!target) return held;
      const away = { ...held, ip: elsewhere(held) };
      const move = () => send("POST /api/v1/token/move", away, { target });
      const { outcome, body } = await move();
      expect("a move is asked for", outcome, 202);
      await expectUse("a token whose move waits", held, 200);
      expect("a change meanwhile", (await admin("update", { token_id: held.id, rate_limit: 1_000 })).outcome, 200);
      const decision = anyOf(["confirm", "confirm", "reject"]);
      await admin(decision, { token_id: held.id, ip: away.ip, code: body.code }, target);
      await expectUse("a token whose move is decided, elsewhere", away, "ip_not_allowed");
      const reply = await move();
      expect("a move", reply.outcome, decision === "confirm" ? 201 : "request_rejected");
      if (reply.outcome !== 201) return held;
      await expectRepeatable(move, reply);
      await end("a token that was moved", held, "token_expired");
      const successor = hold(reply.body, away.ip);
      await expectUse("a moved token at its old address", { ...successor, ip: held.ip }, "ip_not_allowed");
      return successor;
    },
  };
};

/** Creates the first and last steps of a token's life. */
export const createEnds = ({ expect, expectUse, send, admin, issue, hold, end }: Holders, { newest }: Versions) => ({
  async begin(isInvited: boolean): Promise<Held> {
    const target = newest();
    const ip = anyOf(addresses);
    if (!target || !isInvited) return issue(ip);
    const { body } = await admin("invite", { ip: anyOf([ip, null]), comment: "traffic" }, target);
    const invitation = { id: String(body.token_id), text: String(body.invitation_text), ip };
    const { secret = "" } = parseTokenValue(invitation.text) ?? {};
    const asToken = { ...invitation, text: formatTokenValue({ token_id: invitation.id, secret }) };
    const expectNoToken = async () => {
      await expectUse("an invitation's secret as a token", asToken, "token_invalid");
      await expectUse("an invitation as a token", invitation, "token_invalid", "wrong_credential");
    };
    await expectNoToken();
    const redeem = () => send("POST /api/v1/token", invitation, { target });
    let reply = await redeem();
    if (reply.outcome === 202) {
      expect("the address in a request", reply.body.ip, ip);
      await admin("confirm", { token_id: invitation.id, ip, code: reply.body.code }, target);
      await expectNoToken();
      reply = await redeem();
    }
    expect("an invitation is redeemed", reply.outcome, 201);
    return hold(reply.body, ip);
  },
  async revoke(held: Held): Promise<void> {
    const target = newest();
    if (target && anyOf([true, false])) {
      const { outcome } = await send("DELETE /api/v1/token", { ...held, ip: elsewhere(held) }, { target });
      expect("a client's revocation", outcome, 204);
    } else expect("a revocation", (await admin("revoke", { token_id: held.id })).outcome, 200);
    await end("a revoked token", held, "token_revoked");
  },
});
