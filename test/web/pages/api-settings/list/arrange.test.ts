import { describe, expect, test } from "vitest";
import { arrange } from "../../../../../web/pages/api-settings/list/arrange.ts";
import { defaultView, type ListView } from "../../../../../web/pages/api-settings/list/list-view.ts";
import { exampleRequest, exampleToken } from "./example-token.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");

const tokens = [
  exampleToken({ comment: "client 10", ip: "198.51.100.10", issued_at: "2026-11-03T00:00:00.000Z" }),
  exampleToken({ comment: "client 9", ip: "198.51.100.9", issued_at: "2026-11-01T00:00:00.000Z", state: "revoked" }),
  exampleToken({
    token_id: "zurich",
    comment: "Zürich",
    ip: "2001:db8::1",
    issued_at: "2026-11-02T00:00:00.000Z",
    expires_at: "2026-12-01T00:00:00.000Z",
    last_used_at: "2026-11-20T00:00:00.000Z",
  }),
];

const shown = (view: Partial<ListView>, settledCount?: number): string[] =>
  arrange(tokens, {
    view: { ...defaultView, ...view },
    now,
    ...(settledCount !== undefined && { settledCount }),
  }).map(({ comment }) => comment);

const awaiting = exampleToken({
  comment: "invited",
  ip: null,
  state: "awaiting_confirmation",
  invitation: { expires_at: "2999-01-01T00:00:00.000Z", redeemed_at: null },
  request: exampleRequest({ expires_at: "2999-01-01T00:00:00.000Z" }),
});

describe("a client that awaits confirmation", () => {
  test.each(["203.0.113.50", "k7p-4xq"])("is found by what its operator reads out: %s", (find) => {
    const found = arrange([...tokens, awaiting], { view: { ...defaultView, find }, now });
    expect(found).toEqual([awaiting]);
  });

  test("comes first by state, and before all addresses", () => {
    for (const sort of ["state", "ip"] as const) {
      const view = { ...defaultView, sort, isDescending: false };
      expect(arrange([...tokens, awaiting], { view, now })[0]).toBe(awaiting);
    }
  });
});

describe("the tokens of a view", () => {
  test("are those that need attention for its reason", () => {
    const [, , other] = tokens;
    const found = arrange(tokens, { view: defaultView, needing: new Set([other?.token_id ?? ""]), now });
    expect(found).toEqual([other]);
  });

  test.each<[Partial<ListView>, string[]]>([
    [{}, ["client 10", "Zürich", "client 9"]],
    [{ sort: "comment", isDescending: false }, ["client 9", "client 10", "Zürich"]],
    [{ sort: "ip", isDescending: true }, ["Zürich", "client 10", "client 9"]],
    [{ sort: "state", isDescending: true }, ["client 9", "client 10", "Zürich"]],
    [{ sort: "used", isDescending: true }, ["Zürich", "client 10", "client 9"]],
    [{ sort: "expires", isDescending: false }, ["Zürich", "client 10", "client 9"]],
  ])("are in its order: %o", (view, comments) => {
    expect(shown(view)).toEqual(comments);
  });

  test.each<[Partial<ListView>, string[]]>([
    [{ find: " ZÜRICH " }, ["Zürich"]],
    [{ find: "db8::" }, ["Zürich"]],
    [{ status: "revoked" }, ["client 9"]],
    [{ status: "revoked", find: "10" }, ["client 9"]],
    [{ status: "active", find: "client" }, ["client 10"]],
  ])("match all its filters: %o", (view, comments) => {
    expect(shown(view)).toEqual(comments);
  });

  test("that arrive later come after the settled ones, each part in order", () => {
    expect(shown({}, 1)).toEqual(["client 10", "Zürich", "client 9"]);
    expect(shown({}, 2)).toEqual(["client 10", "client 9", "Zürich"]);
  });
});
