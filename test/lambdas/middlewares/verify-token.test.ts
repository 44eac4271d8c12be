import { describe, expect, test, vi } from "vitest";
import { verifyToken } from "../../../lambdas/middlewares/verify-token.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { newInvitation, newToken } from "../../../tools/support/tokens.ts";
import { lookUpIn } from "../support/look-up.ts";
import { runBefore } from "../support/middleware.ts";
import { apiErrorOf } from "../support/rejection.ts";

const { text, record } = newToken();
const invitation = newInvitation();
const elsewhere = "203.0.113.9";

const send = (
  options: Omit<Parameters<typeof verifyToken>[0], "tokens">,
  { tokens = lookUpIn(record, invitation.record), sourceIp = elsewhere, headers = {} as Record<string, string> },
) => runBefore(verifyToken({ tokens, ...options }), apiEvent({ headers, sourceIp }));

test("a valid token from its own address is admitted, and the request has its caller", async () => {
  const tokens = lookUpIn(record);
  const event = await send({}, { tokens, headers: { "x-token": text }, sourceIp: record.ip });

  const author = { by: `token:${record.token_id}`, from: record.ip, requestId: event.requestContext.requestId };
  expect(event.caller).toEqual({ token: record, ip: record.ip, author });
  expect(tokens.asked).toEqual([record.token_id]);
});

test("headers that name another address are ignored", async () => {
  const { ip } = record;
  const headers = { "x-token": text, "x-forwarded-for": ip, forwarded: `for=${ip}`, "x-real-ip": ip };
  expect((await apiErrorOf(send({}, { headers }))).code).toBe("ip_not_allowed");
});

test("a request without a token is refused without a look-up", async () => {
  const find = vi.fn();
  expect((await apiErrorOf(send({}, { tokens: { ...lookUpIn(), find } }))).code).toBe("token_missing");
  expect(find).not.toHaveBeenCalled();
});

describe("an endpoint that asks only for", () => {
  test.for([
    ["the secret of a token", "secret", text, record],
    ["an invitation", "invitation", invitation.text, invitation.record],
  ] as const)("%s admits it from any address, and the request says so", async ([, credential, sent, token]) => {
    const event = await send({ credential }, { headers: { "x-token": sent } });
    expect(event).toMatchObject({ credential, caller: { token, ip: elsewhere } });
  });

  test.for([
    ["the secret of a token refuses an invitation", "secret", invitation.text],
    ["an invitation refuses a token", "invitation", text],
  ] as const)("%s", async ([, credential, sent]) => {
    expect((await apiErrorOf(send({ credential }, { headers: { "x-token": sent } }))).code).toBe("wrong_credential");
  });
});
