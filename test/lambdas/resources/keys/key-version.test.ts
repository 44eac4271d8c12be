import { expect, test } from "vitest";
import { updatedAtOf, versionOf } from "../../../../lambdas/resources/keys/key-store.ts";

test.for(["1970-01-01T00:00:00.000Z", "2026-11-21T10:15:30.123Z", "2999-12-31T23:59:59.999Z"])(
  "the version of a key tells when it was changed: %s",
  (updated_at) => {
    expect(updatedAtOf(versionOf({ updated_at }))).toBe(updated_at);
  },
);

test.for(["", "00", "A", "é", "éabc", "abcé", "1.5", "zzzzzzzzzz", "NaN"])(
  "no key can have the version %j",
  (version) => {
    expect(updatedAtOf(version)).toBeUndefined();
  },
);
