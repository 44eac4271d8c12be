import type { RequestListener } from "node:http";
import { expect } from "vitest";
import { busy, found, issued, issuedToken, keyNamed, refused } from "./services.ts";
import type { Behaviours } from "./world.ts";

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

const rotation = "POST /api/v1/token/rotation";
const end = "2026-12-03T10:15:30.123Z";
const expires = (expires_at: string) => ({ "x-token-expires-at": expires_at, "x-token-rotation": rotation });
const finally_ = (expires_at: string) => ({ "x-token-expires-at": expires_at });

const page = (headers: Record<string, string> = {}) => found([keyNamed("1")], headers);

/** Tests what a client does when the service announces the end of its token. */
export const expiry: Behaviours = {
  "warns once for each expiry date, says what to do, and does not show the token": async ({ scripted }) => {
    const later = "2026-12-04T10:15:30.123Z";
    const announcements = [expires(end), expires(end), expires(later), expires(later), finally_(end)];
    const { client } = await scripted(announcements.map(page), { token: "itk_1_secret" });
    const warnings: string[][] = [];
    for (const _ of announcements) warnings.push((await client({ call: "pages" })).notes?.warnings ?? []);

    const first = /token .* expires at 2026-12-03.* Call rotate\(\) before then, and store the new token\.$/;
    const last = "Switch to its successor before then, or ask an admin for a later end.";
    expect(warnings).toEqual([
      [expect.stringMatching(first)],
      [],
      [expect.stringContaining("expires at 2026-12-04")],
      [],
      [expect.stringContaining(last)],
    ]);
    expect(warnings.join()).not.toContain("secret");
  },

  "reads the expiry date of each attempt, also of failed ones": async ({ scripted }) => {
    const responses = [
      busy(503, expires(end)),
      refused(404, "key_not_found", expires(inDays(1))),
      refused(422, "validation_failed", expires(inDays(2))),
    ];
    const { client } = await scripted(responses, { on_token_expiring: "noting" });
    const missing = await client({ call: "get_key", key_id: "1" });
    expect(missing.failure?.status).toBe(404);
    expect(missing.notes?.expiring).toMatchObject([{ expires_at: end }, { rotation }]);
    expect((await client({ call: "delete_key", key_id: "1" })).notes?.expiring).toHaveLength(1);
  },

  "completes the call even if the expiry callback fails, and logs the failure": async ({ scripted }) => {
    const { client } = await scripted([page(expires(end))], { on_token_expiring: "failing" });
    const { value, notes } = await client({ call: "pages" });
    expect(value).toEqual([[keyNamed("1")]]);
    expect(notes?.warnings).toEqual([expect.stringMatching(/expiring failed[\s\S]*The mail was not sent\./i)]);
  },

  "stays silent if the expiry header is missing or malformed": async ({ scripted }) => {
    const [day, time] = end.split("T");
    const dates = ["", "soon", "12", `${day}`, `2026-13-03T${time}`, end.slice(0, -1), `${end}, ${end}`];
    const responses = [page(), page({ "x-token-rotation": rotation }), ...dates.map((date) => page(expires(date)))];
    const { client } = await scripted([...responses]);
    for (const _ of responses)
      expect(await client({ call: "pages" })).toEqual({ value: [[keyNamed("1")]], retries: [] });
  },

  "rotates only once if no successor expires later, and after that by age": async ({ kept }) => {
    const january = (day: number) => new Date(Date.UTC(2027, 0, day)).toISOString();
    const [issued_at, expires_at] = [january(1), january(31)];
    const days = [2, 20, 21, 27, 28, 29, 30, 30.5, 30.9];
    for (const [isReopened, stored, maximum, rotated] of [
      [false, { issued_at, expires_at: january(365) }, {}, [21]],
      [true, { issued_at, expires_at: january(365) }, {}, [21]],
      [false, { issued_at, expires_at: null }, { maximum_age_days: 7 }, [21, 28]],
      [true, { issued_at, expires_at: null }, { maximum_age_days: 7 }, [21, 28]],
    ] as const) {
      const told: number[] = [];
      const rotations: number[] = [];
      let today = 0;
      const response: RequestListener = (request, response) => {
        const headers = { ...finally_(expires_at), date: new Date(january(today)).toUTCString() };
        if (request.method === "GET") return page(headers)(request, response);
        rotations.push(today);
        found({ ...issuedToken(`A${today}`), issued_at: january(today), expires_at })(request, response);
      };
      const { client, file } = await kept({ responses: Array(20).fill(response), stored, ...maximum });
      for (today of days) {
        if (isReopened) await client({ call: "open_kept", file: file.path, ...maximum });
        if ((await client({ call: "pages" })).notes?.expiring) told.push(today);
      }
      expect(rotations).toEqual(rotated);
      expect(told).toEqual(isReopened ? days : [2, ...rotated]);
    }
  },

  "rotates a token in a file by the earlier of the stored and the announced expiry dates": async ({ kept }) => {
    for (const [stored, announced, rotations] of [
      [{ issued_at: inDays(-1), expires_at: inDays(20) }, expires(inDays(20)), 0],
      [{ issued_at: inDays(-19), expires_at: inDays(1) }, expires(inDays(29)), 1],
      // Has no expiry until an admin sets one.
      [{ issued_at: inDays(-10) }, {}, 0],
      [{ issued_at: inDays(-10) }, expires(inDays(1)), 1],
    ] as const) {
      const { client, requests } = await kept({ responses: [page(announced), issued("A0")], stored });
      expect((await client({ call: "pages" })).notes?.expiring).toBeUndefined();
      expect(requests.map(({ url }) => url)).toEqual(["/api/v1/key", "/api/v1/token/rotation"].slice(0, 1 + rotations));
    }
  },

  "reports once that a token in a file expires and cannot be rotated": async ({ kept }) => {
    const announced = page(finally_(end));
    const { client, requests } = await kept({
      responses: [announced, refused(409, "token_already_rotated"), announced],
      stored: { issued_at: inDays(-19), expires_at: inDays(1) },
    });
    const { value, notes } = await client({ call: "pages" });
    expect(value).toEqual([[keyNamed("1")]]);
    expect(notes).toMatchObject({
      problems: [{ code: "token_already_rotated" }],
      expiring: [{ expires_at: end, rotation: null }],
    });
    expect((await client({ call: "pages" })).notes).toBeUndefined();
    expect(requests).toHaveLength(3);
  },
};
