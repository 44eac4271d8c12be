import { describe, expect, test, vi } from "vitest";
import { verifyToken } from "../../../lambdas/middlewares/verify-token.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { newInvitation, newToken } from "../../../tools/support/tokens.ts";
import { lookUpIn } from "../support/look-up.ts";
import { apiErrorOf } from "../support/rejection.ts";
import { runBefore } from "../support/run-before.ts";

const { text, record } = newToken();

test("a valid token from its own address is admitted, and the request has its caller", async () => {
  const tokens = lookUpIn(record);
  const event = await runBefore(
    verifyToken({ tokens }),
    apiEvent({ headers: { "x-token": text }, sourceIp: record.ip }),
  );

  const author = { by: `token:${record.token_id}`, from: record.ip, requestId: event.requestContext.requestId };
  expect(event.caller).toEqual({ token: record, ip: record.ip, author });
  expect(tokens.asked).toEqual([record.token_id]);
});

test("headers that name another address are ignored", async () => {
  const headers = {
    "x-token": text,
    "x-forwarded-for": record.ip,
    forwarded: `for=${record.ip}`,
    "x-real-ip": record.ip,
  };
  const error = await apiErrorOf(
    runBefore(verifyToken({ tokens: lookUpIn(record) }), apiEvent({ headers, sourceIp: "203.0.113.9" })),
  );

  expect(error.code).toBe("ip_not_allowed");
});

test("a request without a token is refused without a look-up", async () => {
  const find = vi.fn();
  const error = await apiErrorOf(runBefore(verifyToken({ tokens: { find } }), apiEvent({ headers: {} })));

  expect(error.code).toBe("token_missing");
  expect(find).not.toHaveBeenCalled();
});

describe("an endpoint that asks only for", () => {
  const invitation = newInvitation();
  const elsewhere = "203.0.113.9";
  const tokens = lookUpIn(record, invitation.record);

  const send = (credential: "secret" | "invitation", tokenText: string) =>
    runBefore(
      verifyToken({ tokens, credential }),
      apiEvent({ headers: { "x-token": tokenText }, sourceIp: elsewhere }),
    );

  test.for([
    ["the secret of a token", "secret", text, record],
    ["an invitation", "invitation", invitation.text, invitation.record],
  ] as const)("%s admits it from any address, and the request says so", async ([, credential, sent, token]) => {
    expect(await send(credential, sent)).toMatchObject({ credential, caller: { token, ip: elsewhere } });
  });

  test.for([
    ["the secret of a token refuses an invitation", "secret", invitation.text],
    ["an invitation refuses a token", "invitation", text],
  ] as const)("%s", async ([, credential, sent]) => {
    expect((await apiErrorOf(send(credential, sent))).code).toBe("wrong_credential");
  });
});
