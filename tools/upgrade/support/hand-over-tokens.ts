import type { Held } from "../../support/traffic/token-pool.ts";
import type { HandOver } from "./hand-over.ts";
import type { Version } from "./versions.ts";

const ip = "127.0.0.1";
const elsewhere = "127.0.0.9";
const rateLimit = 6;

/** A token with its record as the issuing version returned it. */
interface Issued extends Held {
  record: object;
}

const toIssued = ({ token, ...record }: Record<string, unknown>): Issued => ({
  id: String(record.token_id),
  text: String(token),
  ip,
  record,
});

/** One version issues, rotates and revokes tokens, and the other one continues with them. */
export const handOverTokens = async (handOver: HandOver): Promise<void> => {
  const { writer, reader, call, admin, expect } = handOver;
  const issue = async (version: Version, fields: object = {}) =>
    toIssued(await admin(version, "issue", { ip, comment: "handed over", ...fields }));
  const recordOf = (version: Version, { id }: Issued) => admin(version, "get", { token_id: id });

  /** Calls with a token and returns the outcome: the status, or the code of the error. */
  const use = async (version: Version, issued: Issued, from = ip) => {
    const { status, text, headers } = await call(version, issued, { method: "GET", path: "/api/v1/token", from });
    const code: unknown = status >= 400 ? JSON.parse(text).code : status;
    return { code, remaining: Number(/;r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]) };
  };
  const codeOf = async (version: Version, issued: Issued, from = ip) => (await use(version, issued, from)).code;

  /** Both versions count the same requests: each takes one, in turn, until none is left. */
  const handOverLimit = async (): Promise<void> => {
    const expected = Array.from({ length: rateLimit }, (_, index) => rateLimit - 1 - index);
    for (;;) {
      const minute = minuteNow();
      const limited = await issue(writer, { rate_limit: rateLimit });
      const remaining: number[] = [];
      for (const [index] of expected.entries()) {
        remaining.push((await use(index % 2 === 0 ? writer : reader, limited)).remaining);
      }
      const beyond = [await codeOf(writer, limited), await codeOf(reader, limited)];
      // A new minute has a new allowance.
      if (minuteNow() !== minute) continue;
      expect("the remaining requests of a limited token", remaining, expected);
      expect("requests beyond the limit", beyond, ["rate_limited", "rate_limited"]);
      return;
    }
  };

  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const first = await issue(writer, { expires_at });
  expect("an issued token is read", await recordOf(reader, first), first.record);
  expect("an issued token works", await codeOf(reader, first), 200);
  expect("a token from another address is refused", await codeOf(reader, first, elsewhere), "ip_not_allowed");
  const updated = await admin(reader, "update", { token_id: first.id, rate_limit: 100 });
  expect("a rate limit is set", updated.rate_limit, 100);
  expect("a changed token is read", await recordOf(writer, first), updated);

  const successor = toIssued(await admin(writer, "rotate", { token_id: first.id, grace_seconds: 3_000 }));
  expect("a rotated token is read", await recordOf(reader, first), await recordOf(writer, first));
  expect("a successor is read", await recordOf(reader, successor), successor.record);
  expect("a rotated token works for its grace period", await codeOf(reader, first), 200);
  expect("a successor works", await codeOf(reader, successor), 200);
  const again = await admin(reader, "rotate", { token_id: first.id, grace_seconds: 0 });
  expect("a token is rotated once", again.errorType, "token_already_rotated");

  const ending = await issue(reader);
  await admin(writer, "rotate", { token_id: ending.id, grace_seconds: 0 });
  expect("a token without a grace period has ended", await codeOf(reader, ending), "token_expired");

  for (const [one, other] of [
    [writer, reader],
    [reader, writer],
  ] as const) {
    const revoked = await issue(one);
    await admin(one, "revoke", { token_id: revoked.id });
    expect("a revoked token is refused", await codeOf(other, revoked), "token_revoked");
    expect("a revoked token is read", await recordOf(other, revoked), await recordOf(one, revoked));
  }

  await handOverLimit();
};

const minuteNow = (): number => Math.floor(Date.now() / 60_000);
