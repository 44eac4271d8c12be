import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../../lambdas/errors/api-error.ts";
import { authenticate, authenticateHolder } from "../../../../lambdas/resources/tokens/authenticate.ts";
import { unknownIp } from "../../../../lambdas/resources/tokens/ip-address.ts";
import type { TokenRecord } from "../../../../lambdas/resources/tokens/token-store.ts";
import { formatTokenText, generateTokenText, parseTokenText } from "../../../../lambdas/resources/tokens/token-text.ts";
import { absentId, hourMs, inMs, newInvitation, newToken } from "../../../../tools/support/tokens.ts";
import { anyText } from "../../../support/any-text.ts";
import { lookUpIn } from "../../support/look-up.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const bound = "198.51.100.7";
const elsewhere = "203.0.113.9";
const expired: Partial<TokenRecord> = { expires_at: inMs(-hourMs) };
const revoked: Partial<TokenRecord> = { revoked_at: inMs(-hourMs), revoked_by: "invoke:revoke-1" };
const leak = { leak_signal: "right secret, wrong address" };

/** The outcome of a request with the correct secret of a token with these fields. */
const refusalOf = (fields: Partial<TokenRecord>, sourceIp: string | undefined) => {
  const { text, record } = newToken({ ip: bound, ...fields });
  return apiErrorOf(authenticate({ tokenText: text, sourceIp, requestId: "request" }, lookUpIn(record)));
};

describe("a token from its own address", () => {
  test("is admitted, and the caller and its address are returned", async () => {
    const { text, record } = newToken({ ip: bound, expires_at: inMs(hourMs) });
    const caller = await authenticate(
      { tokenText: text, sourceIp: bound, requestId: "request" },
      lookUpIn(newToken().record, record),
    );
    const author = { by: `token:${record.token_id}`, from: bound, requestId: "request" };
    expect(caller).toEqual({ token: record, ip: bound, author });
  });

  test.for([
    ["2001:DB8:0:0:0:0:0:7", "2001:db8::7"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
  ] as const)("is admitted in every notation of the address: %s", async ([sourceIp, ip]) => {
    const { text, record } = newToken({ ip });
    await expect(
      authenticate({ tokenText: text, sourceIp, requestId: "request" }, lookUpIn(record)),
    ).resolves.toMatchObject({ ip });
  });

  test("is admitted during the grace of its rotation", async () => {
    const { text, record } = newToken({ ip: bound, successor_id: absentId(), expires_at: inMs(hourMs) });
    await expect(
      authenticate({ tokenText: text, sourceIp: bound, requestId: "request" }, lookUpIn(record)),
    ).resolves.toBeDefined();
  });

  test("takes one look-up", async () => {
    const { text, record } = newToken({ ip: bound });
    const store = lookUpIn(record);
    await authenticate({ tokenText: text, sourceIp: bound, requestId: "request" }, store);
    expect(store.asked).toEqual([record.token_id]);
  });
});

describe("without any look-up", () => {
  const { text, record } = newToken({ ip: bound });
  const codeWithoutLookUp = async (tokenText: string | undefined) => {
    const store = lookUpIn(record);
    const { code, status, headers } = await apiErrorOf(
      authenticate({ tokenText, sourceIp: bound, requestId: "request" }, store),
    );
    expect(store.asked).toEqual([]);
    expect(status).toBe(401);
    expect(headers).toHaveProperty("WWW-Authenticate");
    return code;
  };

  test.for([
    ["missing", undefined],
    ["empty", ""],
    ["sent twice", `${text},${text}`],
    ["sent twice, once empty", `,${text}`],
  ] as const)("a token that is %s is missing", async ([, sent]) => {
    expect(await codeWithoutLookUp(sent)).toBe("token_missing");
  });

  test("a token with the wrong shape or checksum is invalid", async () => {
    const wrong = fc.oneof(
      anyText({ minLength: 1 }),
      fc.nat({ max: text.length - 1 }).map((place) => text.slice(0, place) + text.slice(place + 1)),
      fc.constantFrom(` ${text}`, `Bearer ${text}`, text.toLowerCase(), `${text}\n`, "null", "undefined"),
    );
    await fc.assert(
      fc.asyncProperty(
        wrong.filter((sent) => !sent.includes(",")),
        async (sent) => {
          expect(await codeWithoutLookUp(sent)).toBe("token_invalid");
        },
      ),
    );
  });
});

describe("a token that was never issued", () => {
  const { text, record } = newToken({ ip: bound });
  const { token_id, secret } = generateTokenText();
  const unknownId = formatTokenText({ token_id, secret });
  const wrongSecret = formatTokenText({ token_id: record.token_id, secret });
  const answerTo = async (tokenText: string, sourceIp = bound, fields: Partial<TokenRecord> = {}) => {
    const error = await apiErrorOf(
      authenticate({ tokenText, sourceIp, requestId: "request" }, lookUpIn({ ...record, ...fields })),
    );
    return { code: error.code, status: error.status, headers: error.headers, body: error.toJSON(), facts: error.facts };
  };

  test("is refused in the same way for its shape, its id or its secret", async () => {
    const answer = await answerTo(unknownId);
    expect(answer).toMatchObject({ code: "token_invalid", status: 401 });
    expect(await answerTo(wrongSecret)).toEqual(answer);
    expect(await answerTo(text.slice(1))).toEqual(answer);
  });

  test("reveals neither the state nor the address of the token whose id it has", async () => {
    const answer = await answerTo(unknownId);
    expect(await answerTo(wrongSecret, bound, expired)).toEqual(answer);
    expect(await answerTo(wrongSecret, bound, revoked)).toEqual(answer);
    expect(await answerTo(wrongSecret, elsewhere)).toEqual(answer);
  });
});

describe("the correct secret", () => {
  test.for([
    ["expired", expired, "token_expired"],
    ["revoked", revoked, "token_revoked"],
    ["revoked and expired since", { ...expired, ...revoked }, "token_revoked"],
    ["rotated without grace", { expires_at: inMs(0), successor_id: absentId() }, "token_expired"],
  ] as const)("of a token that is %s is refused", async ([, fields, code]) => {
    const error = await refusalOf(fields, bound);
    expect(error).toMatchObject({ code, status: 401 });
    expect(error.headers).toHaveProperty("WWW-Authenticate");
    expect(error.facts).not.toHaveProperty("leak_signal");
  });

  test("from another address is refused with the observed address, never the bound one", async () => {
    const error = await refusalOf({}, elsewhere);
    expect(error).toMatchObject({ code: "ip_not_allowed", status: 403, facts: leak });
    expect(error.message).toContain(elsewhere);
    expect(error.message).not.toMatch(/\{\w+\}/);
    expect(JSON.stringify([error, error.message, error.headers])).not.toContain(bound);
  });

  test("of an ended token from another address is reported as ended, and still counts as a leak", async () => {
    expect(await refusalOf(expired, elsewhere)).toMatchObject({ code: "token_expired", facts: leak });
    expect(await refusalOf(revoked, elsewhere)).toMatchObject({ code: "token_revoked", facts: leak });
  });

  test("does not admit an address that merely begins or ends like the bound one", async () => {
    for (const near of [`${bound}0`, `1${bound}`, "198.51.100.70", "::198.51.100.7", "198.51.100.7.1"]) {
      expect(await refusalOf({}, near), near).toMatchObject({ code: "ip_not_allowed" });
    }
  });

  test.for([undefined, "", "unknown", "198.51.100.7:443", "198.51.100.7, 203.0.113.9", "198.51.100.07"])(
    "is refused from an invalid source address: %j",
    async (sourceIp) => {
      const error = await refusalOf({}, sourceIp);
      expect(error).toMatchObject({ code: "ip_not_allowed", status: 403 });
      expect(error.message).toContain("your request came from an unknown address.");
      expect(error.facts).not.toHaveProperty("leak_signal");
    },
  );
});

describe("the address from which a correct secret came", () => {
  test("is not a sign of a leak while the record has no address, or if an admin has recognised it", async () => {
    const dismissed = [
      { ip: "192.0.2.1", dismissed_at: inMs(0), dismissed_by: "admin" },
      { ip: elsewhere, dismissed_at: inMs(0), dismissed_by: "admin" },
    ];
    const dismissed_addresses = JSON.stringify(dismissed);

    expect((await refusalOf({ ip: unknownIp }, elsewhere)).facts).toEqual({ token_id: expect.any(String) });
    expect((await refusalOf({ dismissed_addresses }, elsewhere)).facts).toEqual({
      token_id: expect.any(String),
      dismissed_address: expect.stringContaining("recognised"),
    });
    expect((await refusalOf({ dismissed_addresses }, "203.0.113.10")).facts).toMatchObject(leak);
  });
});

describe("the holder of a credential", () => {
  const { text, record } = newToken({ ip: bound, ...expired });
  const invitation = newInvitation();
  const hold = (kind: "token" | "invitation", tokenText: string, sourceIp: string | undefined = elsewhere) =>
    authenticateHolder(kind, { tokenText, sourceIp, requestId: "request" }, lookUpIn(record, invitation.record));

  test.for([
    ["token", text, record],
    ["invitation", invitation.text, invitation.record],
  ] as const)("is known by the secret of any %s, whatever its state and its address", async ([kind, sent, token]) => {
    expect(await hold(kind, sent)).toEqual({
      token,
      ip: elsewhere,
      secret: parseTokenText(sent)?.secret,
      author: { by: `token:${token.token_id}`, from: elsewhere, requestId: "request" },
    });
  });

  test("is refused from an unknown address", async () => {
    expect(await apiErrorOf(hold("token", text, "unknown"))).toMatchObject({ code: "ip_not_allowed" });
  });

  test("is told which credential is needed, and what to do with the one that was sent", async () => {
    expect(await apiErrorOf(hold("token", invitation.text))).toMatchObject({
      code: "wrong_credential",
      message:
        "This call needs an access token in X-Token, and you sent an invitation: exchange it for a token first, with POST /api/v1/token.",
    });
    expect(await apiErrorOf(hold("invitation", text))).toMatchObject({
      code: "wrong_credential",
      message:
        "This call needs an invitation in X-Token, and you sent an access token: only an invitation, which begins with iti_, can be redeemed.",
    });
  });

  test("is not known by an invitation that does not exist, nor by the token of one that was not redeemed", async () => {
    expect((await apiErrorOf(hold("invitation", newInvitation().text))).code).toBe("token_invalid");
    expect((await refusalOf({ invitation_hash: record.secret_hash }, bound)).code).toBe("token_invalid");
  });
});

describe("a token store that fails", () => {
  test.for([new ApiError("unavailable"), new Error("broken"), "no error at all"])(
    "admits nobody: %s",
    async (failure) => {
      const { text } = newToken({ ip: bound });
      const find = () => Promise.reject(failure);
      await expect(authenticate({ tokenText: text, sourceIp: bound, requestId: "request" }, { find })).rejects.toBe(
        failure,
      );
    },
  );

  test("admits nobody by returning the record of another token", async () => {
    const { text } = newToken({ ip: bound });
    const other = newToken({ ip: bound }).record;
    const answer = authenticate(
      { tokenText: text, sourceIp: bound, requestId: "request" },
      { find: async () => other },
    );
    expect((await apiErrorOf(answer)).code).toBe("token_invalid");
    expect(parseTokenText(text)?.token_id).not.toBe(other.token_id);
  });
});
