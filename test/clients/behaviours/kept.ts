import { chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { scripted } from "../../../packages/client/test/support/scripted-service.ts";
import type { Behaviours } from "../support/behaviour.ts";
import { idOf, invite, issuedToken, lost } from "../support/token-answers.ts";
import { tokenFile } from "../support/token-files.ts";

/** A client whose token is kept in a file. */
export const kept: Behaviours = {
  "stores the token of its invitation in a file that only its owner can read, before it uses it": async (world) => {
    const file = await tokenFile();
    const { token_id, invitation } = await invite(world.service, "127.0.0.1");
    const client = await world.open();
    expect((await client({ call: "open_kept", file: file.path, invitation })).failure).toBeUndefined();

    expect(await file.read()).toMatchObject({ token_id, ip: "127.0.0.1", expires_at: null });
    expect(await file.mode()).toBe(0o600);
    expect(await file.names()).toEqual(["token.json"]);
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
  },

  "goes on with the token in its file, whatever invitation it is started with": async ({ open, service }) => {
    const file = await tokenFile();
    const token = await service.issueToken();
    await file.store(token);
    const before = await file.text();
    const client = await open({ token: "unused" });
    await client({ call: "open_kept", file: file.path, invitation: "iti_used" });

    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: idOf(token) });
    expect(await file.text()).toBe(before);
  },

  "says what is wrong with a file that it cannot trust, and leaves it as it is": async ({ open }) => {
    const text = JSON.stringify({ ...issuedToken("A0"), token: "itk_secret" });
    for (const [content, mode, folderMode, problem] of [
      [text, 0o640, 0o700, "Others can read"],
      [text, 0o604, 0o700, "Others can read"],
      [text, 0o600, 0o777, "Others can write"],
      [text, 0o600, 0o720, "Others can write"],
      ["", 0o600, 0o700, "is damaged"],
      [text.slice(0, -2), 0o600, 0o700, "is damaged"],
      ["null", 0o600, 0o700, "is damaged"],
      [text.replace('"token":', '"text":'), 0o600, 0o700, "is damaged"],
      [text.replace("2027-11-21T10:15:30.123Z", "soon"), 0o600, 0o700, "is damaged"],
    ] as const) {
      const file = await tokenFile();
      await writeFile(file.path, content);
      await chmod(file.path, mode);
      await chmod(file.folder, folderMode);
      const client = await open();
      const { failure, notes } = await client({ call: "open_kept", file: file.path, invitation: "iti_unused" });

      expect(failure).toMatchObject({ kind: "TokenFileError", message: expect.stringContaining(problem) });
      expect(`${failure?.message}${notes?.shown}`).not.toContain("secret");
      expect(await file.text()).toBe(content);
    }
  },

  "follows no link to another file, and needs a file or an invitation": async ({ open }) => {
    const [file, elsewhere] = [await tokenFile(), await tokenFile()];
    await elsewhere.store("itk_secret");
    const client = await open();
    const opening = async (path: string) => (await client({ call: "open_kept", file: path })).failure;

    expect(await opening(file.path)).toMatchObject({
      kind: "TokenFileError",
      message: expect.stringMatching(/no .*invitation/),
    });
    await symlink(elsewhere.path, file.path);
    expect(await opening(file.path)).toMatchObject({
      kind: "TokenFileError",
      message: expect.stringContaining("not a regular"),
    });
    expect(await opening(join(file.folder, "none", "token.json"))).toEqual({ kind: "system" });
  },

  "deletes its file when it has ended its token, and not before": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret");
    const { baseUrl } = await scripted(lost, (_, response) => response.writeHead(204).end());
    const client = await open({ base_url: baseUrl, retry: { attempts: 1 } });
    await client({ call: "open_kept", file: file.path });
    expect((await client({ call: "revoke" })).failure?.kind).toBe("no response");
    expect((await file.read()).token).toBe("itk_1_secret");
    await client({ call: "revoke" });
    expect(await file.names()).toEqual([]);
  },
};
