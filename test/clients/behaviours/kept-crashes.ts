import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import type { Behaviours } from "../support/behaviour.ts";
import { confirmNext, idOf, invite, issued, issuedToken, noContent, refused } from "../support/token-answers.ts";
import { due, tokenFile } from "../support/token-files.ts";

const { token: _, ...described } = issuedToken("A0");
const describedToken = { ...described, seen_ip: "127.0.0.1", expiring: null };

/** The paths of the calls that a service got. */
const pathsOf = (requests: { method: string; url: string }[]) => requests.map(({ method, url }) => `${method} ${url}`);

/** A client whose token is kept in a file, when programs are killed, disks are full, and several run at once. */
export const keptCrashes: Behaviours = {
  "asks for no new token if there is no room to store it": async ({ open }) => {
    for (const step of ["write", "sync"] as const) {
      const file = await tokenFile();
      await file.store("itk_1_secret", due);
      const { baseUrl, requests } = await scripted(found(describedToken), found(describedToken));
      const client = await open({ base_url: baseUrl });
      await client({ call: "open_kept", file: file.path });
      await client({ call: "break", step, by: "failing" });
      const { value, notes } = await client({ call: "get_token" });

      expect(value).toEqual(describedToken);
      expect(notes).toEqual({ problems: [{ kind: "system" }] });
      expect(await client({ call: "get_token" })).toEqual({ value: describedToken, retries: [] });
      expect(pathsOf(requests)).toEqual(["GET /api/v1/token", "GET /api/v1/token"]);
      expect(await file.names()).toEqual(["token.json"]);
    }
  },

  "goes on with the old token if the new one cannot be stored, and gets the new one later": async (world) => {
    const file = await tokenFile();
    const token = await world.service.issueToken();
    await file.store(token, due);
    const client = await world.open();
    await client({ call: "open_kept", file: file.path });
    await client({ call: "break", step: "rename", by: "failing" });
    expect((await client({ call: "get_token" })).notes?.problems).toEqual([{ kind: "system" }]);
    expect((await file.read()).token).toBe(token);
    expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: idOf(token) });

    const later = await world.open();
    await later({ call: "open_kept", file: file.path });
    await later({ call: "get_token" });
    const { successor_id } = await world.service.admin({ action: "get", token_id: idOf(token) });
    expect((await file.read()).token_id).toBe(successor_id);
    expect((await later({ call: "get_token" })).value).toMatchObject({ token_id: successor_id });
  },

  "goes on after a crash at any step of a rotation": async ({ service, open, start }) => {
    for (const [step, grace_seconds] of [
      // The service has not been asked yet, so the old token has not ended.
      ["write", 0],
      ["sync", 0],
      ["rename", 0],
      ["rename", 60],
      ["renamed", 0],
      ["renamed", 60],
    ] as const) {
      const file = await tokenFile();
      const token = await service.issueToken();
      await file.store(token, due);
      const { client, kill } = await start();
      await client({ call: "open_kept", file: file.path, grace_seconds });
      await client({ call: "break", step, by: "killing" });
      await expect(client({ call: "get_token" })).rejects.toThrow("ended");
      await kill();

      const next = await open();
      await next({ call: "open_kept", file: file.path, grace_seconds });
      expect((await next({ call: "get_token" })).failure, `${step} ${grace_seconds}`).toBeUndefined();
      const { successor_id } = await service.admin({ action: "get", token_id: idOf(token) });
      expect((await file.read()).token_id).toBe(successor_id);
      expect((await next({ call: "get_token" })).value).toMatchObject({ token_id: successor_id });
    }
  },

  "goes on after a crash at any step of an enrolment": async ({ service, open, start }) => {
    for (const step of ["write", "rename", "renamed"] as const) {
      const file = await tokenFile();
      const { token_id, invitation } = await invite(service, "127.0.0.1");
      const { client, kill } = await start();
      await client({ call: "break", step, by: "killing" });
      await expect(client({ call: "open_kept", file: file.path, invitation })).rejects.toThrow("ended");
      await kill();

      const next = await open();
      expect((await next({ call: "open_kept", file: file.path, invitation })).failure).toBeUndefined();
      expect((await next({ call: "get_token" })).value).toMatchObject({ token_id });
    }
  },

  "removes what killed processes left behind, and nothing else": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", due);
    for (const name of [".token.json.a.new", "other"]) await writeFile(join(file.folder, name), "itk_0_secret");
    const { baseUrl } = await scripted(found(describedToken), issued("A0"));
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });
    await client({ call: "get_token" });

    expect((await file.names()).toSorted()).toEqual(["other", "token.json"]);
  },

  "rotates once when several processes find the token due": async ({ service, start }) => {
    const file = await tokenFile();
    const token = await service.issueToken();
    await file.store(token, due);
    const programs = await Promise.all([start(), start(), start()]);
    await Promise.all(programs.map(({ client }) => client({ call: "open_kept", file: file.path })));
    const outcomes = await Promise.all(programs.map(({ client }) => client({ call: "get_token" })));

    expect(outcomes.map(({ failure, notes }) => [failure, notes?.problems])).toEqual(
      Array(3).fill([undefined, undefined]),
    );
    const { successor_id } = await service.admin({ action: "get", token_id: idOf(token) });
    expect((await file.read()).token_id).toBe(successor_id);
    for (const { client } of programs) {
      expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: successor_id });
    }
    expect(await service.admin({ action: "get", token_id: successor_id })).toMatchObject({ successor_id: null });
    expect(await file.names()).toEqual(["token.json"]);
  },

  "goes on with what another process has stored meanwhile, whether its own call was refused or not": async ({
    open,
  }) => {
    for (const [stored, invitation] of [
      [true, undefined],
      [false, "iti_1_secret"],
    ] as const) {
      for (const answer of [refused(409, "token_already_rotated"), refused(401, "invitation_used"), issued("A0")]) {
        const file = await tokenFile();
        if (stored) await file.store("itk_1_secret", due);
        const overtaken: typeof answer = (request, response) =>
          void file.store("itk_2_secret").then(() => answer(request, response));
        const read = found(describedToken);
        const { baseUrl, requests } = await scripted(...(stored ? [read, overtaken, read] : [overtaken, read]));
        const client = await open({ base_url: baseUrl });
        expect((await client({ call: "open_kept", file: file.path, invitation })).failure).toBeUndefined();
        const { notes } = await client({ call: "get_token" });
        if (stored) expect(notes).toEqual({ replaced: ["2"] });
        if (stored) await client({ call: "get_token" });

        expect(requests.at(-1)?.headers["x-token"]).toBe("itk_2_secret");
        expect((await file.read()).token).toBe("itk_2_secret");
        expect(await file.names()).toEqual(["token.json"]);
      }
    }
  },

  "asks again if another process has withdrawn its place, and ends a successor that it may not store": async ({
    open,
  }) => {
    for (const [again, token, problems] of [
      [[issued("A0")], issuedToken("A0").token, undefined],
      [[refused(401, "token_revoked"), noContent], "itk_1_secret", [{ code: "token_revoked" }]],
    ] as const) {
      const file = await tokenFile();
      await file.store("itk_1_secret", due);
      const withdrawn: (typeof again)[0] = async (...exchange) => {
        const [place = ""] = (await file.names()).filter((name) => name.endsWith(".new"));
        await rm(join(file.folder, place));
        issued("A0")(...exchange);
      };
      const { baseUrl, requests } = await scripted(found(describedToken), withdrawn, ...again);
      const client = await open({ base_url: baseUrl });
      await client({ call: "open_kept", file: file.path });
      const { notes } = await client({ call: "get_token" });

      expect(notes?.problems).toEqual(problems && [expect.objectContaining(problems[0])]);
      expect((await file.read()).token).toBe(token);
      expect(await file.names()).toEqual(["token.json"]);
      if (problems)
        expect(requests.at(-1)).toMatchObject({ method: "DELETE", headers: { "x-token": issuedToken("A0").token } });
    }
  },

  "enrols once when several processes are started with one invitation": async ({ service, start }) => {
    const file = await tokenFile();
    const { token_id, invitation } = await invite(service, "127.0.0.1");
    const programs = await Promise.all([start(), start()]);
    const opening = programs.map(async ({ client }) => {
      const { failure } = await client({ call: "open_kept", file: file.path, invitation });
      return failure ?? (await client({ call: "get_token" })).value;
    });

    expect(await Promise.all(opening)).toMatchObject([{ token_id }, { token_id }]);
  },

  "goes on after a crash at the end of a move": async ({ service, open, start }) => {
    const file = await tokenFile();
    const token = await service.issueToken("198.51.100.7");
    await file.store(token);
    const options = { call: "open_kept", file: file.path, may_move: true, poll_milliseconds: 20_000 } as const;
    const { client, kill } = await start();
    await client(options);
    await client({ call: "break", step: "rename", by: "killing" });
    const moving = expect(client({ call: "get_token" })).rejects.toThrow("ended");
    await confirmNext(service, idOf(token));
    await moving;
    await kill();

    const next = await open();
    await next(options);
    const { successor_id } = await service.admin({ action: "get", token_id: idOf(token) });
    expect((await next({ call: "get_token" })).value).toMatchObject({ token_id: successor_id });
  },

  "goes on with its token, but asks for no other one, if its file is deleted": async ({ open }) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", due);
    const { baseUrl, requests } = await scripted(found(describedToken));
    const client = await open({ base_url: baseUrl });
    await client({ call: "open_kept", file: file.path });
    await rm(file.path);
    const { value, notes } = await client({ call: "get_token" });

    expect(value).toEqual(describedToken);
    expect(notes?.problems).toMatchObject([{ kind: "TokenFileError", message: expect.stringContaining("deleted") }]);
    expect(pathsOf(requests)).toEqual(["GET /api/v1/token"]);
    expect(await file.names()).toEqual([]);
  },
};
