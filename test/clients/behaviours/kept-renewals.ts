import { expect } from "vitest";
import { busy, found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import type { Behaviours } from "../support/behaviour.ts";
import { recorded } from "../support/recorder.ts";
import { confirmNext, idOf, issued, issuedToken, refused } from "../support/token-answers.ts";
import { due, tokenFile } from "../support/token-files.ts";

const { token: _, ...described } = issuedToken("A0");
const describedToken = { ...described, seen_ip: "127.0.0.1", expiring: null };

/** The paths of the calls that a service got. */
const pathsOf = (requests: { method: string; url: string }[]) => requests.map(({ method, url }) => `${method} ${url}`);

/** When a client whose token is kept in a file asks for a new one, and what it does if it gets none. */
export const keptRenewals: Behaviours = {
  "rotates after a call when a third of the lifetime is left, and goes on with the successor": async (world) => {
    const file = await tokenFile();
    const token = await world.service.issueToken();
    await file.store(token, due);
    const client = await world.open();
    await client({ call: "open_kept", file: file.path });
    const { value, notes } = await client({ call: "get_token" });

    const stored = await file.read();
    expect(value).toMatchObject({ token_id: idOf(token) });
    expect(stored.token_id).not.toBe(idOf(token));
    expect(notes).toEqual({ replaced: [stored.token_id] });
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: stored.token_id });
    expect(await file.mode()).toBe(0o600);
    const old = await world.service.admin({ action: "get", token_id: idOf(token) });
    expect(Date.parse(String(old.expires_at)) - Date.parse(String(old.rotated_at))).toBe(86_400_000);
  },

  "rotates when a busy service has recovered, and not before": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", due);
    const answers = [busy(503), busy(429), busy(500), found(describedToken), issued("A0")];
    const { baseUrl, requests } = await scripted(...answers);
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });
    expect((await client({ call: "get_token" })).failure?.status).toBe(500);
    await client({ call: "get_token" });

    const get = "GET /api/v1/token";
    expect(pathsOf(requests)).toEqual([get, get, get, get, "POST /api/v1/token/rotation"]);
  },

  "goes by the clock of the service, not by that of its machine": async ({ open }) => {
    const lifetime = { issued_at: "2040-01-01T00:00:00.000Z", expires_at: "2040-01-31T00:00:00.000Z" };
    for (const [day, rotations] of [
      ["Fri, 20 Jan 2040", 0],
      ["Sat, 21 Jan 2040", 1],
    ] as const) {
      const file = await tokenFile();
      await file.store("itk_1_secret", lifetime);
      const date = `${day} 00:00:00 GMT`;
      const { baseUrl, requests } = await scripted(found(describedToken, { date }), issued("A0"));
      const client = await open({ base_url: baseUrl });
      await client({ call: "open_kept", file: file.path });
      await client({ call: "get_token" });
      expect(requests).toHaveLength(1 + rotations);
    }
  },

  "rotates a token that does not expire after 90 days, after as many as it is told, or never": async ({ open }) => {
    for (const [age, maximum, rotations] of [
      [89, {}, 0],
      [91, {}, 1],
      [9, { maximum_age_days: 10 }, 0],
      [11, { maximum_age_days: 10 }, 1],
      [4000, { maximum_age_days: null }, 0],
    ] as const) {
      const file = await tokenFile();
      await file.store("itk_1_secret", { issued_at: new Date(Date.now() - age * 86_400_000).toISOString() });
      const { baseUrl, requests } = await scripted(found(describedToken), issued("A0"));
      const client = await open({ base_url: baseUrl });
      await client({ call: "open_kept", file: file.path, grace_seconds: 7, ...maximum });
      await client({ call: "get_token" });

      expect(pathsOf(requests).slice(1)).toEqual(Array(rotations).fill("POST /api/v1/token/rotation"));
      if (rotations > 0) expect(requests[1]?.body).toBe("grace_seconds=7");
      expect((await file.read()).token).toBe(rotations > 0 ? issuedToken("A0").token : "itk_1_secret");
    }
  },

  "goes on with the token that another process has stored, without a refused call": async ({ service, open }) => {
    const file = await tokenFile();
    await file.store(await service.issueToken());
    const [first, second] = [await open(), await open()];
    await first({ call: "open_kept", file: file.path });
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

  "repeats a rotation whose answer was lost when the old token has ended": async ({ service, open }) => {
    const file = await tokenFile();
    const token = await service.issueToken();
    await file.store(token);
    const unaware = await open({ token });
    const { value } = await unaware({ call: "rotate", grace_seconds: 0 });
    const client = await open();
    await client({ call: "open_kept", file: file.path });

    const { token_id } = value as { token_id: string };
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
    expect((await file.read()).token_id).toBe(token_id);
  },

  "reports a rotation that is refused, makes the call all the same, and does not ask at once again": async (world) => {
    const file = await tokenFile();
    const token = await world.service.issueToken();
    await file.store(token, due);
    await world.service.admin({ action: "rotate", token_id: idOf(token), grace_seconds: 60 });
    const { baseUrl, exchanges } = await recorded(world.service.baseUrl);
    const client = await world.open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });

    const first = await client({ call: "get_token" });
    expect(first.value).toMatchObject({ token_id: idOf(token) });
    expect(first.notes?.problems).toMatchObject([{ kind: "ApiFailure", code: "token_already_rotated" }]);
    expect((await client({ call: "get_token" })).notes).toBeUndefined();
    expect(exchanges.map(({ path }) => path)).toEqual(["/api/v1/token", "/api/v1/token/rotation", "/api/v1/token"]);
  },

  "fails with the service's own refusal if its token has ended": async ({ service, open }) => {
    const revoked = await service.issueToken();
    await service.admin({ action: "revoke", token_id: idOf(revoked) });
    const expired = await service.issueToken();
    await service.admin({ action: "rotate", token_id: idOf(expired), grace_seconds: 0 });
    for (const [token, code] of [
      [revoked, "token_revoked"],
      [expired, "token_expired"],
    ] as const) {
      const file = await tokenFile();
      await file.store(token);
      const client = await open();
      await client({ call: "open_kept", file: file.path, may_move: true });
      expect((await client({ call: "get_token" })).failure).toMatchObject({ status: 401, code });
      expect((await file.read()).token).toBe(token);
    }
  },

  "asks to move only if it is told to, and goes on when an admin has confirmed": async ({ service, open }) => {
    const file = await tokenFile();
    const token = await service.issueToken("198.51.100.7");
    await file.store(token);
    const client = await open();
    await client({ call: "open_kept", file: file.path });
    expect((await client({ call: "get_token" })).failure?.code).toBe("ip_not_allowed");
    const read = () => service.admin({ action: "get", token_id: idOf(token) });
    expect(await read()).toMatchObject({ request: null });

    await client({ call: "open_kept", file: file.path, may_move: true, poll_milliseconds: 20_000 });
    const [{ value, notes }] = await Promise.all([client({ call: "get_token" }), confirmNext(service, idOf(token))]);
    expect(notes?.confirmations).toMatchObject([{ ip: "127.0.0.1" }]);
    const { successor_id } = await read();
    expect(value).toMatchObject({ token_id: successor_id, ip: "127.0.0.1" });
    expect((await file.read()).token_id).toBe(successor_id);
  },

  "reports a move that is refused, and does not ask again at once": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret");
    const notAllowed = refused(403, "ip_not_allowed");
    const { baseUrl, requests } = await scripted(notAllowed, refused(403, "request_rejected"), notAllowed);
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path, may_move: true });

    const { failure, notes } = await client({ call: "get_token" });
    expect(failure?.code).toBe("ip_not_allowed");
    expect(notes?.problems).toMatchObject([{ code: "request_rejected" }]);
    expect((await client({ call: "get_token" })).failure?.code).toBe("ip_not_allowed");
    expect(pathsOf(requests)).toEqual(["GET /api/v1/token", "POST /api/v1/token/move", "GET /api/v1/token"]);
  },
};
