import { setTimeout as sleep } from "node:timers/promises";
import { formatTokenText, parseTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { callTarget, invokeAdmin } from "../support/traffic/caller.ts";
import type { Held } from "../support/traffic/history.ts";
import { vCodeMark } from "../support/traffic/key-client.ts";
import { areCompatible, type Version } from "./readings.ts";

type Fields = Record<string, unknown>;

interface Reply {
  /** The status, or the code of a refusal. */
  outcome: unknown;
  body: Fields;
  headers: Record<string, string | undefined>;
}

const home = "127.0.0.1";
const away = "127.0.0.9";
const current = "GET /api/v1/token";

/** Makes a call such as `GET /api/v1/key`, and an admin action; and notes what differs from what is expected. */
const createTools = (from: Version, to: Version) => {
  const problems: string[] = [];
  const note = (problem: string) => problems.push(`from ${from.name} to ${to.name}: ${problem}`);
  const call = async ({ target }: Version, held: Held, what: string, form?: Record<string, string>): Promise<Reply> => {
    const [method = "", path = ""] = what.split(" ");
    const request = { method, path, from: held.ip, token: held.text, ...(form && { form }) };
    const response = await callTarget(target, request);
    try {
      target.assertDescribed(method, path, response);
    } catch (error) {
      note(String(error));
    }
    const body: Fields = response.text === "" ? {} : JSON.parse(response.text);
    return { outcome: response.status < 400 ? response.status : body.code, body, headers: response.headers };
  };
  return {
    problems,
    call,
    use: async (version: Version, held: Held) => (await call(version, held, current)).outcome,
    async admin({ target }: Version, action: string, fields: Fields = {}): Promise<Fields> {
      const { text } = await invokeAdmin(target, { ...fields, action });
      const { trace: _, ...response }: Fields = JSON.parse(text) ?? {};
      return response;
    },
    expect(what: string, actual: unknown, expected: unknown): void {
      if (areCompatible(actual, expected)) return;
      note(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    },
  };
};

type Tools = ReturnType<typeof createTools>;

/** Each version continues with what the other one has written. Returns everything that it did not understand. */
export const handOver = async (released: Version, present: Version, own: Held): Promise<string[]> => {
  const problems: string[] = [];
  for (const [writer, reader] of [
    [released, present],
    [present, released],
  ] as const) {
    const tools = createTools(writer, reader);
    await handOverKeys(writer, reader, own, tools);
    await handOverTokens(writer, reader, tools);
    await handOverLimit(writer, reader, tools);
    if (writer === present) await handOverChanges(present, released, tools);
    problems.push(...tools.problems);
  }
  return problems;
};

const [oneCode, otherCode] = ["x", "y"].map((letter) => vCodeMark.padEnd(64, letter)) as [string, string];

/** Characters that have to be encoded in a path, and some of more than one byte. */
const keyId = "handed over/ä🔑 #7";
const listedKeys = ["handed-over-1", "handed-over-2"];

const handOverKeys = async (writer: Version, reader: Version, own: Held, { call, admin, expect }: Tools) => {
  const path = `/api/v1/key/${encodeURIComponent(keyId)}`;
  const create = (version: Version, v_code: string, key_id = keyId) =>
    call(version, own, "POST /api/v1/key", { key_id, v_code });
  const outcome = async (version: Version, method: string) => (await call(version, own, `${method} ${path}`)).outcome;

  // An earlier hand-over may have stopped half-way.
  for (const key_id of [keyId, ...listedKeys]) await admin(writer, "delete_key", { key_id });
  const created = await create(writer, oneCode);
  expect("the status of a new key", created.outcome, 201);
  expect("a created key is read", (await call(reader, own, `GET ${path}`)).body, created.body);
  const { v_code: _, ...shown } = created.body;
  expect("an admin reads a created key", await admin(reader, "get_key", { key_id: keyId }), shown);
  expect("the same pair is unchanged", (await create(reader, oneCode)).body, created.body);
  const taken = await create(reader, otherCode);
  expect("another v_code is refused", [taken.outcome, Object.keys(taken.body)], [undefined, ["key_id"]]);
  const replaced = await call(reader, own, `PUT ${path}`, { v_code: otherCode });
  expect("a key is replaced", replaced.outcome, 200);
  expect("a replaced key is read", (await call(writer, own, `GET ${path}`)).body, replaced.body);

  for (const key_id of listedKeys) await create(writer, oneCode, key_id);
  const page = await call(writer, own, "GET /api/v1/key?limit=1");
  const next = /^<(.*)>; rel="next"$/.exec(page.headers.link ?? "")?.[1] ?? "";
  expect("the next page is there", (await call(reader, own, `GET ${next}`)).outcome, 200);
  for (const key_id of listedKeys) {
    expect("a listed key is deleted", (await call(reader, own, `DELETE /api/v1/key/${key_id}`)).outcome, 204);
  }

  expect("a key is deleted", await outcome(reader, "DELETE"), 204);
  expect("a deleted key is gone", await outcome(writer, "GET"), "key_not_found");
  expect("a deleted key can be created", (await create(writer, otherCode)).outcome, 201);
  expect("an admin deletes a key", await admin(reader, "delete_key", { key_id: keyId }), {});
  expect("a key that an admin deleted is gone", await outcome(writer, "GET"), "key_not_found");
};

const toHeld = ({ token_id, token }: Fields, ip = home): Held => ({ id: String(token_id), text: String(token), ip });

const handOverTokens = async (writer: Version, reader: Version, { use, admin, expect }: Tools): Promise<void> => {
  const issue = (version: Version) => admin(version, "issue", { ip: home, comment: "handed over", expires_at });
  const recordOf = (version: Version, { token_id }: Fields) => admin(version, "get", { token_id });

  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const first = await issue(writer);
  const { token_id, token: _, ...record } = first;
  expect("an issued token is read", await recordOf(reader, first), { token_id, ...record });
  expect("an issued token works", await use(reader, toHeld(first)), 200);
  expect("a token from another address is refused", await use(reader, toHeld(first, away)), "ip_not_allowed");
  const updated = await admin(reader, "update", { token_id, rate_limit: 100 });
  expect("a rate limit is set", updated.rate_limit, 100);
  expect("a changed token is read", await recordOf(writer, first), updated);
  expect("a changed token works", await use(writer, toHeld(first)), 200);

  const successor = await admin(writer, "rotate", { token_id, grace_seconds: 3_000 });
  expect("a rotated token is read", await recordOf(reader, first), await recordOf(writer, first));
  expect("a rotated token works for its grace period", await use(reader, toHeld(first)), 200);
  expect("a successor works", await use(reader, toHeld(successor)), 200);
  const again = await admin(reader, "rotate", { token_id, grace_seconds: 0 });
  expect("a token is rotated once", again.errorType, "token_already_rotated");

  const ending = await issue(reader);
  await admin(writer, "rotate", { token_id: ending.token_id, grace_seconds: 0 });
  expect("a token without a grace period has ended", await use(reader, toHeld(ending)), "token_expired");
  await admin(reader, "revoke", { token_id: successor.token_id });
  expect("a revoked token is refused", await use(writer, toHeld(successor)), "token_revoked");
  expect("a revoked token is read", await recordOf(writer, successor), await recordOf(reader, successor));

  const counted = async () => {
    const usages = await Promise.all([writer, reader].map((version) => admin(version, "usage", { token_id })));
    return usages.map(usesIn);
  };
  let counts = await counted();
  for (let attempt = 0; attempt < 50 && !areCompatible(counts, [4, 4]); attempt += 1) {
    await sleep(100);
    counts = await counted();
  }
  expect("the uses of a token, which arrive late", counts, [4, 4]);
};

const usesIn = ({ hours = [] }: { hours?: { statuses: Record<string, number> }[] }): number =>
  hours.flatMap(({ statuses }) => Object.values(statuses)).reduce((sum, count) => sum + count, 0);

const rateLimit = 6;
const minuteNow = (): number => Math.floor(Date.now() / 60_000);

/** Both versions count the same requests: each takes one, in turn, until none is left. */
const handOverLimit = async (writer: Version, reader: Version, tools: Tools): Promise<void> => {
  const { call, use, admin, expect } = tools;
  const minute = minuteNow();
  const limited = toHeld(await admin(writer, "issue", { ip: home, comment: "handed over", rate_limit: rateLimit }));
  const remaining: number[] = [];
  for (let request = 0; request < rateLimit; request += 1) {
    const { headers } = await call(request % 2 === 0 ? writer : reader, limited, current);
    remaining.push(Number(/;r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]));
  }
  const beyond = [await use(writer, limited), await use(reader, limited)];
  // A new minute has a new allowance.
  if (minuteNow() !== minute) return handOverLimit(writer, reader, tools);
  expect("the remaining requests of a limited token", remaining, [5, 4, 3, 2, 1, 0]);
  expect("requests beyond the limit", beyond, ["rate_limited", "rate_limited"]);
};

/**
 * The present version's clients get and change their own tokens, and the release continues with the records that it has
 * written. An invitation admits nobody there, and a request to move changes nothing.
 */
const handOverChanges = async (present: Version, released: Version, { call, use, admin, expect }: Tools) => {
  const redeem = (held: Held) => call(present, held, "POST /api/v1/token");
  const invite = async (ip: string | null): Promise<Held> => {
    const { token_id, invitation_text } = await admin(present, "invite", { ip, comment: "handed over" });
    return { id: String(token_id), text: String(invitation_text), ip: home };
  };
  const isNoToken = async (what: string, { id, text }: Held) => {
    const { secret = "" } = parseTokenText(text) ?? {};
    const held = { id, text: formatTokenText({ token_id: id, secret }), ip: home };
    for (const version of [released, present])
      expect(`${what} is no token, in the ${version.name} version`, await use(version, held), "token_invalid");
  };

  const invited = await invite(home);
  await isNoToken("an invitation's secret", invited);
  expect("an invitation is no token for the release", await use(released, invited), "token_invalid");
  const redeemed = await redeem(invited);
  expect("an invitation is redeemed after the release has seen it", redeemed.outcome, 201);
  const token = toHeld(redeemed.body);
  const token_id = token.id;
  expect("a redeemed token works", await use(released, token), 200);
  expect("a redeemed token is bound to its address", await use(released, { ...token, ip: away }), "ip_not_allowed");
  const read = await admin(present, "get", { token_id });
  expect("a redeemed token is read", await admin(released, "get", { token_id }), read);

  const waiting = await invite(null);
  const asked = await redeem(waiting);
  expect("an address is asked for", asked.outcome, 202);
  await isNoToken("the secret of an invitation that waits for a confirmation", waiting);
  await admin(present, "confirm", { token_id: waiting.id, ip: asked.body.ip, code: asked.body.code });
  expect("a confirmed invitation is redeemed", (await redeem(waiting)).outcome, 201);

  const moving = { ...token, ip: away };
  const move = () => call(present, moving, "POST /api/v1/token/move");
  const { outcome, body } = await move();
  expect("a move is asked for", outcome, 202);
  expect("a token whose move waits works at its address", await use(released, token), 200);
  expect("a token whose move waits works nowhere else", await use(released, moving), "ip_not_allowed");
  const updated = await admin(released, "update", { token_id, rate_limit: 100 });
  expect("the release changes a token whose move waits", updated.rate_limit, 100);
  await admin(present, "confirm", { token_id, ip: away, code: body.code });
  expect("a confirmed move admits nobody yet", await use(released, moving), "ip_not_allowed");
  const moved = await move();
  expect("a move is completed after the release has changed the token", moved.outcome, 201);
  const successor = toHeld(moved.body, away);
  expect("a moved token works at its new address", await use(released, successor), 200);
  expect("a moved token works nowhere else", await use(released, { ...successor, ip: home }), "ip_not_allowed");
  expect("the token that was moved has ended", await use(released, token), "token_expired");

  const rotate = (held: Held) => call(present, held, "POST /api/v1/token/rotation", { grace_seconds: "3000" });
  const rotated = await rotate(successor);
  const next = toHeld(rotated.body, away);
  expect("a client rotates its token", rotated.outcome, 201);
  expect("the token that a client has rotated works for its grace period", await use(released, successor), 200);
  expect("the successor of a client's rotation works", await use(released, next), 200);
  await admin(released, "revoke", { token_id: next.id });
  expect("what the release has revoked cannot be rotated", (await rotate(next)).outcome, "token_revoked");
  expect("a client revokes its token", (await call(present, successor, "DELETE /api/v1/token")).outcome, 204);
  expect("what a client has revoked is refused", await use(released, successor), "token_revoked");
};
