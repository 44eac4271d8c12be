import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  date,
  decimal,
  id,
  isTime,
  text,
  ulid,
  wholeNumber,
} from "../../../../lambdas/shared/validation/application-fields.ts";

test("accepts each time that this service can have written", () => {
  const written = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
  fc.assert(
    fc.property(written, (date) => isTime(date.toISOString())),
    {
      examples: [[new Date("2028-02-29T00:00:00.000Z")]],
    },
  );
});

test.for([
  ...["", "0", "1767225600", "never", "31.12.2020", "Wed, 01 Jan 2020 00:00:00 GMT", "2026-11-21"],
  ...["2026-11-21T10:15:30Z", "2026-11-21T10:15:30.123456Z", "2026-11-21T10:15:30.123+00:00"],
  ...["2026-11-21 10:15:30.123Z", "2026-11-21t10:15:30.123z", "2026-11-21T10:15:30.123Z ", " 2026-11-21T10:15:30.123Z"],
  ...["2026-02-29T10:15:30.123Z", "2026-04-31T10:15:30.123Z", "2026-13-01T10:15:30.123Z", "2026-00-01T10:15:30.123Z"],
  ...["2026-11-00T10:15:30.123Z", "2026-11-32T10:15:30.123Z", "2026-11-21T24:00:00.000Z", "2026-11-21T10:60:30.123Z"],
  ...["2026-11-21T10:15:60.123Z", "+010000-01-01T00:00:00.000Z", "２026-11-21T10:15:30.123Z"],
])("rejects the time %j", (stored) => {
  expect(isTime(stored)).toBe(false);
});

const fields = {
  text: text({ min: 2, max: 3 }),
  id: id({ max: 4 }),
  wholeNumber: wholeNumber({ min: 1, max: 100 }),
  price: decimal({ places: 2, min: "-1.50", max: "99.99" }),
  count: decimal({ places: 0, min: "0", max: "9".repeat(30) }),
  date: date(),
  ulid: ulid(),
};

test.for<[keyof typeof fields, unknown[], unknown[]]>([
  ["text", ["🔑🔑", "🔑🔑🔑"], ["🔑", "🔑🔑🔑🔑", "half \ud83d", 12]],
  ["id", ["a", "A-_1"], ["", "12345", ".", "a b", "ä", "a\n", 1]],
  ["wholeNumber", [1, 100], [0, 101, 1.5, "5", Number.NaN]],
  [
    "price",
    ["0.00", "-1.50", "12.50", "99.99"],
    ["12.5", "12.500", "012.50", "-0.00", "100.00", "-1.51", "1e1", 12.5, ""],
  ],
  ["count", ["0", "7", "123456789012345678901234567890"], ["7.0", "-1", "07", "9".repeat(31)]],
  [
    "date",
    ["2028-02-29", "0001-01-01"],
    ["2026-02-29", "2026-13-01", "26-01-01", "2026-1-1", "2026-11-21T00:00:00.000Z"],
  ],
  [
    "ulid",
    ["01KAK3Y0V9QX8M4N2R7T5W1Y0B"],
    ["01kak3y0v9qx8m4n2r7t5w1y0b", "81KAK3Y0V9QX8M4N2R7T5W1Y0B", "01KAK3Y0V9QX8M4N2R7T5W1Y0"],
  ],
])("a %s has its form and its range", ([name, accepted, refused]) => {
  const isValid = (value: unknown) => z.safeParse(fields[name], value).success;
  expect(accepted.filter((value) => !isValid(value))).toEqual([]);
  expect(refused.filter(isValid)).toEqual([]);
});
