import { chmod, symlink, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { busy, found, issued, issuedToken, keyNamed, noContent, recorded, refused } from "../support/services.ts";
import { confirmNext, due, idOf, invite, tokenFile } from "../support/tokens.ts";
import type { Behaviours } from "../support/world.ts";

const { token: _, ...described } = issuedToken("A0");
const read = (headers = {}) => found({ ...described, seen_ip: "127.0.0.1", expiring: null }, headers);
const rotation = "/api/v1/token/rotation";
const own = "/api/v1/token";

const text = JSON.stringify({ ...issuedToken("A0"), token: "itk_secret" });
/** Untrustworthy files: their contents, their mode and their folder's, and the problem. */
const untrusted = [
  [text, 0o640, 0o700, "Others can read"],
  [text, 0o604, 0o700, "Others can read"],
  [text, 0o600, 0o777, "Others can write"],
  [text, 0o600, 0o720, "Others can write"],
  ["", 0o600, 0o700, "is damaged"],
  [text.slice(0, -2), 0o600, 0o700, "is damaged"],
  ["null", 0o600, 0o700, "is damaged"],
  [text.replace('"token":', '"text":'), 0o600, 0o700, "is damaged"],
  [text.replace("2027-11-21T10:15:30.123Z", "soon"), 0o600, 0o700, "is damaged"],
] as const;

/** Tests a client with a token file: what it trusts, when it requests a new token, and what it does without one. */
export const kept: Behaviours = {
  "stores the token of its invitation in a file that only its owner can read, before it uses it": async (world) => {
    const file = await tokenFile();
    const { token_id, invitation } = await invite(world.service, "127.0.0.1");
    const client = await world.open();
    expect((await client({ call: "open_kept", file: file.path, invitation })).failure).toBeUndefined();

    expect(await file.read()).toMatchObject({ token_id, ip: "127.0.0.1", expires_at: null });
    expect(await file.mode()).toBe(0o600);
    expect(await file.names()).toEqual(["token.json"]);
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
  },

  "goes on with the token in its file, whatever invitation it is started with": async ({ kept }) => {
    const { client, file, token } = await kept({ invitation: "iti_used" });
    const before = await file.text();

    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: idOf(token) });
    expect(await file.text()).toBe(before);
  },

  "says what is wrong with a file that it cannot trust, and leaves it as it is": async ({ open }) => {
    for (const [content, mode, folderMode, problem] of untrusted) {
      const file = await tokenFile();
      await writeFile(file.path, content);
      await chmod(file.path, mode);
      await chmod(file.folder, folderMode);
      const client = await open();
      const { failure, notes } = await client({ call: "open_kept", file: file.path, invitation: "iti_unused" });

      expect(failure).toMatchObject({ kind: "TokenFileError", message: expect.stringContaining(problem) });
      expect(`${failure?.message}${notes?.shown}`).not.toContain("secret");
      expect(await file.text()).toBe(content);
    }
  },

  "follows no link to another file, and needs a file or an invitation": async ({ open }) => {
    const [file, elsewhere] = [await tokenFile(), await tokenFile()];
    await elsewhere.store("itk_secret");
    const client = await open();
    const opening = async (path: string) => (await client({ call: "open_kept", file: path })).failure;
    const refusal = (message: RegExp) => ({ kind: "TokenFileError", message: expect.stringMatching(message) });

    expect(await opening(file.path)).toMatchObject(refusal(/no .*invitation/));
    await symlink(elsewhere.path, file.path);
    expect(await opening(file.path)).toMatchObject(refusal(/not a regular/));
    expect(await opening(join(file.folder, "none", "token.json"))).toEqual({ kind: "system" });
  },

  "deletes its file when it has ended its token, and not before": async ({ kept }) => {
    const { client, file } = await kept({ responses: [busy(400), noContent] });
    expect((await client({ call: "revoke" })).failure?.status).toBe(400);
    expect((await file.read()).token).toBe("itk_1_secret");
    await client({ call: "revoke" });
    expect(await file.names()).toEqual([]);
  },

  "rotates after a call when a third of the lifetime is left, and goes on with the successor": async (world) => {
    const { client, file, token } = await world.kept({ stored: due });
    const { value, notes } = await client({ call: "get_token" });

    const { token_id } = await file.read();
    expect(value).toMatchObject({ token_id: idOf(token) });
    expect(token_id).not.toBe(idOf(token));
    expect(notes).toEqual({ replaced: [token_id] });
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
    expect(await file.mode()).toBe(0o600);
    const old = await world.service.admin({ action: "get", token_id: idOf(token) });
    expect(Date.parse(String(old.expires_at)) - Date.parse(String(old.rotated_at))).toBe(86_400_000);
  },

  "rotates once for all calls at the same time": async ({ kept }) => {
    const respond: RequestListener = (from, to) => (from.method === "POST" ? issued("A0") : read())(from, to);
    const { client, requests } = await kept({ responses: Array(20).fill(respond), stored: due });
    const { notes } = await client({ call: "get_token_at_once" });
    await client({ call: "get_token" });

    expect(notes).toEqual({ replaced: [described.token_id] });
    expect(requests.map(({ url }) => url).filter((url) => url === rotation)).toHaveLength(1);
    expect(requests.at(-1)?.headers["x-token"]).toBe(issuedToken("A0").token);
  },

  "rotates when a busy service has recovered, and not before": async ({ kept }) => {
    const responses = [busy(503), busy(429), busy(500), read(), issued("A0")];
    const { client, requests } = await kept({ responses, stored: due });
    expect((await client({ call: "get_token" })).failure?.status).toBe(500);
    await client({ call: "get_token" });

    expect(requests.map(({ url }) => url)).toEqual([own, own, own, own, rotation]);
  },

  "rotates by the clock of the service, after 90 days, after as many as it is told, or never": async ({ kept }) => {
    const lifetime = { issued_at: "2040-01-01T00:00:00.000Z", expires_at: "2040-01-31T00:00:00.000Z" };
    const aged = (days: number) => ({ issued_at: new Date(Date.now() - days * 86_400_000).toISOString() });
    for (const [stored, headers, maximum, rotations] of [
      [lifetime, { date: "Fri, 20 Jan 2040 00:00:00 GMT" }, {}, 0],
      [lifetime, { date: "Sat, 21 Jan 2040 00:00:00 GMT" }, {}, 1],
      [aged(89), {}, {}, 0],
      [aged(91), {}, {}, 1],
      [aged(9), {}, { maximum_age_days: 10 }, 0],
      [aged(11), {}, { maximum_age_days: 10 }, 1],
      [aged(4000), {}, { maximum_age_days: null }, 0],
    ] as const) {
      const responses = [read(headers), issued("A0")];
      const { client, requests, file } = await kept({ responses, stored, grace_seconds: 7, ...maximum });
      await client({ call: "get_token" });

      const sent = requests.slice(1).map(({ method, url, body }) => [method, url, body]);
      expect(sent).toEqual(Array(rotations).fill(["POST", rotation, "grace_seconds=7"]));
      expect((await file.read()).token).toBe(rotations > 0 ? issuedToken("A0").token : "itk_1_secret");
    }
  },

  "goes on with the token that another process has stored, without a refused call": async ({ open, kept }) => {
    const { client: first, file } = await kept();
    const second = await open();
    await second({ call: "open_kept", file: file.path });
    const { value } = await second({ call: "rotate", grace_seconds: 0 });

    const { token_id } = value as { token_id: string };
    expect(await first({ call: "get_token" })).toMatchObject({ value: { token_id }, notes: { replaced: [token_id] } });
    expect(await first({ call: "rotate", grace_seconds: 0 })).toMatchObject({ value: { ip: "127.0.0.1" } });
    expect((await second({ call: "get_token" })).failure).toBeUndefined();

    const { value: successor } = await second({ call: "rotate", grace_seconds: 3600 });
    const { notes } = await first({ call: "get_token" });
    expect(notes).toEqual({ replaced: [(successor as { token_id: string }).token_id] });
  },

  "repeats a rotation whose response was lost when the old token has ended": async ({ open, kept }) => {
    const { client, file, token } = await kept();
    const unaware = await open({ token });
    const { value } = await unaware({ call: "rotate", grace_seconds: 0 });

    const { token_id } = value as { token_id: string };
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
    expect((await file.read()).token_id).toBe(token_id);
  },

  "reports a rotation that is refused, makes the call all the same, and does not ask at once again": async (world) => {
    const { file, token } = await world.kept({ stored: due });
    await world.service.admin({ action: "rotate", token_id: idOf(token), grace_seconds: 60 });
    const { baseUrl, exchanges } = await recorded(world.service.baseUrl);
    const client = await world.open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });

    const first = await client({ call: "get_token" });
    expect(first.value).toMatchObject({ token_id: idOf(token) });
    expect(first.notes?.problems).toMatchObject([{ kind: "ApiFailure", code: "token_already_rotated" }]);
    expect((await client({ call: "get_token" })).notes).toBeUndefined();
    expect(exchanges.map(({ path }) => path)).toEqual([own, rotation, own]);
  },

  "fails with the service's own refusal if its token has ended": async ({ service, kept }) => {
    for (const [code, ending] of [
      ["token_revoked", { action: "revoke" }],
      ["token_expired", { action: "rotate", grace_seconds: 0 }],
    ] as const) {
      const { client, file, token } = await kept({ may_move: true });
      await service.admin({ ...ending, token_id: idOf(token) });
      expect((await client({ call: "get_token" })).failure).toMatchObject({ status: 401, code });
      expect((await file.read()).token).toBe(token);
    }
  },

  "asks to move only if it is told to, and goes on when an admin has confirmed": async ({ service, kept }) => {
    const { client, file, token } = await kept({ ip: "198.51.100.7" });
    expect((await client({ call: "get_token" })).failure?.code).toBe("ip_not_allowed");
    const stored = () => service.admin({ action: "get", token_id: idOf(token) });
    expect(await stored()).toMatchObject({ request: null });

    await client({ call: "open_kept", file: file.path, may_move: true });
    const [{ value, notes }] = await Promise.all([client({ call: "get_token" }), confirmNext(service, idOf(token))]);
    expect(notes?.confirmations).toMatchObject([{ ip: "127.0.0.1" }]);
    const { successor_id } = await stored();
    expect(value).toMatchObject({ token_id: successor_id, ip: "127.0.0.1" });
    expect((await file.read()).token_id).toBe(successor_id);
  },

  "sends a refused request again with its new token, and otherwise unchanged": async ({ kept }) => {
    const key = found(keyNamed("1"), { etag: '"a"' });
    const responses = [key, refused(401, "token_expired"), issued("A0"), key];
    const { client, requests } = await kept({ responses });
    await client({ call: "get_key", key_id: "1", keep: "read" });
    await client({ call: "replace_key", key_id: "1", v_code: "é&", if_unchanged: "read" });

    const [, refusedRequest, , again] = requests;
    expect(refusedRequest?.headers["if-match"]).toBe('"a"');
    const headers = { ...refusedRequest?.headers, "x-token": issuedToken("A0").token };
    expect(again).toEqual({ ...refusedRequest, headers });
  },

  "reports a move that is refused, and does not ask again at once": async ({ kept }) => {
    const notAllowed = refused(403, "ip_not_allowed");
    const responses = [notAllowed, refused(403, "request_rejected"), notAllowed];
    const { client, requests } = await kept({ responses, may_move: true });

    const { failure, notes } = await client({ call: "get_token" });
    expect(failure?.code).toBe("ip_not_allowed");
    expect(notes?.problems).toMatchObject([{ code: "request_rejected" }]);
    expect((await client({ call: "get_token" })).failure?.code).toBe("ip_not_allowed");
    expect(requests.map(({ url }) => url)).toEqual([own, "/api/v1/token/move", own]);
  },
};
