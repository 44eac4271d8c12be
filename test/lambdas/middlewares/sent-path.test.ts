import { describe, expect, test } from "vitest";
import { assertSentPath } from "../../../lambdas/middlewares/validate-input.ts";
import { apiErrorOf } from "../support/rejection.ts";

interface Arrived {
  sent?: string;
  routeKey?: string;
  pathParameters?: Record<string, string>;
}

const check = async ({ sent, routeKey = "DELETE /api/v1/key/{key_id+}", pathParameters }: Arrived) =>
  assertSentPath({
    headers: sent === undefined ? {} : { "x-sent-path": sent },
    routeKey,
    ...(pathParameters && { pathParameters }),
  });

const key = (key_id: string) => ({ key_id });

describe("a request", () => {
  test.each<[string, Arrived]>([
    ["without the header", { pathParameters: key("a b") }],
    ["whose parameters are those that were sent", { sent: "/api/v1/key/a%2Bb%2Fc", pathParameters: key("a+b/c") }],
    ["to a path without parameters", { sent: "/api/v1/token", routeKey: "DELETE /api/v1/token" }],
    [
      "with a parameter in the middle",
      { sent: "/admin/tokens/7/usage", routeKey: "GET /admin/tokens/{id}/usage", pathParameters: { id: "7" } },
    ],
    ["with an empty parameter", { sent: "/api/v1/key/" }],
    ["with a parameter that looks like a replacement pattern", { sent: "/api/v1/key/$%26", pathParameters: key("$&") }],
  ])("%s passes", async (_, arrived) => {
    await expect(check(arrived)).resolves.toBeUndefined();
  });

  test.each<[string, Arrived]>([
    ["whose plus has become a space", { sent: "/api/v1/key/a%2Bb", pathParameters: key("a b") }],
    ["whose path was cut off", { sent: "/api/v1/key/a%3Fb", pathParameters: key("a") }],
    ["whose path was decoded once too often", { sent: "/api/v1/key/a%252Fb", pathParameters: key("a/b") }],
    ["whose last slash is gone", { sent: "/api/v1/key/a%2F", pathParameters: key("a") }],
    ["that has come to another endpoint", { sent: "/api/v1/key/..%2Ftoken", routeKey: "DELETE /api/v1/token" }],
    ["whose header was sent twice", { sent: "/api/v1/key/a,/api/v1/key/a", pathParameters: key("a") }],
    ["whose header is not percent-encoded", { sent: "/api/v1/key/100%", pathParameters: key("100%") }],
    ["whose header is empty", { sent: "", pathParameters: key("a") }],
  ])("%s is refused", async (_, arrived) => {
    expect(await apiErrorOf(check(arrived))).toMatchObject({ code: "path_changed", status: 400 });
  });
});
