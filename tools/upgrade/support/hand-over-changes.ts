import { formatTokenText, parseTokenText } from "../../../lambdas/resources/tokens/token-text.ts";
import { callTarget } from "../../support/traffic/caller.ts";
import type { Held } from "../../support/traffic/token-pool.ts";
import type { HandOver } from "./hand-over.ts";
import type { Version } from "./versions.ts";

const home = "127.0.0.1";
const away = "127.0.0.9";

/**
 * The present version's clients get and change their own tokens, and the release continues with the records that it has
 * written. An invitation admits nobody there, and a request to move changes nothing.
 */
export const handOverChanges = async (handOver: HandOver): Promise<void> => {
  const { writer: present, reader: released, call, admin, expect } = handOver;

  /** Makes a call with a token or an invitation, and returns the status, or the code of the refusal, and the body. */
  const outcomeOf = async (
    version: Version,
    held: Held,
    method: string,
    path: string,
    form?: Record<string, string>,
  ) => {
    const { status, text } = await call(version, held, { method, path, ...(form && { form }) });
    const body: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
    return { outcome: status < 400 ? status : body.code, body };
  };
  const use = async (version: Version, held: Held) => (await outcomeOf(version, held, "GET", "/api/v1/token")).outcome;
  const at = (ip: string, { token_id, token }: Record<string, unknown>): Held => ({
    id: String(token_id),
    text: String(token),
    ip,
  });

  /** A text that neither version must admit: such a call belongs to no token, and is not counted. */
  const assertUnknown = async (what: string, token: string): Promise<void> => {
    for (const { name, target } of [released, present]) {
      const { text } = await callTarget(target, { method: "GET", path: "/api/v1/token", from: home, token });
      expect(`${what}, in the ${name} version`, JSON.parse(text).code, "token_invalid");
    }
  };

  const invite = async (ip: string | null) => {
    const { token_id, invitation_text } = await admin(present, "invite", { ip, comment: "handed over" });
    return { id: String(token_id), text: String(invitation_text), ip: home };
  };

  const invited = await invite(home);
  const { secret = "" } = parseTokenText(invited.text) ?? {};
  await assertUnknown("an invitation's secret is no token", formatTokenText({ token_id: invited.id, secret }));
  const inRelease = await callTarget(released.target, {
    method: "GET",
    path: "/api/v1/token",
    from: home,
    token: invited.text,
  });
  expect("an invitation is no token for the release", JSON.parse(inRelease.text).code, "token_invalid");
  const redeemed = await outcomeOf(present, invited, "POST", "/api/v1/token");
  expect("an invitation is redeemed after the release has seen it", redeemed.outcome, 201);
  const token = at(home, redeemed.body);
  expect("a redeemed token works", await use(released, token), 200);
  expect("a redeemed token is bound to its address", await use(released, { ...token, ip: away }), "ip_not_allowed");
  expect(
    "a redeemed token is read",
    await admin(released, "get", { token_id: token.id }),
    await admin(present, "get", { token_id: token.id }),
  );

  const waiting = await invite(null);
  const asked = await outcomeOf(present, waiting, "POST", "/api/v1/token");
  expect("an address is asked for", asked.outcome, 202);
  await assertUnknown(
    "an invitation that waits for a confirmation is no token",
    formatTokenText({ token_id: waiting.id, secret: parseTokenText(waiting.text)?.secret ?? "" }),
  );
  const { ip, code } = asked.body;
  await admin(present, "confirm", { token_id: waiting.id, ip, code });
  expect(
    "a confirmed invitation is redeemed",
    (await outcomeOf(present, waiting, "POST", "/api/v1/token")).outcome,
    201,
  );

  const moving = { ...token, ip: away };
  const move = await outcomeOf(present, moving, "POST", "/api/v1/token/move");
  expect("a move is asked for", move.outcome, 202);
  expect("a token whose move waits works at its address", await use(released, token), 200);
  expect("a token whose move waits works nowhere else", await use(released, moving), "ip_not_allowed");
  const updated = await admin(released, "update", { token_id: token.id, rate_limit: 100 });
  expect("the release changes a token whose move waits", updated.rate_limit, 100);
  await admin(present, "confirm", { token_id: token.id, ip: away, code: move.body.code });
  expect("a confirmed move admits nobody yet", await use(released, moving), "ip_not_allowed");
  const moved = await outcomeOf(present, moving, "POST", "/api/v1/token/move");
  expect("a move is completed after the release has changed the token", moved.outcome, 201);
  const successor = at(away, moved.body);
  expect("a moved token works at its new address", await use(released, successor), 200);
  expect("a moved token works nowhere else", await use(released, { ...successor, ip: home }), "ip_not_allowed");
  expect("the token that was moved has ended", await use(released, token), "token_expired");

  const rotated = await outcomeOf(present, successor, "POST", "/api/v1/token/rotation", { grace_seconds: "3000" });
  expect("a client rotates its token", rotated.outcome, 201);
  const next = at(away, rotated.body);
  expect("the token that a client has rotated works for its grace period", await use(released, successor), 200);
  expect("the successor of a client's rotation works", await use(released, next), 200);

  await admin(released, "revoke", { token_id: next.id });
  expect(
    "what the release has revoked cannot be rotated",
    (await outcomeOf(present, next, "POST", "/api/v1/token/rotation", { grace_seconds: "0" })).outcome,
    "token_revoked",
  );
  expect("a client revokes its token", (await outcomeOf(present, successor, "DELETE", "/api/v1/token")).outcome, 204);
  expect("what a client has revoked is refused", await use(released, successor), "token_revoked");
};
