import { expect, test } from "vitest";
import { seenIn, versionOf } from "../../../lambdas/dynamodb/versions.ts";

test("a version states when its record was changed, and any other version stands for no record", () => {
  for (const updated_at of ["1970-01-01T00:00:00.000Z", "2026-11-21T10:15:30.123Z", "2999-12-31T23:59:59.999Z"])
    expect(seenIn([versionOf({ updated_at })])?.[0]).toBe(updated_at);
  for (const other of ["", "00", "A", "é", "éabc", "abcé", "1.5", "zzzzzzzzzz", "NaN"])
    expect(seenIn([other]), other).toEqual(["1970-01-01T00:00:00.000Z"]);
});
