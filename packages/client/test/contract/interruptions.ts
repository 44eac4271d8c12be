import { rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { describedToken, found, issued, issuedToken, refused } from "./services.ts";
import { due, tokenFile } from "./stored-token.ts";
import type { Behaviours } from "./world.ts";

const read = found(describedToken);

/** Tests a client with a token file that another process changes, or whose disk is full. */
export const interruptions: Behaviours = {
  "uses the token that another process stored during its own call, whether that call was rejected or not": async (
    world,
  ) => {
    for (const isStored of [true, false]) {
      for (const response of [refused(409, "token_already_rotated"), refused(401, "invitation_used"), issued("A0")]) {
        const file = await tokenFile();
        if (isStored) await file.store("itk_1_secret", due);
        const overtaken: RequestListener = (request, outgoing) =>
          void file.store("itk_2_secret").then(() => response(request, outgoing));
        const { client, requests } = await world.scripted(isStored ? [read, overtaken, read] : [overtaken, read]);
        const invitation = isStored ? undefined : "iti_1_secret";
        expect((await client({ call: "open_kept", file: file.path, invitation })).failure).toBeUndefined();
        const { notes } = await client({ call: "get_token" });
        if (isStored) expect(notes).toEqual({ replaced: ["2"] });
        if (isStored) await client({ call: "get_token" });

        expect(requests.at(-1)?.headers["x-token"]).toBe("itk_2_secret");
        expect((await file.read()).token).toBe("itk_2_secret");
        expect(await file.names()).toEqual(["token.json"]);
      }
    }
  },

  "requests no new token if another process has stored one": async ({ kept }) => {
    const { client, file, requests } = await kept({ responses: [read, read], stored: due });
    await file.store("itk_2_secret");
    expect((await client({ call: "get_token" })).notes).toEqual({ replaced: ["2"] });
    await client({ call: "get_token" });
    expect(requests.map(({ headers }) => headers["x-token"])).toEqual(["itk_1_secret", "itk_2_secret"]);
  },

  "requests no new token if the disk is full": async ({ kept }) => {
    for (const step of ["write", "sync"] as const) {
      const { client, file, requests } = await kept({ responses: [read, read], stored: due });
      await client({ call: "interrupt", before: 1, steps: [step] });
      const { value, notes } = await client({ call: "get_token" });

      expect(value).toEqual(describedToken);
      expect(notes).toEqual({ problems: [{ kind: "system" }] });
      expect(await client({ call: "get_token" })).toEqual({ value: describedToken, retries: [] });
      expect(requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
      expect(await file.names()).toEqual(["token.json"]);
    }
  },

  "keeps using the old token if the new one cannot be stored, and requests the new one again later": async ({
    kept,
  }) => {
    const [moved, expired] = [refused(403, "ip_not_allowed"), refused(401, "token_expired")];
    const successor = issued("A0");
    const rotation = { responses: [read, successor, read, read, successor, read], stored: due };
    // After a move, the old token no longer works, and has no rotation to repeat.
    const renewed = [expired, refused(409, "token_already_rotated"), successor, read, read];
    const move = { responses: [moved, successor, expired, ...renewed], may_move: true };
    for (const [failing, given] of [
      [{ steps: ["write"], before: 2 }, rotation],
      [{ steps: ["sync"], before: 2 }, rotation],
      [{ steps: ["rename"], before: 1 }, rotation],
      [{ steps: ["rename"], before: 1 }, move],
    ] as const) {
      const { client, file } = await kept({ ...given, responses: [...given.responses] });
      await client({ call: "interrupt", before: failing.before, steps: [...failing.steps] });
      expect((await client({ call: "get_token" })).notes?.problems, failing.steps.join()).toEqual([{ kind: "system" }]);
      expect((await file.read()).token).toBe("itk_1_secret");
      await client({ call: "get_token" });

      await client({ call: "open_kept", file: file.path, may_move: "may_move" in given });
      await client({ call: "get_token" });
      expect((await client({ call: "get_token" })).failure).toBeUndefined();
      expect((await file.read()).token).toBe(issuedToken("A0").token);
    }
  },

  "removes only the files that killed processes left behind": async ({ kept }) => {
    const { client, file } = await kept({ responses: [read, issued("A0")], stored: due });
    for (const name of [".token.json.a.new", "other"]) await writeFile(join(file.folder, name), "itk_0_secret");
    await client({ call: "get_token" });

    expect(await file.names()).toEqual(["other", "token.json"]);
  },

  "keeps using its token but requests no new one if its file is deleted": async ({ kept }) => {
    const { client, file, requests } = await kept({ responses: [read], stored: due });
    await rm(file.path);
    const { value, notes } = await client({ call: "get_token" });

    expect(value).toEqual(describedToken);
    expect(notes?.problems).toMatchObject([{ kind: "TokenFileError", message: expect.stringContaining("deleted") }]);
    expect(requests).toHaveLength(1);
    expect(await file.names()).toEqual([]);
  },
};
