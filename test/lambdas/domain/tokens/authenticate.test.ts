import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { authenticate, authenticateHolder } from "../../../../lambdas/domain/tokens/authenticate.ts";
import { unknownIp } from "../../../../lambdas/domain/tokens/ip-address.ts";
import type { TokenRecord } from "../../../../lambdas/domain/tokens/token-store.ts";
import {
  formatTokenValue,
  generateTokenValue,
  parseTokenValue,
} from "../../../../lambdas/domain/tokens/token-value.ts";
import { ApiError } from "../../../../lambdas/shared/errors/api-error.ts";
import { absentId, hourMs, inMs, newInvitation, newToken } from "../../../kit/support/tokens.ts";
import { anyText } from "../../../support/any-text.ts";
import { apiErrorOf } from "../../support/outcomes.ts";
import { away, elsewhere, home, lookUpIn } from "../../support/stores.ts";

const expired: Partial<TokenRecord> = { expires_at: inMs(-hourMs) };
const revoked: Partial<TokenRecord> = { revoked_at: inMs(-hourMs), revoked_by: "admin" };
const leak = { leak_signal: "right secret, wrong address" };

/** Sends a request with the correct secret of a token with these fields. */
const callWith = async (fields: Partial<TokenRecord> = {}, sourceIp: string | undefined = home) => {
  const { text, record } = newToken(fields);
  const store = lookUpIn(newToken().record, record);
  const caller = await authenticate({ tokenValue: text, sourceIp, requestId: "request" }, store);
  return { caller, record, asked: store.asked };
};
const refusalOf = (...call: Parameters<typeof callWith>) => apiErrorOf(callWith(...call));

describe("a token from its own address", () => {
  test("is admitted with one lookup, which returns the caller and the address", async () => {
    const { caller, record, asked } = await callWith({ expires_at: inMs(hourMs) });
    const author = { by: `token:${record.token_id}`, from: home, requestId: "request" };
    expect(caller).toEqual({ token: record, ip: home, author });
    expect(asked).toEqual([record.token_id]);
  });

  test("is admitted with every notation of the address, and during the grace period of its rotation", async () => {
    const grace = { successor_id: absentId(), expires_at: inMs(hourMs) };
    expect((await callWith({ ip: "2001:db8::7", ...grace }, "2001:DB8:0:0:0:0:0:7")).caller).toMatchObject({
      ip: "2001:db8::7",
    });
  });
});

describe("a value that is not a token", () => {
  const { text, record } = newToken();
  const { token_id, secret } = generateTokenValue();
  const wrongSecret = formatTokenValue({ token_id: record.token_id, secret });
  /** Returns what a client can see of a refusal, its facts for the log, and the preceding lookups. */
  const refusalOfText = async (tokenValue: string | undefined, fields: Partial<TokenRecord> = {}, sourceIp = home) => {
    const { find, asked } = lookUpIn({ ...record, ...fields });
    const error = await apiErrorOf(authenticate({ tokenValue, sourceIp, requestId: "request" }, { find }));
    const { code, status, headers, facts } = error;
    expect({ status, headers }).toEqual({ status: 401, headers: { "WWW-Authenticate": expect.any(String) } });
    return { seen: { code, headers, facts, body: error.toJSON() }, asked };
  };

  test.for([
    ["missing", undefined],
    ["empty", ""],
    ["sent twice", `${text},${text}`],
    ["sent twice, once empty", `,${text}`],
  ] as const)("is missing without a lookup if it is %s", async ([, sent]) => {
    expect(await refusalOfText(sent)).toMatchObject({ seen: { code: "token_missing" }, asked: [] });
  });

  test("is invalid without a lookup if it has the wrong shape or checksum", async () => {
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

  test("is rejected in the same way for a wrong shape, id or secret, whatever the token with this id", async () => {
    const { seen } = await refusalOfText(formatTokenValue({ token_id, secret }));
    expect(seen.code).toBe("token_invalid");
    expect((await refusalOfText(text.slice(1))).seen).toEqual(seen);
    for (const fields of [{}, expired, revoked]) expect((await refusalOfText(wrongSecret, fields)).seen).toEqual(seen);
    expect((await refusalOfText(wrongSecret, {}, away)).seen).toEqual(seen);
  });
});

describe("the correct secret", () => {
  test.for([
    ["expired", expired, "token_expired"],
    ["revoked", revoked, "token_revoked"],
    ["revoked and expired since", { ...expired, ...revoked }, "token_revoked"],
    ["rotated without grace", { expires_at: inMs(0), successor_id: absentId() }, "token_expired"],
  ] as const)(
    "of a token that is %s is rejected, and from elsewhere also counts as a leak",
    async ([, fields, code]) => {
      const error = await refusalOf(fields);
      expect(error).toMatchObject({ code, status: 401, headers: { "WWW-Authenticate": expect.any(String) } });
      expect(error.facts).not.toHaveProperty("leak_signal");
      expect(await refusalOf(fields, away)).toMatchObject({ code, facts: leak });
    },
  );

  test("from another address is rejected with the observed address, never the bound one", async () => {
    const error = await refusalOf({}, away);
    expect(error).toMatchObject({ code: "ip_not_allowed", status: 403, facts: leak });
    expect(error.message).toContain(away);
    expect(error.message).not.toMatch(/\{\w+\}/);
    expect(JSON.stringify([error, error.message, error.headers])).not.toContain(home);
  });

  test.for([undefined, "", "unknown", "198.51.100.7:443", "198.51.100.7, 203.0.113.9", "198.51.100.07"])(
    "is rejected from the unknown source address %j, without counting as a leak",
    async (sourceIp) => {
      const { text, record } = newToken();
      const error = await apiErrorOf(
        authenticate({ tokenValue: text, sourceIp, requestId: "request" }, lookUpIn(record)),
      );
      expect(error).toMatchObject({ code: "ip_not_allowed", status: 403 });
      expect(error.message).toContain("your request came from an unknown address.");
      expect(error.facts).not.toHaveProperty("leak_signal");
    },
  );

  test("does not count as a leak while the record has no address, or if an admin has recognised the address", async () => {
    const dismissed = [elsewhere, away].map((ip) => ({ ip, dismissed_at: inMs(0), dismissed_by: "admin" }));
    const dismissed_addresses = JSON.stringify(dismissed);
    const token_id = expect.any(String);
    expect((await refusalOf({ ip: unknownIp }, away)).facts).toEqual({ token_id });
    const recognised = { token_id, dismissed_address: expect.stringContaining("recognised") };
    expect((await refusalOf({ dismissed_addresses }, away)).facts).toEqual(recognised);
    expect((await refusalOf({ dismissed_addresses }, "203.0.113.10")).facts).toMatchObject(leak);
  });
});

describe("the holder of a credential", () => {
  const token = newToken(expired);
  const invitation = newInvitation();
  const hold = (kind: "token" | "invitation", tokenValue: string, sourceIp = away) =>
    authenticateHolder(kind, { tokenValue, sourceIp, requestId: "request" }, lookUpIn(token.record, invitation.record));

  test.for([
    ["token", token],
    ["invitation", invitation],
  ] as const)("is recognised by the secret of any %s, whatever its state and its address", async ([kind, sent]) => {
    expect(await hold(kind, sent.text)).toEqual({
      token: sent.record,
      ip: away,
      secret: parseTokenValue(sent.text)?.secret,
      author: { by: `token:${sent.record.token_id}`, from: away, requestId: "request" },
    });
  });

  test("is rejected from an unknown address", async () => {
    expect(await apiErrorOf(hold("token", token.text, "unknown"))).toMatchObject({ code: "ip_not_allowed" });
  });

  test.for([
    [
      "token",
      invitation.text,
      "an access token in X-Token, and you sent an invitation: exchange it for a token first, with POST /api/v1/token.",
    ],
    [
      "invitation",
      token.text,
      "an invitation in X-Token, and you sent an access token: only an invitation, which begins with iti_, can be redeemed.",
    ],
  ] as const)(
    "is told that the call needs a %s, and what to do with the credential that was sent",
    async ([kind, sent, message]) => {
      const error = await apiErrorOf(hold(kind, sent));
      expect(error).toMatchObject({ code: "wrong_credential", message: `This call needs ${message}` });
    },
  );

  test("is rejected for unknown invitations and the tokens of unredeemed ones", async () => {
    expect((await apiErrorOf(hold("invitation", newInvitation().text))).code).toBe("token_invalid");
    expect((await refusalOf({ invitation_hash: token.record.secret_hash })).code).toBe("token_invalid");
  });
});

describe("a failing token store admits nobody:", () => {
  const call = (find: () => Promise<TokenRecord>) =>
    authenticate({ tokenValue: newToken().text, sourceIp: home, requestId: "request" }, { find });

  test.for([new ApiError("unavailable"), new Error("broken"), "no error at all"])("%s", async (failure) => {
    await expect(call(() => Promise.reject(failure))).rejects.toBe(failure);
  });

  test("the record of another token", async () => {
    expect((await apiErrorOf(call(async () => newToken().record))).code).toBe("token_invalid");
  });
});
