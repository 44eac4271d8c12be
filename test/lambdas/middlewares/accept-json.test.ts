import { expect, test } from "vitest";
import { acceptJson, namesJson } from "../../../lambdas/middlewares/accept-json.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { runBefore } from "../support/events.ts";

// Negotiator parses the header.
test.for([
  ...["application/json", " Application/JSON ", "*/*,application/json", "application/json; Q=0.001"],
  ...["application/json; charset=utf-8", "application/json;q=0,application/json;x=y", ",application/json,"],
  ...['text/html;note=";q=0",application/json', "text/html, application/json;q=0.1, application/xml;q=0.9"],
])("the Accept header %j accepts JSON", (header) => {
  expect(namesJson(header)).toBe(true);
});

test.for([
  ...[undefined, "", "*/*", "application/*", "json", ",,,", "*/*, application/json;q=0", "application/json; Q=0.000"],
  ...["application/jsonp", "application/json+ld", 'text/html;note="application/json"', "text/html;application/json"],
  "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
])("the Accept header %j does not accept JSON", (header) => {
  expect(namesJson(header)).toBe(false);
});

// A backtracking pattern would not finish.
test("parses an Accept header of the maximum length that API Gateway allows", () => {
  for (const part of ["a/b,", ";", "a/b;c=", '"', '\\"', "a/b;q=0,"]) {
    expect(namesJson(part.repeat(10_240 / part.length))).toBe(false);
  }
});

test.for([
  ...["GET", "HEAD"].map((method) => [method, 302] as const),
  ...["POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => [method, 307] as const),
])("redirects a %s that does not accept JSON to the documentation with %i", async ([method, status]) => {
  const outcome = runBefore(acceptJson(), apiEvent({ method, headers: { accept: "*/*" } }));
  await expect(outcome).rejects.toMatchObject({
    status,
    headers: { Location: "/api/documentation" },
    message: expect.stringContaining("Accept: application/json"),
  });
});
