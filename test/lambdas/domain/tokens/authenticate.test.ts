import fc from "fast-check";
import { expect, test } from "vitest";
import { authenticate, authenticateHolder } from "../../../../lambdas/domain/tokens/authenticate.ts";
import { unknownIp } from "../../../../lambdas/domain/tokens/ip-address.ts";
import type { TokenRecord } from "../../../../lambdas/domain/tokens/token-store.ts";
import {
  formatTokenValue,
  generateTokenValue,
  parseTokenValue,
} from "../../../../lambdas/domain/tokens/token-value.ts";
import { ApiError } from "../../../../lambdas/shared/errors/api-error.ts";
import { anyText } from "../../../kit/support/any-text.ts";
import { absentId, hourMs, inMs, newInvitation, newToken } from "../../../kit/support/tokens.ts";
import { apiErrorOf } from "../../support/outcomes.ts";
import { away, elsewhere, home, lookUpIn } from "../../support/stores.ts";

const expired: Partial<TokenRecord> = { expires_at: inMs(-hourMs) };
const revoked: Partial<TokenRecord> = { revoked_at: inMs(-hourMs), revoked_by: "admin" };
const leak = { leak_signal: "right secret, wrong address" };

/** Sends the correct secret of a token with these fields. */
const callWith = async (fields: Partial<TokenRecord> = {}, sourceIp: string | undefined = home) => {
  const { text, record } = newToken(fields);
  const store = lookUpIn(newToken().record, record);
  const caller = await authenticate({ tokenValue: text, sourceIp, requestId: "request" }, store);
  return { caller, record, asked: store.asked };
};
const refusalOf = (...call: Parameters<typeof callWith>) => apiErrorOf(callWith(...call));

test("admits a token from its own address with one lookup", async () => {
  const { caller, record, asked } = await callWith({ expires_at: inMs(hourMs), client: "ACME" });
  const author = { by: `token:${record.token_id}`, from: home, requestId: "request" };
  expect(caller).toEqual({ token: record, client: "ACME", ip: home, author });
  expect(asked).toEqual([record.token_id]);
});

test("admits a token from every notation of its address and during the rotation's grace period", async () => {
  const grace = { successor_id: absentId(), expires_at: inMs(hourMs) };
  const { caller } = await callWith({ ip: "2001:db8::7", ...grace }, "2001:DB8:0:0:0:0:0:7");
  expect(caller.ip).toBe("2001:db8::7");
});

const { text, record } = newToken();
const { token_id, secret } = generateTokenValue();
const wrongSecret = formatTokenValue({ token_id: record.token_id, secret });

/** Returns what a client sees of a refusal, its facts for the log, and the preceding lookups. */
const refusalOfText = async (tokenValue: string | undefined, fields: Partial<TokenRecord> = {}, sourceIp = home) => {
  const { find, asked } = lookUpIn({ ...record, ...fields });
  const error = await apiErrorOf(authenticate({ tokenValue, sourceIp, requestId: "request" }, { find }));
  const { code, status, headers, facts } = error;
  expect({ status, headers }).toEqual({ status: 401, headers: {} });
  return { seen: { code, headers, facts, message: error.message }, asked };
};

test.for([
  ["missing", undefined],
  ["empty", ""],
  ["sent twice", `${text},${text}`],
  ["sent twice, once empty", `,${text}`],
] as const)("reports a missing token without a lookup if X-Token is %s", async ([, sent]) => {
  expect(await refusalOfText(sent)).toMatchObject({ seen: { code: "token_missing" }, asked: [] });
});

test("reports an invalid token without a lookup if its shape or checksum is wrong", async () => {
  const wrong = fc.oneof(
    anyText({ minLength: 1 }),
    fc.nat({ max: text.length - 1 }).map((place) => text.slice(0, place) + text.slice(place + 1)),
    fc.constantFrom(` ${text}`, `Bearer ${text}`, text.toLowerCase(), `${text}\n`, "null", "undefined"),
  );
  const single = wrong.filter((sent) => !sent.includes(","));
  await fc.assert(
    fc.asyncProperty(single, async (sent) => {
      expect(await refusalOfText(sent)).toMatchObject({ seen: { code: "token_invalid" }, asked: [] });
    }),
  );
});

test("a wrong shape, an unknown id and a wrong secret get the same response, whatever token has that id", async () => {
  const { seen } = await refusalOfText(formatTokenValue({ token_id, secret }));
  expect(seen.code).toBe("token_invalid");
  expect((await refusalOfText(text.slice(1))).seen).toEqual(seen);
  for (const fields of [{}, expired, revoked]) expect((await refusalOfText(wrongSecret, fields)).seen).toEqual(seen);
  expect((await refusalOfText(wrongSecret, {}, away)).seen).toEqual(seen);
});

test.for([
  ["expired", expired, "token_expired"],
  ["revoked", revoked, "token_revoked"],
  ["revoked and expired since", { ...expired, ...revoked }, "token_revoked"],
  ["rotated without grace", { expires_at: inMs(0), successor_id: absentId() }, "token_expired"],
] as const)("rejects a token that is %s, and reports a leak if it came from elsewhere", async ([, fields, code]) => {
  const error = await refusalOf(fields);
  expect(error).toMatchObject({ code, status: 401 });
  expect(error.facts).not.toHaveProperty("leak_signal");
  expect(await refusalOf(fields, away)).toMatchObject({ code, facts: leak });
});

test("rejects a token from another address without naming the address that it is bound to", async () => {
  const error = await refusalOf({}, away);
  expect(error).toMatchObject({ code: "ip_not_allowed", status: 403, facts: leak });
  expect(error.message).toContain(away);
  expect(error.message).not.toMatch(/\{\w+\}/);
  expect(JSON.stringify([error, error.message, error.headers])).not.toContain(home);
});

test.for([`${home}7`, home.slice(0, -1) + 8])(
  "rejects a token from %s, which only looks like its address",
  async (ip) => {
    expect(await refusalOf({}, ip)).toMatchObject({ code: "ip_not_allowed", facts: leak });
  },
);

test.for([undefined, "", "unknown", "198.51.100.7:443", "198.51.100.7, 203.0.113.9", "198.51.100.07"])(
  "rejects a token from the unknown source address %j without reporting a leak",
  async (sourceIp) => {
    const { find } = lookUpIn(record);
    const error = await apiErrorOf(authenticate({ tokenValue: text, sourceIp, requestId: "request" }, { find }));
    expect(error).toMatchObject({ code: "ip_not_allowed", status: 403 });
    expect(error.message).toContain("your request came from an unknown address.");
    expect(error.facts).not.toHaveProperty("leak_signal");
  },
);

test("reports no leak if the record has no address yet, or if an admin has dismissed the caller's address", async () => {
  const dismissed = [elsewhere, away].map((ip) => ({ ip, dismissed_at: inMs(0), dismissed_by: "admin" }));
  const dismissed_addresses = JSON.stringify(dismissed);
  const token_id = expect.any(String);
  expect((await refusalOf({ ip: unknownIp }, away)).facts).toEqual({ token_id });
  const recognised = { token_id, dismissed_address: expect.stringContaining("recognised") };
  expect((await refusalOf({ dismissed_addresses }, away)).facts).toEqual(recognised);
  expect((await refusalOf({ dismissed_addresses }, "203.0.113.10")).facts).toMatchObject(leak);
});

const token = newToken(expired);
const invitation = newInvitation();
/** Identifies a caller by a secret alone. */
const hold = (kind: "token" | "invitation", tokenValue: string, sourceIp = away) =>
  authenticateHolder(kind, { tokenValue, sourceIp, requestId: "request" }, lookUpIn(token.record, invitation.record));

test.for([
  ["token", token],
  ["invitation", invitation],
] as const)("recognises the holder of a %s by its secret, in any state and at any address", async ([kind, sent]) => {
  expect(await hold(kind, sent.text)).toEqual({
    token: sent.record,
    ip: away,
    secret: parseTokenValue(sent.text)?.secret,
    author: { by: `token:${sent.record.token_id}`, from: away, requestId: "request" },
  });
});

test("rejects the holder of a token from an unknown address", async () => {
  expect(await apiErrorOf(hold("token", token.text, "unknown"))).toMatchObject({ code: "ip_not_allowed" });
});

test.for([
  ["token", invitation.text, "an invitation: exchange it for a token first, with POST /api/v1/token."],
  ["invitation", token.text, "an access token: only an invitation, which begins with iti_, can be redeemed."],
] as const)("explains which credential a call needs if another one was sent: %s", async ([kind, sent, end]) => {
  const { code, message } = await apiErrorOf(hold(kind, sent));
  const needed = kind === "token" ? "an access token" : "an invitation";
  expect({ code, message }).toEqual({
    code: "wrong_credential",
    message: `This call needs ${needed} in X-Token, and you sent ${end}`,
  });
});

test("rejects unknown invitations, and tokens of invitations that were not redeemed", async () => {
  expect((await apiErrorOf(hold("invitation", newInvitation().text))).code).toBe("token_invalid");
  expect((await refusalOf({ invitation_hash: token.record.secret_hash })).code).toBe("token_invalid");
});

test.for([new ApiError("unavailable"), new Error("broken"), "no error at all"])(
  "rejects every token if the lookup fails: %s",
  async (failure) => {
    const sent = { tokenValue: newToken().text, sourceIp: home, requestId: "request" };
    await expect(authenticate(sent, { find: () => Promise.reject(failure) })).rejects.toBe(failure);
  },
);

test("rejects the token if the lookup returns another token", async () => {
  const sent = { tokenValue: newToken().text, sourceIp: home, requestId: "request" };
  expect((await apiErrorOf(authenticate(sent, { find: async () => record }))).code).toBe("token_invalid");
});
