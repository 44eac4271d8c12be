import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, sharedService, type TestService } from "../support/service.ts";
import { tablesOf } from "../support/tables.ts";

let service: TestService;
const ids = Array.from({ length: 23 }, (_, index) => `key/${index} ü`);

beforeAll(async () => {
  service = await sharedService();
  for (const key_id of ids) await service.call("POST", "/api/v1/key", { form: { key_id, v_code: "v".repeat(64) } });
});

const nextOf = ({ headers }: Answer): string | undefined => /^<(.*)>; rel="next"$/.exec(headers.link ?? "")?.[1];

const vCode = { v_code: "v".repeat(64) };

const idsIn = (answer: Answer): string[] => (answer.json() as { key_id: string }[]).map(({ key_id }) => key_id);

describe("GET /key", () => {
  test("returns a JSON array, complete if it fits on one page", async () => {
    const answer = await service.call("GET", "/api/v1/key");

    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(idsIn(answer).toSorted()).toEqual(ids.toSorted());
    expect(answer.headers.link).toBeUndefined();
  });

  test.each([1, 7, 22, 23, 1000])(
    "returns every key exactly once in pages of %i, without an extra page",
    async (limit) => {
      const seen: string[] = [];
      let pages = 0;
      for (let path: string | undefined = `/api/v1/key?limit=${limit}`; path !== undefined; pages += 1) {
        const answer: Answer = await service.call("GET", path);
        expect(answer.status).toBe(200);
        seen.push(...idsIn(answer));
        path = nextOf(answer);
      }

      expect(seen.toSorted()).toEqual(ids.toSorted());
      expect(pages).toBe(Math.ceil(ids.length / limit));
    },
  );

  test.each(["0", "1001", "-1", "1.5", "1e2", "abc", "", "%201"])("refuses a limit of %j", async (limit) => {
    const answer = await service.call("GET", `/api/v1/key?limit=${limit}`);

    expect(answer.status).toBe(422);
    expect(answer.json()).toEqual({ limit: ["The limit must be a whole number from 1 to 1000."] });
  });

  test("refuses a limit that is sent twice", async () => {
    expect((await service.call("GET", "/api/v1/key?limit=1&limit=2")).status).toBe(422);
  });

  test.each(["!", "a", "", "AA==", "_w"])("refuses the cursor %j", async (cursor) => {
    const answer = await service.call("GET", `/api/v1/key?cursor=${cursor}`);

    expect(answer.status).toBe(422);
    expect(answer.json()).toEqual({
      cursor: ["The cursor is not one that this service returned. Start again without it."],
    });
  });

  test("reports an invalid limit and an invalid cursor at once", async () => {
    const answer = await service.call("GET", "/api/v1/key?limit=0&cursor=!");

    expect(Object.keys(answer.json() as object).toSorted()).toEqual(["cursor", "limit"]);
  });

  test("lets a client that asks once, and follows no links, synchronise 5,000 keys", async () => {
    const wanted = new Set(Array.from({ length: 5_000 }, (_, index) => `key ${index}`));
    const synchronise = async () => {
      const stored = new Set(idsIn(await service.call("GET", "/api/v1/key")));
      const missing = [...wanted].filter((key_id) => !stored.has(key_id));
      const obsolete = [...stored].filter((key_id) => !wanted.has(key_id));
      for (const key_id of missing) await service.call("POST", "/api/v1/key", { form: { key_id, ...vCode } });
      for (const key_id of obsolete) await service.call("DELETE", `/api/v1/key/${encodeURIComponent(key_id)}`);
      return { created: missing.length, deleted: obsolete.length };
    };
    // The client has stored most of them before, and 23 others.
    const time = "2026-11-21T10:15:30.123Z";
    const known = [...wanted].slice(0, 4_900);
    const keys = [...ids, ...known].map((key_id) => ({ key_id, ...vCode, created_at: time, updated_at: time }));
    await tablesOf(service).fill({ keys });

    expect(await synchronise()).toEqual({ created: 100, deleted: ids.length });
    expect(await synchronise()).toEqual({ created: 0, deleted: 0 });
    const last = await service.call("GET", "/api/v1/key");
    expect(last.headers.link).toBeUndefined();
    expect(idsIn(last).toSorted()).toEqual([...wanted].toSorted());
  });
});
