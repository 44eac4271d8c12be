import { afterEach, describe, expect, test, vi } from "vitest";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { moveToken } from "../../../lambdas/v1/move-token.ts";
import { redeemInvitation } from "../../../lambdas/v1/redeem-invitation.ts";
import { revokeToken } from "../../../lambdas/v1/revoke-token.ts";
import { rotateToken } from "../../../lambdas/v1/rotate-token.ts";
import { dayMs, hourMs, inMs } from "../../../tools/support/tokens.ts";
import { useAdmin } from "../support/admin.ts";
import { callEndpoint } from "../support/events.ts";
import { apiErrorOf, captureLog } from "../support/outcomes.ts";
import { away, home, useStores } from "../support/stores.ts";

/*
 * What clients do with their tokens and invitations, together with the decisions of admins. The rules of each step are tested
 * in test/lambdas/resources/tokens/, and the whole life of a token in test/service/token-life.test.ts.
 */

const minuteMs = 60_000;
const { act, store } = useAdmin();
useStores("limits");
afterEach(() => void vi.useRealTimers());

/** Moves the clock of the functions forward. */
const pass = (milliseconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });

const send = async (endpoint: Endpoint, text: string, ip: string, form?: Record<string, string>) => {
  const response = await callEndpoint(endpoint, { token: text, sourceIp: ip, form });
  return { ...response, token: String(response.body.token) };
};
/** The response to a client, with the log line of its request. */
const call = async (...request: Parameters<typeof send>) => {
  const log = captureLog();
  const response = await send(...request);
  const line = log.lines().find((each) => Object(each).message === "request");
  return { ...response, line: { ...Object(line) } };
};
type Response = Awaited<ReturnType<typeof call>>;

const redeem = (invitation: string, ip = home) => call(redeemInvitation, invitation, ip);
const rotate = (token: string, grace_seconds = "0") => call(rotateToken, token, home, { grace_seconds });
const move = (token: string, ip = away) => call(moveToken, token, ip);
const revoke = (token: string, ip = home) => call(revokeToken, token, ip);
/** An ordinary call. */
const use = (token: string, ip = home) => call(getToken, token, ip);

/** Creates an invitation, and returns its id and its text. */
const invite = async (fields: object = {}) => {
  const { token_id, invitation_text } = await act({ action: "invite", ...fields }, "invite-1");
  return { token_id, text: String(invitation_text) };
};
/** Issues a token for `home`, and returns its id and its text. */
const issue = async (fields: object = {}) => {
  const { token_id, token } = await act({ action: "issue", ip: home, ...fields });
  return { token_id, text: String(token) };
};
const get = (token_id: string) => act({ action: "get", token_id });
/** Confirms the request that a client's `202` has shown. */
const confirm = (token_id: string, { body }: Pick<Response, "body">) =>
  act({ action: "confirm", token_id, ip: body.ip, code: body.code });

const outcomeOf = ({ status, body }: Pick<Response, "status" | "body">) =>
  body.code === undefined || Number(status) < 300 ? status : `${status} ${body.code}`;

/** A token whose move an admin has confirmed. */
const confirmedMove = async () => {
  const token = await issue();
  await confirm(token.token_id, await move(token.text));
  return token;
};

describe("an invitation", () => {
  test("becomes a token on the admin's terms, once its client calls from the address that it names", async () => {
    const expires_at = inMs(30 * dayMs);
    const { token_id, text } = await invite({ ip: home, comment: "billing sync", rate_limit: 60, expires_at });
    expect(text).toMatch(new RegExp(`^iti_${token_id}_`));
    const record = await store().find(token_id);
    expect(JSON.stringify(record)).not.toContain(text.slice(31, 74));
    expect(record?.secret_hash).not.toBe(record?.invitation_hash);
    expect(await get(token_id)).toMatchObject({ state: "invited", ip: home, expires_at, issued_by: "invoke:invite-1" });

    const { status, body, token } = await redeem(text);
    const terms = { token_id, ip: home, issued_at: expect.any(String), expires_at };
    expect({ status, body }).toEqual({ status: 201, body: { ...terms, token: expect.stringContaining(token_id) } });
    expect(await use(token)).toMatchObject({ status: 200, body: { token_id, ip: home, expires_at } });
    const invitation = { redeemed_at: body.issued_at };
    expect(await get(token_id)).toMatchObject({ state: "active", comment: "billing sync", rate_limit: 60, invitation });
  });

  test("has to ask again after 15 minutes without a decision, with another code", async () => {
    const { token_id, text } = await invite();
    const asked = await redeem(text, away);
    expect(asked).toMatchObject({ status: 202, line: { level: "INFO", confirmation: "requested" } });
    expect((await redeem(text, away)).line).not.toHaveProperty("confirmation");
    expect(await get(token_id)).toMatchObject({ state: "awaiting_confirmation", ip: null });
    pass(15 * minuteMs);
    expect(await get(token_id)).toMatchObject({ state: "invited" });
    expect((await apiErrorOf(confirm(token_id, asked))).code).toBe("request_changed");
    expect((await redeem(text, away)).body.code).not.toBe(asked.body.code);
  });

  test("is refused from too many addresses, which is a sign of a leak, until the day is over", async () => {
    const { text } = await invite();
    for (let n = 0; n < 10; n += 1) expect((await redeem(text, `192.0.2.${n % 2}`)).status).toBe(202);
    const { status, headers, line } = await redeem(text, away);
    const leak = { level: "WARN", leak_signal: expect.any(String) };
    expect({ status, line }).toMatchObject({ status: 429, line: leak });
    expect(Number(headers["Retry-After"])).toBeGreaterThan(23 * 3600);
  });

  test("ends after 24 hours, or when the admin has said, and before its token", async () => {
    const [usual, short] = [await invite({ ip: home }), await invite({ ip: home, valid_seconds: 300 })];
    const message = "The expires_at must be later than the end of the invitation.";
    expect(await apiErrorOf(invite({ expires_at: inMs(hourMs) }))).toMatchObject({ message });
    pass(5 * minuteMs);
    expect(outcomeOf(await redeem(short.text))).toBe("401 invitation_expired");
    pass(dayMs - 6 * minuteMs);
    expect((await redeem(usual.text)).status).toBe(201);
  });
});

interface Change {
  name: string;
  endpoint: Endpoint;
  form?: Record<string, string>;
  credential: () => Promise<{ text: string }>;
  ip: string;
  /** What the client is told once the text is no longer repeated. */
  refusal: string;
}
const changes: Change[] = [
  {
    ...{ name: "redemption", endpoint: redeemInvitation, ip: home, refusal: "401 invitation_used" },
    credential: () => invite({ ip: home }),
  },
  {
    ...{ name: "rotation", endpoint: rotateToken, ip: home, refusal: "401 token_expired" },
    ...{ credential: issue, form: { grace_seconds: "0" } },
  },
  { name: "move", endpoint: moveToken, ip: away, refusal: "401 token_expired", credential: confirmedMove },
];

describe.for(changes)("the text that a client gets by a $name", ({ endpoint, form, credential, ip, refusal }) => {
  test("is the same for calls at the same time", async () => {
    const { text } = await credential();
    captureLog();
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(endpoint, text, ip, form)));
    expect(new Set(responses.map(({ token }) => token)).size).toBe(1);
    expect(responses[0]?.token).toMatch(/^itk_/);
  });

  test("is repeated for 15 minutes, until it is used", async () => {
    const [used, unused] = [await credential(), await credential()];
    const change = ({ text }: { text: string }) => call(endpoint, text, ip, form);
    const texts = [(await change(used)).token, (await change(unused)).token];
    pass(14 * minuteMs);
    expect([(await change(used)).token, (await change(unused)).token]).toEqual(texts);
    expect((await use(texts[0] ?? "", ip)).status).toBe(200);
    expect(outcomeOf(await change(used))).toBe(refusal);
    pass(minuteMs);
    expect(outcomeOf(await change(unused))).toBe(refusal);
  });
});

describe("a client that rotates its token", () => {
  test("cannot get the text of a successor that an admin has made or revoked", async () => {
    const [byAdmin, revoked] = [await issue(), await issue()];
    await act({ action: "rotate", token_id: byAdmin.token_id, grace_seconds: 60 });
    expect(outcomeOf(await rotate(byAdmin.text))).toBe("409 token_already_rotated");
    const { body } = await rotate(revoked.text);
    await act({ action: "revoke", token_id: body.token_id });
    expect(outcomeOf(await rotate(revoked.text))).toBe("401 token_expired");
  });

  test("is refused with a grace that is not a number of seconds", async () => {
    const { text } = await issue();
    const message = "The grace_seconds must be a whole number from 0 to 604800.";
    for (const grace_seconds of ["", "-1", "604801", "1.5", "1e3", "soon"]) {
      const { status, body } = await rotate(text, grace_seconds);
      expect({ status, body }).toEqual({ status: 422, body: { grace_seconds: [message] } });
    }
  });
});

describe("somebody who has a token", () => {
  test.for([
    ["its own address", home, { level: "INFO" }],
    ["any other address, which is a sign of a leak", away, { level: "WARN", leak_signal: expect.any(String) }],
  ] as const)("can end it from %s, and learns nothing", async ([, ip, expected]) => {
    const { token_id, text } = await issue();
    const { status, body, line } = await revoke(text, ip);
    expect({ status, body, line }).toMatchObject({ status: 204, body: {}, line: { ...expected, token_id } });
    expect("leak_signal" in line).toBe("leak_signal" in expected);
    expect(outcomeOf(await use(text))).toBe("401 token_revoked");
    expect(await get(token_id)).toMatchObject({ state: "revoked", revoked_by: `token:${token_id}:${ip}` });
  });

  test("can repeat that, and end a token that has ended, without changing it", async () => {
    const tokens = [await issue(), await issue({ expires_at: inMs(minuteMs) })];
    await revoke(tokens[0]?.text ?? "");
    pass(minuteMs);
    for (const { token_id, text } of tokens) {
      const before = await get(token_id);
      expect((await revoke(text)).status).toBe(204);
      expect(await get(token_id)).toEqual(before);
    }
  });

  test("ends the repetition of its rotation with it, even if the rotation has ended it before", async () => {
    const { text } = await issue();
    const successor = (await rotate(text)).token;
    expect((await revoke(text, away)).status).toBe(204);
    expect(outcomeOf(await rotate(text))).toBe("401 token_revoked");
    expect((await use(successor)).status).toBe(200);
  });
});
