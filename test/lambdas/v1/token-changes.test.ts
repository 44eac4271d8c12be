import { expect, test } from "vitest";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { redeemInvitation } from "../../../lambdas/v1/redeem-invitation.ts";
import { revokeToken } from "../../../lambdas/v1/revoke-token.ts";
import { newInvitation, newToken } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { callEndpoint, type EndpointCall } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";
import { away, home, useStores } from "../support/stores.ts";

/*
 * Tests what the log says about calls that change a token, and the input of a rotation. test/lambdas/domain/tokens/ tests
 * the rules of each step, and the model of a token's life in tools/lab/simulation/life-cycle tests all steps together.
 */

const { store } = useStores("tokens", "limits");

const issue = async ({ text, record }: ReturnType<typeof newToken>) => {
  await store("tokens").insert(record, noteOf("issued"));
  return text;
};
/** Returns the response to a client, with its request's log line. */
const call = async (endpoint: Endpoint, request: EndpointCall) => {
  const log = captureLog();
  const { status, body } = await callEndpoint(endpoint, request);
  return { status, body, line: Object(log.lines().find((line) => Object(line).message === "request")) };
};

test("logs a request for confirmation only if it is new", async () => {
  const token = await issue(newInvitation({ ip: "::" }));
  const lines = [];
  for (let times = 0; times < 2; times += 1) lines.push((await call(redeemInvitation, { token, sourceIp: away })).line);
  expect(lines).toMatchObject([{ level: "INFO", status: 202, confirmation: "requested" }, { status: 202 }]);
  expect(lines[1]).not.toHaveProperty("confirmation");
});

test.for([
  ["its own address", home, { level: "INFO" }],
  ["any other address, which is a sign of a leak", away, { level: "WARN", leak_signal: expect.any(String) }],
] as const)("a caller that ends a token from %s learns nothing", async ([, sourceIp, expected]) => {
  const { line, ...response } = await call(revokeToken, { token: await issue(newToken()), sourceIp });
  expect(response).toEqual({ status: 204, body: {} });
  expect(line).toMatchObject(expected);
  expect("leak_signal" in line).toBe("leak_signal" in expected);
});
