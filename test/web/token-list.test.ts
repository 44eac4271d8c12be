import { describe, expect, test } from "vitest";
import { tokensAsCsv } from "../../web/admin/pages/csv-files.ts";
import {
  arrange,
  defaultView,
  isFiltered,
  type ListView,
  parseView,
  queryOf,
} from "../../web/admin/pages/tokens/list/list-view.ts";
import { exampleInvitation, exampleRequest, exampleToken, now } from "./record-examples.ts";

const far = "2999-01-01T00:00:00.000Z";
const tokens = [
  exampleToken({ token_id: "x", comment: "client 10", ip: "198.51.100.10", issued_at: "2026-11-03T00:00:00.000Z" }),
  exampleToken({
    token_id: "ix",
    comment: "client 9",
    ip: "198.51.100.9",
    issued_at: "2026-11-01T00:00:00.000Z",
    state: "revoked",
  }),
  exampleToken({
    token_id: "zurich",
    comment: "Zürich",
    ip: "2001:db8::1",
    issued_at: "2026-11-02T00:00:00.000Z",
    expires_at: "2026-12-01T00:00:00.000Z",
    last_used_at: "2026-11-20T00:00:00.000Z",
  }),
];
const expired = exampleToken({ token_id: "old", comment: "expired", expires_at: "2026-11-20T00:00:00.000Z" });
const awaiting = exampleInvitation({
  token_id: "waits",
  comment: "waits",
  state: "awaiting_confirmation",
  issued_at: "2026-10-01T00:00:00.000Z",
  invitation: { expires_at: far, redeemed_at: null },
  request: exampleRequest({ expires_at: far }),
});

const ofWorkload = exampleToken({ comment: "pipeline", trust_id: "00000000001", client: "ACME" });

describe("the tokens of a view", () => {
  test.each<[Partial<ListView>, string[]]>([
    [{}, ["client 10", "Zürich", "client 9", "waits"]],
    [{ sort: "comment", isDescending: false }, ["client 9", "client 10", "waits", "Zürich"]],
    [{ sort: "ip", isDescending: true }, ["Zürich", "client 10", "client 9", "waits"]],
    [{ sort: "state", isDescending: false }, ["waits", "client 10", "Zürich", "client 9"]],
    [{ sort: "used", isDescending: true }, ["Zürich", "client 10", "client 9", "waits"]],
    // Tokens that have ended come last in either order.
    [{ sort: "expires", isDescending: false }, ["Zürich", "client 10", "waits", "expired", "client 9"]],
    [{ sort: "expires", isDescending: true }, ["client 10", "waits", "Zürich", "client 9", "expired"]],
    [{ find: " ZÜRICH " }, ["Zürich"]],
    [{ find: "db8::" }, ["Zürich"]],
    // What a client's operator reads out
    [{ find: "203.0.113.50" }, ["waits"]],
    [{ find: "k7p-4xq" }, ["waits"]],
    // Workloads' tokens are shown only if somebody searches for them.
    [{ find: "00000000001" }, ["pipeline"]],
    [{ client: "ACME" }, ["pipeline"]],
    [{ client: "acme" }, []],
    [{ find: "acme" }, ["pipeline"]],
    [{ status: "revoked" }, ["client 9"]],
    [{ status: "revoked", find: "10" }, ["client 9"]],
    [{ status: "active", find: "client" }, ["client 10"]],
  ])("match all its filters and follow its order: %o", (changes, comments) => {
    const stock = changes.sort === "expires" ? [expired, ...tokens, awaiting] : [...tokens, awaiting, ofWorkload];
    const shown = arrange(stock, { view: { ...defaultView, ...changes }, now });
    expect(shown.map(({ comment }) => comment)).toEqual(comments);
  });

  test("are only those that need attention for the chosen reason", () => {
    const shown = arrange(tokens, { view: defaultView, needing: new Set(["zurich"]), now });
    expect(shown.map(({ comment }) => comment)).toEqual(["Zürich"]);
  });

  test("keep their places while they are held, even if they no longer match, and the rest follow in order", () => {
    const view: ListView = { ...defaultView, status: "active" };
    const shown = arrange([...tokens, awaiting], { view, now, held: ["ix", "gone"] });
    expect(shown.map(({ comment }) => comment)).toEqual(["client 9", "client 10", "Zürich"]);
  });
});

describe("the query of a view", () => {
  test.each<[Partial<ListView>, query: string, isFiltered: boolean]>([
    [{}, "", false],
    [{ attention: "expiring" }, "?show=expiring", true],
    [{ status: "revoked" }, "?state=revoked", true],
    [{ find: "50% & more +1" }, "?find=50%25+%26+more+%2B1", true],
    [{ find: " " }, "?find=+", false],
    [{ sort: "comment", isDescending: false }, "?sort=comment", false],
    [{ sort: "used", isDescending: true }, "?sort=-used", false],
    [{ sort: "issued", isDescending: false }, "?sort=issued", false],
    [{ client: "ACME", status: "active" }, "?state=active&client=ACME", true],
    [{ page: 3 }, "?page=3", false],
    [{ attention: "leaked", find: "a", page: 2 }, "?show=leaked&find=a&page=2", true],
  ])("of %o is %j, restores the view, and filters tokens: %j", (changes, query, leavesOut) => {
    const view = { ...defaultView, ...changes };
    expect(queryOf(view)).toBe(query);
    expect(parseView(query)).toEqual(view);
    expect(isFiltered(view)).toBe(leavesOut);
  });

  test.each([
    ...["?show=everything", "?state=Active", "?find=", "?other=1"],
    ...["", "-", "--used", "toString"].map((sort) => `?sort=${sort}`),
    ...["0", "-1", "1.5", "1e3", "99999999"].map((page) => `?page=${page}`),
  ])("uses the default for invalid input: %j", (query) => {
    expect(parseView(query)).toEqual(defaultView);
  });
});

describe("the CSV of tokens", () => {
  const { token_id: id, issued_at: issued } = exampleToken();

  test("has a header row, and a row for each token with all recorded data and no formulas", () => {
    const request = { decision: "rejected", decided_at: "2026-11-21T11:56:00.000Z", decided_by: "admin" } as const;
    const rows = [
      exampleToken({ client: "ACME", rate_limit: 600 }),
      exampleInvitation({ request: exampleRequest(request) }),
    ];
    expect(tokensAsCsv([...rows, exampleToken({ comment: "=1+1" })], now).split("\r\n")).toEqual([
      "\ufeffToken id,Comment,Client,IP address,State,Issued,Issued by,Last used,Expires,Requests per minute,Edited,Edited by,Rotated,Rotated by,Successor,Predecessor,Revoked,Revoked by,Invitation ends,Invitation redeemed,Address to confirm,Confirmation requested,Decision,Decided,Decided by,Trusted workload",
      `${id},billing sync,ACME,198.51.100.7,Active,${issued},admin@example.com,,,600,,,,,,,,,,,,,,,,`,
      `${id},billing sync,,,Invited,${issued},admin@example.com,,,,,,,,,,,,2026-11-21T13:00:00.000Z,,203.0.113.50,2026-11-21T11:55:00.000Z,rejected,2026-11-21T11:56:00.000Z,admin,`,
      `${id},'=1+1,,198.51.100.7,Active,${issued},admin@example.com,,,,,,,,,,,,,,,,,,,`,
      "",
    ]);
  });
});
