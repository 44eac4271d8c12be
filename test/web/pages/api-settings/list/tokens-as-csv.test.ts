import { describe, expect, test } from "vitest";
import { tokensAsCsv } from "../../../../../web/pages/api-settings/list/tokens-as-csv.ts";
import { exampleRequest, exampleToken } from "./example-token.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const [id, issued] = [exampleToken().token_id, exampleToken().issued_at];

/** The line of a token with this comment, from the comment on. */
const cellOf = (comment: string): string => {
  const csv = tokensAsCsv([exampleToken({ comment })], now);
  return csv.slice(csv.indexOf(id) + id.length + 1, csv.indexOf(",198.51.100.7,Active,"));
};

describe("the CSV of tokens", () => {
  test("has a byte order mark, a row with titles, and a row for each token, each with a line end", () => {
    const csv = tokensAsCsv([exampleToken({ rate_limit: 600 }), exampleToken({ state: "revoked" })], now);
    expect(csv).toBe(
      [
        "\ufeffToken id,Comment,IP address,State,Issued,Issued by,Last used,Expires,Requests per minute,Edited,Edited by,Rotated,Rotated by,Successor,Predecessor,Revoked,Revoked by,Invitation ends,Invitation redeemed,Address to confirm,Confirmation requested,Decision,Decided,Decided by\r\n",
        `${id},billing sync,198.51.100.7,Active,${issued},admin@example.com,,,600,,,,,,,,,,,,,,,\r\n`,
        `${id},billing sync,198.51.100.7,Revoked,${issued},admin@example.com,,,,,,,,,,,,,,,,,,\r\n`,
      ].join(""),
    );
  });

  test("contains an invitation with its request and decision, and no address while it is not known", () => {
    const token = exampleToken({
      ip: null,
      state: "invited",
      invitation: { expires_at: "2026-11-22T12:00:00.000Z", redeemed_at: null },
      request: exampleRequest({ decision: "rejected", decided_at: "2026-11-21T11:56:00.000Z", decided_by: "admin" }),
    });
    expect(tokensAsCsv([token], now).split("\r\n")[1]).toBe(
      `${id},billing sync,,Invited,${issued},admin@example.com,,,,,,,,,,,,2026-11-22T12:00:00.000Z,,203.0.113.50,2026-11-21T11:55:00.000Z,rejected,2026-11-21T11:56:00.000Z,admin`,
    );
  });

  test("contains no formula", () => {
    expect(cellOf("=1+1")).toBe("'=1+1");
  });
});
