import { expect } from "vitest";
import { busy, found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import { type Behaviours, keyNamed } from "../support/behaviour.ts";
import { idOf, issued, issuedToken, refused } from "../support/token-answers.ts";
import { tokenFile } from "../support/token-files.ts";

const dayMs = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();

const rotation = "POST /api/v1/token/rotation";
const end = "2026-12-03T10:15:30.123Z";
const expires = (expires_at: string) => ({ "x-token-expires-at": expires_at, "x-token-rotation": rotation });

const page = (headers: Record<string, string> = {}) => found([keyNamed("1")], headers);

/** What a client does when the service announces the end of its token. */
export const expiry: Behaviours = {
  "warns once for each end of its token, says what to do, and does not show the token": async ({ open }) => {
    const later = "2026-12-04T10:15:30.123Z";
    const { baseUrl } = await scripted(...[end, end, end, later, later].map((date) => page(expires(date))));
    const client = await open({ base_url: baseUrl, token: "itk_1_secret" });
    const warnings: string[][] = [];
    for (let calls = 0; calls < 5; calls += 1) warnings.push((await client({ call: "pages" })).notes?.warnings ?? []);

    expect(warnings).toEqual([
      [
        expect.stringMatching(
          /token .* expires at 2026-12-03.* Call rotate\(\) before then, and store the new token\.$/,
        ),
      ],
      [],
      [],
      [expect.stringContaining("expires at 2026-12-04")],
      [],
    ]);
    expect(warnings.join()).not.toContain("secret");
  },

  "warns that a token which ends has a successor already": async ({ open }) => {
    const { baseUrl } = await scripted(page({ "x-token-expires-at": end }));
    const client = await open({ base_url: baseUrl });
    expect((await client({ call: "pages" })).notes?.warnings).toEqual([
      expect.stringContaining("It has a successor already: switch to that before then."),
    ]);
  },

  "tells its user when the token expires, and how to replace it": async ({ service, open }) => {
    const expires_at = inDays(12.5);
    const token = await service.issueToken("127.0.0.1", { expires_at });
    const client = await open({ token, on_token_expiring: "noting" });
    const { value, notes } = await client({ call: "get_token" });
    expect(value).toMatchObject({ expires_at, expiring: { days: 12, rotation } });
    expect(notes).toEqual({ expiring: [{ expires_at, rotation }] });

    const old = await open({ token, on_token_expiring: "noting" });
    const { value: successor } = await client({ call: "rotate", grace_seconds: 3600 });
    const { notes: notesOfOld } = await old({ call: "get_token" });
    expect(notesOfOld?.expiring).toMatchObject([{ rotation: null }]);
    expect((await client({ call: "get_token" })).notes?.expiring).toMatchObject([
      { expires_at: (successor as { expires_at: string }).expires_at, rotation },
    ]);
  },

  "learns it from refusals, and from each attempt": async ({ open }) => {
    const answers = [
      busy(503, expires(end)),
      refused(404, "key_not_found", expires(inDays(1))),
      refused(422, "validation_failed", expires(inDays(2))),
    ];
    const { baseUrl } = await scripted(...answers);
    const client = await open({ base_url: baseUrl, on_token_expiring: "noting" });
    const missing = await client({ call: "get_key", key_id: "1" });
    expect(missing.failure?.status).toBe(404);
    expect(missing.notes?.expiring).toMatchObject([{ expires_at: end }, { rotation }]);
    expect((await client({ call: "delete_key", key_id: "1" })).notes?.expiring).toHaveLength(1);
  },

  "makes the call all the same if its user cannot be told, and shows why": async ({ open }) => {
    const { baseUrl } = await scripted(page(expires(end)));
    const client = await open({ base_url: baseUrl, on_token_expiring: "failing" });
    const { value, notes } = await client({ call: "pages" });
    expect(value).toEqual([[keyNamed("1")]]);
    expect(notes?.warnings).toEqual([expect.stringMatching(/expiring failed[\s\S]*The mail was not sent\./i)]);
  },

  "says nothing without an announcement, or if its date cannot be read": async ({ open }) => {
    const dates = [
      "",
      "soon",
      "12",
      "2026-12-03",
      "2026-13-03T10:15:30.123Z",
      "2026-12-03T10:15:30.123",
      `${end}, ${end}`,
    ];
    const answers = [page(), page({ "x-token-rotation": rotation }), ...dates.map((date) => page(expires(date)))];
    const { baseUrl } = await scripted(...answers);
    const client = await open({ base_url: baseUrl });
    for (const _ of answers) expect(await client({ call: "pages" })).toEqual({ value: [[keyNamed("1")]], retries: [] });
  },

  "reads the token from a service that does not say yet whether it expires soon": async ({ open }) => {
    const { token: _, ...described } = issuedToken("A0");
    const { baseUrl } = await scripted(found({ ...described, seen_ip: "127.0.0.1" }));
    const client = await open({ base_url: baseUrl });
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: described.token_id });
  },

  "rotates a token in a file in time if an admin has brought its end forward": async ({ service, open }) => {
    const file = await tokenFile();
    const token = await service.issueToken("127.0.0.1", { expires_at: inDays(300) });
    await file.store(token, { issued_at: inDays(-10), expires_at: inDays(300) });
    const client = await open();
    await client({ call: "open_kept", file: file.path });
    expect((await client({ call: "get_token" })).notes).toBeUndefined();
    await service.admin({ action: "update", token_id: idOf(token), expires_at: inDays(1) });

    const { value, notes } = await client({ call: "get_token" });
    const { token_id } = await file.read();
    expect(value).toMatchObject({ token_id: idOf(token) });
    expect(token_id).not.toBe(idOf(token));
    expect(notes).toEqual({ replaced: [token_id] });
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
  },

  "rotates a token in a file that had no end until an admin set one": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", { issued_at: inDays(-10) });
    const { baseUrl, requests } = await scripted(page(), page(expires(inDays(1))), issued("A0"));
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });
    await client({ call: "pages" });
    expect(requests).toHaveLength(1);
    await client({ call: "pages" });
    expect(requests.map(({ url }) => url)).toEqual(["/api/v1/key", "/api/v1/key", "/api/v1/token/rotation"]);
  },

  "tells its user about the end that an admin has set for a token in a file, because no successor outlives it": async ({
    open,
  }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", { issued_at: inDays(-10) });
    const { expires_at } = issuedToken("A0");
    const { baseUrl } = await scripted(
      page({ ...expires(expires_at), date: "Sun, 21 Nov 2027 10:00:00 GMT" }),
      issued("A0"),
    );
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });
    const { notes } = await client({ call: "pages" });
    expect(notes).toEqual({ replaced: [issuedToken("A0").token_id], expiring: [{ expires_at, rotation }] });
  },

  "does not rotate a token in a file early because its end is announced, or late because an end is": async ({
    open,
  }) => {
    for (const [stored, announced, rotations] of [
      [{ issued_at: inDays(-1), expires_at: inDays(20) }, inDays(20), 0],
      [{ issued_at: inDays(-19), expires_at: inDays(1) }, inDays(29), 1],
    ] as const) {
      const file = await tokenFile();
      await file.store("itk_1_secret", stored);
      const { baseUrl, requests } = await scripted(page(expires(announced)), issued("A0"));
      const client = await open({ base_url: baseUrl });
      await client({ call: "open_kept", file: file.path });
      expect((await client({ call: "pages" })).notes?.expiring).toBeUndefined();
      expect(requests).toHaveLength(1 + rotations);
    }
  },

  "tells its user once about a token in a file that expires and cannot be replaced": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", { issued_at: inDays(-19), expires_at: inDays(1) });
    const announced = page({ "x-token-expires-at": end });
    const { baseUrl } = await scripted(announced, refused(409, "token_already_rotated"), announced);
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });

    const { value, notes } = await client({ call: "pages" });
    expect(value).toEqual([[keyNamed("1")]]);
    expect(notes).toMatchObject({
      problems: [{ code: "token_already_rotated" }],
      expiring: [{ expires_at: end, rotation: null }],
    });
    expect((await client({ call: "pages" })).notes).toBeUndefined();
  },
};
