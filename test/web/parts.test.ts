import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ApiFailure } from "../../web/admin/api/api-failure.ts";
import { csvOf } from "../../web/admin/pages/csv-files.ts";
import {
  type HistoryFilters,
  historyAddress,
  parseFilters,
  toField,
} from "../../web/admin/pages/history/history-filters.ts";
import { generateVCode } from "../../web/admin/pages/keys/v-code-field.tsx";
import { intervalOf } from "../../web/admin/parts/app-context.tsx";
import { cursorsOf } from "../../web/admin/parts/routes.ts";
import { localTime, relativeTime, utcTime, zoneFormat, zoneName } from "../../web/admin/parts/time.ts";
import { hiddenCodes, partsOf, visibleText } from "../../web/admin/parts/visible-characters.ts";
import { currentSession, type Session, storedSession } from "../../web/admin/session/session.ts";
import { now } from "./record-examples.ts";

describe("CSV", () => {
  /** Reads rows like a spreadsheet that splits cells at any of these separators. */
  const cellsOf = (text: string, separators: string): string[] => {
    const cells: string[] = [];
    const pattern = new RegExp(`(?:"((?:[^"]|"")*)")?([^${separators}\\r\\n]*)(?:[${separators}]|\\r\\n?|\\n|$)`, "gy");
    for (let match = pattern.exec(text); match?.[0]; match = pattern.exec(text)) {
      cells.push((match[1] ?? "").replaceAll('""', '"') + match[2]);
    }
    return cells;
  };

  const befores = ["", ...' |\u00a0|"|""|;|; |;"|;;|\t|\n|\r\n|\r|a";|a,;|a",";'.split("|")];
  const formulas = [..."=+-@＝＋－＠"].map((sign) => `${sign}cmd|' /c calc'!A1`);
  const texts = befores.flatMap((before) =>
    formulas.flatMap((formula) => [before + formula, `x${before}${formula};y`]),
  );

  test.each([",", ";", "\t", ",;", ",;\t"])(
    "has no cell that a spreadsheet reads as a formula, where %j separates cells",
    (separators) => {
      const rows = texts.flatMap((text) => [[text], ["first", text, "last"], [text, text]]);
      const cells = cellsOf(csvOf(rows).slice(1), separators);
      expect(cells.length).toBeGreaterThan(rows.length);
      // Joined to the text before it, a sign does not start a formula.
      expect(cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell) || /^[\t\r\n]/.test(cell))).toEqual([]);
    },
  );

  test("keeps all other text unchanged for a spreadsheet that follows RFC 4180", () => {
    const harmless = ["a-b", "a = b", "1+1", "me@example.com", 'said "so"', "a;b", "a,b", "two\r\nlines", " space", ""];
    expect(cellsOf(csvOf([harmless]).slice(1), ",")).toEqual(harmless);
  });

  test("has rows that end with CR LF, empty cells for null, and a byte order mark", () => {
    const rows = [
      ["Time", "Limit"],
      [null, 5],
    ] as const;
    expect(csvOf(rows)).toBe("\ufeffTime,Limit\r\n,5\r\n");
  });
});

describe("a time", () => {
  test.each([
    ["2026-11-21T12:00:20.000Z", "in less than a minute"],
    ["2026-11-21T11:59:20.000Z", "just now"],
    ["2026-11-21T11:58:30.000Z", "1 minute ago"],
    ["2026-11-22T11:59:50.000Z", "in 1 day"],
    ["2026-11-22T23:00:00.000Z", "in 1 day"],
    ["2026-11-21T15:10:00.000Z", "in 3 hours"],
    ["2027-11-21T12:00:00.000Z", "in 1 year"],
    ["2025-10-01T12:00:00.000Z", "1 year ago"],
  ])("of %s reads as %s", (time, text) => {
    expect(relativeTime(time, now)).toBe(text);
  });

  test.each([
    ["Asia/Kolkata", "2026-11-22 03:00:20 GMT+5:30", "India Standard Time (GMT+5:30)"],
    ["America/St_Johns", "2026-11-21 18:00:20 GMT-3:30", "Newfoundland Standard Time (GMT-3:30)"],
    ["UTC", "2026-11-21 21:30:20 UTC", "UTC"],
  ])("in %s is displayed to the second as %s, with the zone named %s", (zone, local, name) => {
    const time = "2026-11-21T21:30:20.123Z";
    expect(localTime(time, zoneFormat(zone))).toBe(local);
    expect(zoneName(time, zoneFormat(zone))).toBe(name);
    expect(utcTime(time)).toBe("2026-11-21 21:30:20 UTC");
  });

  test.each([
    ["2026-07-01T22:00:00.000Z", "2026-07-02 00:00:00 GMT+2"],
    ["2026-12-01T23:00:00.000Z", "2026-12-02 00:00:00 GMT+1"],
  ])("at midnight is shown as 00:00, with that day's offset: %s", (time, local) => {
    expect(localTime(time, zoneFormat("Europe/Berlin"))).toBe(local);
  });

  test.each(["2026-11-01T00:00:00.000Z", "2026-06-21T12:30:45.000Z"])(
    "of %s is unchanged after a round trip through a form field",
    (since) => {
      expect(parseFilters(`?since=${toField(since)}`)).toEqual({ since });
    },
  );

  test("in a field omits the seconds if it is a whole minute, as in a browser", () => {
    expect(toField("2026-11-01T00:30:00.000Z")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    expect(toField(undefined)).toBe("");
  });
});

describe("the filters of the history", () => {
  const since = "2026-11-01T00:00:00.000Z";
  const texts = { person: "admin@example.com", token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B", key_id: "a key & more " };
  const all: HistoryFilters = { ...texts, kind: "deleted", since, until: "2026-11-21T12:30:00.000Z" };
  test.each<[string, string, HistoryFilters]>([
    ["survive a round trip through an address", new URL(historyAddress(all, "x"), "http://any").search, all],
    ["leave an address without a query if there are none", historyAddress({}).replace("/history", ""), {}],
    ["take a time with any offset", "?since=2026-11-01T02:00:00%2B02:00", { since }],
    ["ignore an unknown kind", "?kind=toString", {}],
    ["ignore invalid times", "?since=yesterday&until=2026-13", {}],
    ["ignore empty values", "?person=&key_id=", {}],
    ["ignore other parameters", "?token=1&after=x", {}],
    ["name a person rather than the beginning of a name", "?person=alice&person_prefix=al", { person: "alice" }],
    ["end now rather than at a time", `?last=day&since=${since}&until=${since}`, { last: "day" }],
  ])("%s", (_, search, filters) => {
    expect(parseFilters(search)).toEqual(filters);
  });
});

test.each([
  ["the first page", 1, []],
  ["a page before", 2, ["a"]],
  ["the same page", 3, ["a", "b"]],
  ["the next page", 4, ["a", "b", "c"]],
  ["an unknown page, which is the first one", 5, []],
])("keeps the cursors of pages up to %s", (_, page, expected) => {
  expect(cursorsOf(page, ["a", "b", "c"])).toEqual(expected);
});

test.each([
  ["as often as its data says", "loaded", null, 500],
  ["after a failure as well", "loaded", new ApiFailure({ status: 503 }), 500],
  ["not before anything is loaded", undefined, null, false],
  ["not after a refusal, which would remind the user to sign in", "loaded", new ApiFailure({ status: 401 }), false],
])("a query is retried %s", (_, data, error, expected) => {
  expect(intervalOf<string>({ state: { data, error } }, ({ length }) => (length === 6 ? 500 : 1))).toBe(expected);
});

describe("invisible characters", () => {
  test.each([
    ["a\u202eb", "a[U+202E]b", ["U+202E"]],
    ["\u200babc\u200b", "[U+200B]abc[U+200B]", ["U+200B"]],
    ["a\u0000\u009b", "a[U+0000][U+009B]", ["U+0000", "U+009B"]],
    ["tag\u{e0041}", "tag[U+E0041]", ["U+E0041"]],
    ["a\u00a0b", "a[U+00A0]b", ["U+00A0"]],
    [" a  b ", "[U+0020]a [U+0020]b[U+0020]", ["U+0020"]],
    ["Ärger mit 😀 und שלום", "Ärger mit 😀 und שלום", []],
    ["", "", []],
  ])("in %j are displayed as %s, and each is named once", (text, visible, codes) => {
    expect(visibleText(text)).toBe(visible);
    expect(hiddenCodes(text)).toEqual(codes);
  });

  test("form separate parts, and all parts together equal the text", () => {
    const characters = fc.constantFrom(..."ab é😀", "\u202e", "\u200b", "\u2066", "\u0085", "\u{e0041}", "\u3164");
    fc.assert(
      fc.property(fc.string({ unit: characters }), (text) => {
        const parts = partsOf(text);
        expect(parts.map((part) => part.text).join("")).toBe(text);
        expect(new Set(parts.map(({ offset }) => offset)).size).toBe(parts.length);
        for (const { text, code } of parts) expect(text).toMatch(code === undefined ? /^[^\p{C}\p{DI}]+$/u : /^.$/u);
      }),
    );
  });
});

test("a renewed session is stored, provides the next call's token, and survives a rejection of the earlier token", () => {
  const setItem = vi.fn();
  vi.stubGlobal("sessionStorage", { setItem });
  const session = { accessToken: "old", username: "alice", groups: [], startedAt: 0, expiresAt: 0 };
  const current = currentSession(session);
  expect([current.accessToken(), current.isEndedBy("old")]).toEqual(["old", true]);
  const renewed = { ...session, accessToken: "new" };
  current.renew(renewed);
  expect([current.accessToken(), current.isEndedBy("old"), current.isEndedBy("new")]).toEqual(["new", false, true]);
  expect([current.isOf(renewed), current.isOf({ ...renewed, username: "bob" })]).toEqual([true, false]);
  expect(setItem).toHaveBeenCalledExactlyOnceWith(expect.anything(), JSON.stringify(renewed));
  vi.unstubAllGlobals();
});

describe("the stored session", () => {
  const times = { startedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER };
  const session = { accessToken: "token", username: "alice", groups: ["Admin"], ...times };
  test.each<[string, string | null, Session | undefined]>([
    ["until it ends", JSON.stringify(session), session],
    ["and no longer", JSON.stringify({ ...session, expiresAt: 1 }), undefined],
    ...[null, "", "{", "null", "[]", '{"accessToken":"token"}'].map((text): [string, string | null, undefined] => [
      `and not if it is ${text}`,
      text,
      undefined,
    ]),
  ])("is returned %s", (_, stored, expected) => {
    vi.stubGlobal("sessionStorage", { getItem: () => stored });
    expect(storedSession()).toEqual(expected);
    vi.unstubAllGlobals();
  });
});

test("a generated v_code is unique and has 64 letters and digits", () => {
  const codes = Array.from({ length: 100 }, generateVCode);
  for (const code of codes) expect(code).toMatch(/^[A-Za-z0-9]{64}$/);
  expect(new Set(codes).size).toBe(codes.length);
});
