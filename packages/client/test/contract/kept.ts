import { chmod, symlink, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { busy, describedToken, found, issued, issuedToken, keyNamed, noContent, refused } from "./services.ts";
import { due, tokenFile } from "./stored-token.ts";
import type { Behaviours } from "./world.ts";

const read = found(describedToken);
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
  "stores the token of its invitation in a file that only its owner can read, and reuses it later": async ({
    scripted,
  }) => {
    const file = await tokenFile();
    const { client, requests } = await scripted([issued("A0"), read, read]);
    const opening = { call: "open_kept", file: file.path, invitation: "iti_1" } as const;
    expect((await client(opening)).failure).toBeUndefined();
    expect(await file.read()).toEqual(issuedToken("A0"));
    expect(await file.mode()).toBe(0o600);
    expect(await file.names()).toEqual(["token.json"]);

    await client({ call: "get_token" });
    await client(opening);
    await client({ call: "get_token" });
    const { token } = issuedToken("A0");
    expect(requests.map(({ headers }) => headers["x-token"])).toEqual(["iti_1", token, token]);
  },

  "says why it does not trust a file, and leaves the file unchanged": async ({ uncalled }) => {
    const { client } = await uncalled();
    for (const [content, mode, folderMode, problem] of untrusted) {
      const file = await tokenFile();
      await writeFile(file.path, content);
      await chmod(file.path, mode);
      await chmod(file.folder, folderMode);
      const { failure, notes } = await client({ call: "open_kept", file: file.path, invitation: "iti_unused" });

      expect(failure).toMatchObject({ kind: "TokenFileError", message: expect.stringContaining(problem) });
      expect(`${failure?.message}${notes?.shown}`).not.toContain("secret");
      expect(await file.text()).toBe(content);
    }
  },

  "does not follow symbolic links, and needs a file or an invitation": async ({ uncalled }) => {
    const [file, elsewhere] = [await tokenFile(), await tokenFile()];
    await elsewhere.store("itk_secret");
    const { client } = await uncalled();
    const opening = async (path: string) => (await client({ call: "open_kept", file: path })).failure;
    const refusal = (message: RegExp) => ({ kind: "TokenFileError", message: expect.stringMatching(message) });

    expect(await opening(file.path)).toMatchObject(refusal(/no .*invitation/));
    await symlink(elsewhere.path, file.path);
    expect(await opening(file.path)).toMatchObject(refusal(/not a regular/));
    expect(await opening(join(file.folder, "none", "token.json"))).toEqual({ kind: "system" });
  },

  "deletes its file only after its token is revoked": async ({ kept }) => {
    const { client, file } = await kept({ responses: [busy(400), noContent] });
    expect((await client({ call: "revoke" })).failure?.status).toBe(400);
    expect((await file.read()).token).toBe("itk_1_secret");
    await client({ call: "revoke" });
    expect(await file.names()).toEqual([]);
  },

  "rotates once for concurrent calls, and then uses the successor": async ({ kept }) => {
    const respond: RequestListener = (from, to) => (from.method === "POST" ? issued("A0") : read)(from, to);
    const { client, file, requests } = await kept({ responses: Array(20).fill(respond), stored: due });
    const { notes } = await client({ call: "get_token_at_once" });
    await client({ call: "get_token" });

    expect(notes).toEqual({ replaced: [issuedToken("A0").token_id] });
    expect(requests.filter(({ url }) => url === rotation)).toHaveLength(1);
    expect(requests.at(-1)?.headers["x-token"]).toBe(issuedToken("A0").token);
    expect(await file.mode()).toBe(0o600);
  },

  "postpones the rotation until a busy service has recovered": async ({ kept }) => {
    const responses = [busy(503), busy(429), busy(500), read, issued("A0")];
    const { client, requests } = await kept({ responses, stored: due });
    expect((await client({ call: "get_token" })).failure?.status).toBe(500);
    await client({ call: "get_token" });

    expect(requests.map(({ url }) => url)).toEqual([own, own, own, own, rotation]);
  },

  "rotates by the service's clock, after 90 days, after the given number of days, or never": async ({ kept }) => {
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
      const responses = [found(describedToken, headers), issued("A0")];
      const { client, requests, file } = await kept({ responses, stored, grace_seconds: 7, ...maximum });
      await client({ call: "get_token" });

      const sent = requests.slice(1).map(({ method, url, body }) => [method, url, body]);
      expect(sent).toEqual(Array(rotations).fill(["POST", rotation, "grace_seconds=7"]));
      expect((await file.read()).token).toBe(rotations > 0 ? issuedToken("A0").token : "itk_1_secret");
    }
  },

  "repeats a rejected request unchanged, but with its new token": async ({ kept }) => {
    const key = found(keyNamed("1"), { etag: '"a"' });
    const { client, requests } = await kept({ responses: [key, refused(401, "token_expired"), issued("A0"), key] });
    await client({ call: "get_key", key_id: "1", keep: "read" });
    await client({ call: "replace_key", key_id: "1", v_code: "é&", if_unchanged: "read" });

    const [, refusedRequest, , again] = requests;
    expect(refusedRequest?.headers["if-match"]).toBe('"a"');
    const headers = { ...refusedRequest?.headers, "x-token": issuedToken("A0").token };
    expect(again).toEqual({ ...refusedRequest, headers });
  },

  "fails with the service's error if no new token is available, and does not ask again at once": async ({ kept }) => {
    const [moved, revoked] = [refused(403, "ip_not_allowed"), refused(401, "token_revoked")];
    const [expired, rejected] = [refused(401, "token_expired"), refused(403, "request_rejected")];
    for (const [code, responses, may_move, paths] of [
      ["token_revoked", [revoked], true, [own]],
      ["token_expired", [expired, expired], false, [own, rotation]],
      ["token_expired", [expired, expired, expired], true, [own, rotation, `${own}/move`]],
      ["ip_not_allowed", [moved], false, [own]],
      ["ip_not_allowed", [moved, rejected], true, [own, `${own}/move`]],
    ] as const) {
      const answers = [...responses, responses[0]];
      const { client, file, requests } = await kept({ responses: answers, may_move });
      const { failure, notes } = await client({ call: "get_token" });
      expect(failure?.code).toBe(code);
      expect(notes?.problems?.length ?? 0).toBe(paths.length > 1 ? 1 : 0);
      expect((await client({ call: "get_token" })).failure?.code).toBe(code);
      expect(requests.map(({ url }) => url)).toEqual([...paths, own]);
      expect((await file.read()).token).toBe("itk_1_secret");
    }
  },

  "uses its successor after a move": async ({ kept }) => {
    const { client, file, requests } = await kept({
      responses: [refused(403, "ip_not_allowed"), issued("A0"), read],
      may_move: true,
    });
    expect((await client({ call: "get_token" })).value).toEqual(describedToken);
    expect(requests.map(({ url }) => url)).toEqual([own, `${own}/move`, own]);
    expect((await file.read()).token).toBe(issuedToken("A0").token);
  },
};
