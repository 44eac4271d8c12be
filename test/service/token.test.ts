import { beforeAll, expect, test } from "vitest";
import { type Answer, type CallOptions, sharedService, type TestService } from "../support/service.ts";

/* Tests how the running service identifies a caller. test/lambdas/domain/tokens/authenticate.test.ts tests each refusal. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const whoAmI = (options: CallOptions): Promise<Answer> => service.call("GET", "/api/v1/token", options);
const idOf = (token: string): string => token.split("_")[1] ?? "";
const outcomeOf = ({ status, json }: Answer) => [status, Object(json()).code];

test("uses the connection's address, whatever the caller sends, and logs a wrong address as a leak", async () => {
  const ip = "127.0.0.2";
  const token = await service.issueToken(ip);
  const headers = { "x-forwarded-for": ip, forwarded: `for=${ip}`, "x-real-ip": ip, "true-client-ip": ip };
  expect((await whoAmI({ token, from: ip })).json()).toMatchObject({ seen_ip: ip });

  const refused = await whoAmI({ token, from: "127.0.0.3", headers });
  expect(outcomeOf(refused)).toEqual([403, "ip_not_allowed"]);
  expect(refused.text).toContain("127.0.0.3");
  expect(refused.text).not.toContain(ip);
  const lines = service.logged().split("\n");
  expect(lines.findLast((line) => line.includes(idOf(token)))).toMatch(
    /"level":"WARN".*"source_ip":"127\.0\.0\.3".*"code":"ip_not_allowed".*"leak_signal"/,
  );
});

test("records a token's first use immediately, even if the call is rejected for another reason", async () => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", comment: "billing sync" });
  const record = () => service.admin({ action: "get", token_id });
  const before = await record();
  expect((await whoAmI({ token: String(token), from: "127.0.0.2" })).status).toBe(403);
  expect(await record()).toEqual(before);
  expect((await service.call("GET", "/api/v1/key?limit=0", { token: String(token) })).status).toBe(422);
  expect(await record()).toEqual({ ...before, last_used_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
});
