import { describe, expect, test } from "vitest";
import * as actions from "../../../../lambdas/admin/actions.ts";
import { hashSecret, parseTokenText } from "../../../../lambdas/resources/tokens/token-text.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const admin = useAdmin();
const issue = (fields: object) => admin.act({ action: "issue", ip: "198.51.100.7", ...fields });
const refusalOf = async (payload: unknown) => {
  const { code, message } = await apiErrorOf(admin.invoke(payload));
  expect(code).toBe("validation_failed");
  return message;
};

describe("a token that is issued", () => {
  test("is active, has the address and its issuer, and by default no comment and no expiry", async () => {
    const answer = await admin.act({ action: "issue", ip: "198.51.100.7" }, "invocation-7");
    expect(answer).toEqual({
      token_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      token: expect.stringMatching(/^itk_/),
      ip: "198.51.100.7",
      comment: "",
      state: "active",
      issued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      issued_by: "invoke:invocation-7",
      last_used_at: null,
      expires_at: null,
      rate_limit: null,
      updated_at: null,
      updated_by: null,
      dismissed_addresses: [],
      invitation: null,
      request: null,
      predecessor_id: null,
      rotated_at: null,
      rotated_by: null,
      successor_id: null,
      revoked_at: null,
      revoked_by: null,
    });
  });

  test("is stored with a hash of its secret, and the secret is stored nowhere", async () => {
    const { token_id, token = "" } = await issue({ comment: "billing sync" });
    const text = parseTokenText(token);
    const record = await admin.store().find(token_id);
    expect(text?.token_id).toBe(token_id);
    expect(record?.secret_hash).toBe(hashSecret(text?.secret ?? ""));
    expect(JSON.stringify(record)).not.toContain(text?.secret);
  });

  test.for([
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["2001:DB8:0:0::0:7", "2001:db8::7"],
  ] as const)("is bound to the canonical form of the address: %s", async ([ip, canonical]) => {
    const { token_id } = await issue({ ip });
    expect(await admin.store().find(token_id)).toMatchObject({ ip: canonical });
  });

  test.for([1, 100_000, null])("has the given limit: %s", async (rate_limit) => {
    const answer = await issue({ rate_limit });
    expect(answer).toMatchObject({ rate_limit });
    expect((await admin.store().find(answer.token_id))?.rate_limit ?? null).toBe(rate_limit);
  });

  test.for([
    ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"],
    ["2099-01-01T00:00:00.5+02:00", "2098-12-31T22:00:00.500Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
    [null, null],
  ] as const)("expires at the given time, stored in UTC with milliseconds: %s", async ([expires_at, stored]) => {
    expect(await issue({ expires_at })).toMatchObject({ expires_at: stored, state: "active" });
  });

  test("may have the same address as another token", async () => {
    const [one, other] = await Promise.all([issue({}), issue({})]);
    expect(one.token_id).not.toBe(other.token_id);
  });
});

describe("a token is not issued", () => {
  test.for([
    [{ ip: "example.com" }, "The ip must be an IPv4 or IPv6 address, not a host name or anything else."],
    [{ ip: "10.0.0.0/8" }, "The ip must be one address, not a CIDR range."],
    [{ ip: 7 }, "The ip must be a string."],
    [{ ip: undefined }, "The ip field is required."],
    [{ comment: "a\nb" }, "The comment must not contain control characters."],
    [{ comment: "c".repeat(256) }, "The comment must be 0 to 255 characters."],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "The expires_at must be in the future."],
    [{ expires_at: "tomorrow" }, "The expires_at must be a time such as 2027-01-01T00:00:00Z."],
    [{ expires_at: "2099-02-30T00:00:00Z" }, "The expires_at must be a time such as 2027-01-01T00:00:00Z."],
    [{ expires_at: 4_070_908_800 }, "The expires_at must be a time such as 2027-01-01T00:00:00Z."],
    [{ expire_at: "2099-01-01T00:00:00Z" }, "The expire_at field is not known."],
  ] as const)("with invalid fields: %j", async ([fields, message]) => {
    expect(await refusalOf({ action: "issue", ip: "198.51.100.7", ...fields })).toBe(message);
  });

  test("and all invalid fields are reported at once", async () => {
    const message = await refusalOf({ action: "issue", ip: "::", expires_at: "2020-01-01T00:00:00Z", more: 1 });
    expect(message).toContain("The ip must not be an unspecified address: no client calls from it.");
    expect(message).toContain("The expires_at must be in the future.");
    expect(message).toContain("The more field is not known.");
  });

  test.for<[unknown]>([
    [undefined],
    [null],
    ["delete"],
    ["toString"],
    ["__proto__"],
    [7],
    [{}],
    [{ toString: 1 }],
    [["issue"]],
  ])("by the action %j", async ([action]) => {
    const names = Object.keys(actions).toSorted().join(", ");
    expect(await refusalOf({ action })).toBe(`The action must be one of ${names}.`);
  });
});
