import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Session, storedSession } from "../../../web/session/session.ts";

const session: Session = {
  accessToken: "token",
  username: "alice",
  groups: ["Admin"],
  startedAt: Date.now(),
  expiresAt: Date.now() + 60_000,
};

describe("the stored session", () => {
  let stored: string | null;

  beforeEach(() => {
    vi.stubGlobal("sessionStorage", { getItem: () => stored });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("is returned until it ends", () => {
    stored = JSON.stringify(session);
    expect(storedSession()).toEqual(session);
    stored = JSON.stringify({ ...session, expiresAt: Date.now() - 1 });
    expect(storedSession()).toBeUndefined();
  });

  test.each([null, "", "{", "null", "[]", '{"accessToken":"token"}'])("is ignored if it is %j", (text) => {
    stored = text;
    expect(storedSession()).toBeUndefined();
  });
});
