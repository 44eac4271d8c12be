import { beforeAll, expect, test } from "vitest";
import { formatTokenText, generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { type Answer, type CallOptions, sharedService, type TestService } from "../support/service.ts";

/* How the running service recognises a caller. Each refusal is tested in test/lambdas/resources/tokens/authenticate.test.ts. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const whoAmI = (options: CallOptions): Promise<Answer> => service.call("GET", "/api/v1/token", options);
const idOf = (token: string): string => token.split("_")[1] ?? "";
const outcomeOf = ({ status, json }: Answer) => [status, Object(json()).code];

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

test("a 401 names the header, and is the same for a token that is mistyped and for one that does not exist", async () => {
  const token = await service.issueToken();
  const forged = formatTokenText({ ...generateTokenText(), token_id: idOf(token) });
  const mistyped = token.replace(/_(.)([^_]*)$/, (_, first, rest) => `_${first === "a" ? "b" : "a"}${rest}`);
  const answers = await Promise.all([mistyped, forged].map((text) => whoAmI({ token: text })));
  for (const answer of answers) {
    expect(outcomeOf(answer)).toEqual([401, "token_invalid"]);
    expect(answer.headers["www-authenticate"]).toMatch(/^X-Token /);
  }
  expect(answers[0]?.text).toBe(answers[1]?.text);
});

test("a header that is sent twice is no token, even with the same token", async () => {
  const token = await service.issueToken();
  const answer = await whoAmI({ token: null, headers: { "x-token": [token, token] } });
  expect(outcomeOf(answer)).toEqual([401, "token_missing"]);
});

test("a token is refused from the very next request after its revocation", async () => {
  const token = await service.issueToken();
  expect((await whoAmI({ token })).status).toBe(200);
  await service.admin({ action: "revoke", token_id: idOf(token) });
  expect(outcomeOf(await whoAmI({ token }))).toEqual([401, "token_revoked"]);
});

test.each([
  ["no header", {}],
  ["X-Forwarded-For", { "x-forwarded-for": "127.0.0.2" }],
  ["Forwarded", { forwarded: "for=127.0.0.2" }],
  ["X-Real-IP", { "x-real-ip": "127.0.0.2" }],
  ["True-Client-IP", { "true-client-ip": "127.0.0.2" }],
])("the address of a caller is that of its connection, whatever it sends: %s", async (_, headers) => {
  const token = await service.issueToken("127.0.0.2");
  expect((await whoAmI({ token, from: "127.0.0.2" })).json()).toMatchObject({ seen_ip: "127.0.0.2" });

  const refused = await whoAmI({ token, from: "127.0.0.3", headers });
  expect(outcomeOf(refused)).toEqual([403, "ip_not_allowed"]);
  expect(refused.text).toContain("127.0.0.3");
  expect(refused.text).not.toContain("127.0.0.2");
  const ofToken = service.logged().split("\n");
  expect(ofToken.findLast((line) => line.includes(idOf(token)))).toMatch(
    /"level":"WARN".*"source_ip":"127\.0\.0\.3".*"code":"ip_not_allowed".*"leak_signal"/,
  );
});

test("the first use of a token is recorded at once, and nothing else of it changes", async () => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", comment: "billing sync" });
  const record = () => service.admin({ action: "get", token_id });
  const use = async (path: string, from = "127.0.0.1") =>
    (await service.call("GET", path, { token: String(token), from })).status;
  const before = await record();
  expect(before).toMatchObject({ last_used_at: null });
  expect(await use("/api/v1/token", "127.0.0.2")).toBe(403);
  expect(await record()).toEqual(before);

  expect(await use("/api/v1/key?limit=0")).toBe(422);
  const after = await record();
  expect(after).toEqual({ ...before, last_used_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) });
  expect(await use("/api/v1/token")).toBe(200);
  expect(await record()).toEqual(after);
});

test("no token, no secret and no v_code appears in the log", async () => {
  const token = await service.issueToken();
  await whoAmI({ token });
  await whoAmI({ token: token.slice(0, -1) });
  await service.admin({ action: "rotate", token_id: idOf(token), grace_seconds: 60 });
  await expect(service.admin({ action: "revoke", token_id: token })).rejects.toMatchObject({
    errorType: "validation_failed",
  });
  for (const v_code of ["hush".padEnd(64, "s"), "hush, too short"]) {
    await service.call("POST", "/api/v1/key", { token, form: { key_id: "logged", v_code } });
  }

  expect(service.logged()).toContain(idOf(token));
  expect(service.logged()).not.toMatch(/itk_|hush/);
  expect(service.logged()).not.toContain(token.slice(-49, -6));
});
