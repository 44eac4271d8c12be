import { beforeAll, describe, expect, test } from "vitest";
import { formatTokenText, generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { hourMs, inMs, newToken } from "../../tools/support/tokens.ts";
import { type Answer, sharedService, startService, type TestService } from "../support/service.ts";
import { tablesOf } from "../support/tables.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const whoAmI = (options: Parameters<TestService["call"]>[2]): Promise<Answer> =>
  service.call("GET", "/api/v1/token", options);

const expectRefusal = (answer: Answer, status: number, code: string) => {
  expect(answer.status).toBe(status);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.json()).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/) });
  if (status === 401) expect(answer.headers["www-authenticate"]).toMatch(/^X-Token /);
};

const idOf = (token: string): string => token.split("_")[1] ?? "";

/** The same token with one character of its secret changed, like a typing error. */
const mistyped = (token: string): string =>
  token.replace(/_(.)([^_]*)$/, (_, first, rest) => `_${first === "a" ? "b" : "a"}${rest}`);

/** The id of a token with another secret and the correct checksum. */
const forged = (token: string): string => formatTokenText({ ...generateTokenText(), token_id: idOf(token) });

describe("a request without a usable token", () => {
  test("is refused when the header is missing", async () => {
    expectRefusal(await whoAmI({ token: null }), 401, "token_missing");
  });

  test("is refused when the header is sent twice, even with the same token", async () => {
    const token = await service.issueToken();
    expectRefusal(await whoAmI({ token: null, headers: { "x-token": [token, token] } }), 401, "token_missing");
  });

  test("is refused when the token has the wrong shape", async () => {
    expectRefusal(await whoAmI({ token: "itk_nonsense" }), 401, "token_invalid");
  });

  test("is refused in the same way for a mistyped token, an unknown one and a wrong secret", async () => {
    const token = await service.issueToken();
    const other = await startService();
    const unknown = await other.issueToken();
    await other.close();

    const answers = [
      await whoAmI({ token: "itk_x" }),
      await whoAmI({ token: mistyped(token) }),
      await whoAmI({ token: forged(token) }),
      await whoAmI({ token: unknown }),
    ];

    for (const answer of answers) expectRefusal(answer, 401, "token_invalid");
    const bodies = new Set(answers.map(({ text }) => text));
    expect(bodies.size).toBe(1);
  });
});

describe("a token that has ended", () => {
  test("is refused from the very next request after its revocation", async () => {
    const token = await service.issueToken();
    expect((await whoAmI({ token })).status).toBe(200);

    await service.admin({ action: "revoke", token_id: idOf(token) });

    expectRefusal(await whoAmI({ token }), 401, "token_revoked");
  });

  test("is refused as expired although its record still exists", async () => {
    const tables = tablesOf(service);
    const { text: token, record } = newToken({ ip: "127.0.0.1", expires_at: inMs(hourMs) });
    await tables.put("tokens", record);
    expect((await whoAmI({ token })).status).toBe(200);

    await tables.put("tokens", { ...record, expires_at: inMs(-1) });

    expectRefusal(await whoAmI({ token }), 401, "token_expired");
  });

  test("is refused as expired immediately after a rotation without a grace period, unlike its successor", async () => {
    const token = await service.issueToken();
    const { token: successor } = await service.admin({ action: "rotate", token_id: idOf(token), grace_seconds: 0 });

    expectRefusal(await whoAmI({ token }), 401, "token_expired");
    expect((await whoAmI({ token: String(successor) })).status).toBe(200);
  });
});

describe("a token from another address", () => {
  test("is refused with the observed address, never the bound one", async () => {
    const token = await service.issueToken("127.0.0.2");
    const answer = await whoAmI({ token, from: "127.0.0.3" });

    expectRefusal(answer, 403, "ip_not_allowed");
    expect(answer.text).toContain("127.0.0.3");
    expect(answer.text).not.toContain("127.0.0.2");
  });

  test("is admitted from its own address", async () => {
    const token = await service.issueToken("127.0.0.2");
    const answer = await whoAmI({ token, from: "127.0.0.2" });

    expect(answer.json()).toMatchObject({ token_id: idOf(token), ip: "127.0.0.2", seen_ip: "127.0.0.2" });
  });

  test.each(["X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP"])(
    "is refused despite %s",
    async (header) => {
      const token = await service.issueToken("127.0.0.2");
      const value = header === "Forwarded" ? "for=127.0.0.2" : "127.0.0.2";

      expectRefusal(await whoAmI({ token, from: "127.0.0.3", headers: { [header]: value } }), 403, "ip_not_allowed");
    },
  );

  test("causes a warning in the log that it may have leaked", async () => {
    const token = await service.issueToken("127.0.0.2");
    await whoAmI({ token, from: "127.0.0.3" });

    const line = service
      .logged()
      .split("\n")
      .findLast((text) => text.includes(idOf(token)) && text.includes("leak_signal"));
    expect(line).toMatch(/"level":"WARN".*"source_ip":"127\.0\.0\.3".*"code":"ip_not_allowed"/);
  });
});

describe("one address", () => {
  test("may hold several tokens", async () => {
    const tokens = [await service.issueToken(), await service.issueToken()];
    for (const token of tokens) expect((await whoAmI({ token })).status).toBe(200);
  });
});

test("GET /token returns the caller's token and address", async () => {
  const expires_at = "2999-01-01T00:00:00.000Z";
  const token = await service.issueToken("::ffff:127.0.0.1", { expires_at });

  expect((await whoAmI({ token })).json()).toEqual({
    token_id: idOf(token),
    ip: "127.0.0.1",
    seen_ip: "127.0.0.1",
    issued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    expires_at,
    expiring: null,
  });
});

test("no token and no secret appears in the log", async () => {
  const token = await service.issueToken();
  await whoAmI({ token });
  await whoAmI({ token: mistyped(token) });
  await service.admin({ action: "rotate", token_id: idOf(token), grace_seconds: 60 });

  expect(service.logged()).toContain(idOf(token));
  expect(service.logged()).not.toMatch(/itk_/);
  expect(service.logged()).not.toContain(token.slice(-49, -6));
});
