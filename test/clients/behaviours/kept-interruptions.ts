import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { TestService } from "../../support/service.ts";
import type { Call } from "../support/protocol.ts";
import { found, issued, issuedToken, refused } from "../support/services.ts";
import { confirmNext, due, idOf, invite, type TokenFile, tokenFile } from "../support/tokens.ts";
import type { Behaviours, CallClient, World } from "../support/world.ts";

interface Race {
  /** Whether a file has a token that is due for rotation, or there is an invitation and no file yet. */
  begins: "stored" | "invited";
  /** The call to interrupt. By default, it is the opening of the client. */
  interrupted?: Call;
  /** The calls that another process makes meanwhile. */
  meanwhile: Call[];
  /** Whether the program never continues. */
  isKilled?: true;
  check(end: { file: TokenFile; newest: Record<string, unknown>; client: CallClient; step: string }): Promise<void>;
}

/** Interrupts a program before each of its file or network steps in turn, while another process makes its calls. */
const atEachStep =
  ({ begins, interrupted, meanwhile, isKilled, check }: Race) =>
  async ({ service, start, open }: World): Promise<void> => {
    const until = join((await tokenFile()).folder, "pipe");
    await promisify(execFile)("mkfifo", [until]);
    let { client, next, kill } = await start();
    const other = await open();
    for (let step = 1; ; step += 1) {
      const file = await tokenFile();
      const token = begins === "stored" ? await service.issueToken() : undefined;
      if (token !== undefined) await file.store(token, due);
      const { token_id, invitation } =
        token === undefined ? await invite(service, "127.0.0.1") : { token_id: idOf(token), invitation: undefined };
      const opening = { call: "open_kept", file: file.path, invitation, grace_seconds: isKilled ? 0 : 60 } as const;
      if (interrupted) await client(opening);
      await client({ call: "pause", before: step, until, only_effects: isKilled ?? false });
      if (!(await client(interrupted ?? opening)).paused) return expect(step).toBeGreaterThan(5);
      if (isKilled) await kill();
      await other(opening);
      for (const call of meanwhile) await other(call);
      if (isKilled) ({ client, next, kill } = await start());
      else await Promise.all([next(), writeFile(until, "")]);
      const newest = await newestOf(service, token_id);
      await check({ file, newest, client: isKilled ? other : client, step: `step ${step}` });
    }
  };

/** Returns the last successor of a token. */
const newestOf = async (service: TestService, token_id: string): Promise<Record<string, unknown>> => {
  const token = await service.admin({ action: "get", token_id });
  return typeof token.successor_id === "string" ? newestOf(service, token.successor_id) : token;
};

const rotate: Call = { call: "rotate", grace_seconds: 0 };
const revoke: Call = { call: "revoke" };
/** The token is due, so this call rotates it. */
const use: Call = { call: "get_token" };

const keepsTheNewest: Race["check"] = async ({ file, newest, client, step }) => {
  expect(newest.state, step).toBe("active");
  expect((await file.read()).token_id, step).toBe(newest.token_id);
  expect((await client({ call: "get_token" })).value, step).toMatchObject({ token_id: newest.token_id });
  expect(await file.names(), step).toEqual(["token.json"]);
};

const leavesNothing: Race["check"] = async ({ file, newest, step }) => {
  expect(newest.state, step).toBe("revoked");
  expect(await file.names(), step).toEqual([]);
};

const { token: _, ...described } = issuedToken("A0");
const describedToken = { ...described, seen_ip: "127.0.0.1", expiring: null };

/** Tests a client with a token file whose process is paused or killed before any of its steps, or whose disk is full. */
export const keptInterruptions: Behaviours = {
  "goes on after a crash at any step of a rotation": atEachStep({
    begins: "stored",
    interrupted: use,
    isKilled: true,
    meanwhile: [use],
    check: keepsTheNewest,
  }),
  "goes on after a crash at any step of an enrolment": atEachStep({
    begins: "invited",
    isKilled: true,
    meanwhile: [use],
    check: keepsTheNewest,
  }),
  "does not replace a newer token when it goes on with its rotation": atEachStep({
    begins: "stored",
    interrupted: use,
    meanwhile: [rotate, rotate],
    check: keepsTheNewest,
  }),
  "does not replace a newer token when it goes on with its enrolment": atEachStep({
    begins: "invited",
    meanwhile: [rotate],
    check: keepsTheNewest,
  }),
  "stores no token and leaves none that works if the token ends during its rotation": atEachStep({
    begins: "stored",
    interrupted: use,
    meanwhile: [revoke],
    check: leavesNothing,
  }),
  "stores no token and leaves none that works if the token ends during its enrolment": atEachStep({
    begins: "invited",
    meanwhile: [revoke],
    check: leavesNothing,
  }),
  "leaves no token that works if another process rotates the token that it ends": atEachStep({
    begins: "stored",
    interrupted: revoke,
    meanwhile: [rotate],
    check: leavesNothing,
  }),

  "goes on with what another process has stored meanwhile, whether its own call was refused or not": async (world) => {
    const read = found(describedToken);
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

  "asks for no new token if there is no room to store it": async ({ kept }) => {
    for (const step of ["write", "sync"] as const) {
      const read = found(describedToken);
      const { client, file, requests } = await kept({ responses: [read, read], stored: due });
      await client({ call: "break", step });
      const { value, notes } = await client({ call: "get_token" });

      expect(value).toEqual(describedToken);
      expect(notes).toEqual({ problems: [{ kind: "system" }] });
      expect(await client({ call: "get_token" })).toEqual({ value: describedToken, retries: [] });
      expect(requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
      expect(await file.names()).toEqual(["token.json"]);
    }
  },

  "goes on with the old token if the new one cannot be stored, and gets the new one later": async (world) => {
    for (const failing of [{ step: "write", time: 2 }, { step: "sync", time: 2 }, { step: "rename" }] as const) {
      const { client, file, token } = await world.kept({ stored: due });
      await client({ call: "break", ...failing });
      expect((await client({ call: "get_token" })).notes?.problems, failing.step).toEqual([{ kind: "system" }]);
      expect((await file.read()).token).toBe(token);
      expect((await client({ call: "get_token" })).value).toMatchObject({ token_id: idOf(token) });

      await client({ call: "open_kept", file: file.path });
      await client({ call: "get_token" });
      const { token_id } = await newestOf(world.service, idOf(token));
      expect((await file.read()).token_id).toBe(token_id);
      expect((await client({ call: "get_token" })).value).toMatchObject({ token_id });
    }
  },

  "gets the new token of a move later if it could not be stored": async ({ service, kept }) => {
    const options = { may_move: true };
    const { client, file, token } = await kept({ ip: "198.51.100.7", ...options });
    await client({ call: "break", step: "rename" });
    const [{ failure, notes }] = await Promise.all([client({ call: "get_token" }), confirmNext(service, idOf(token))]);
    expect([failure?.code, notes?.problems]).toEqual(["ip_not_allowed", [{ kind: "system" }]]);

    await client({ call: "open_kept", file: file.path, ...options });
    const { value } = await client({ call: "get_token" });
    const { token_id } = await newestOf(service, idOf(token));
    expect(value).toMatchObject({ token_id });
    expect((await file.read()).token_id).toBe(token_id);
  },

  "removes what killed processes left behind, and nothing else": async ({ kept }) => {
    const { client, file } = await kept({ responses: [found(describedToken), issued("A0")], stored: due });
    for (const name of [".token.json.a.new", "other"]) await writeFile(join(file.folder, name), "itk_0_secret");
    await client({ call: "get_token" });

    expect(await file.names()).toEqual(["other", "token.json"]);
  },

  "goes on with its token, but asks for no other one, if its file is deleted": async ({ kept }) => {
    const { client, file, requests } = await kept({ responses: [found(describedToken)], stored: due });
    await rm(file.path);
    const { value, notes } = await client({ call: "get_token" });

    expect(value).toEqual(describedToken);
    expect(notes?.problems).toMatchObject([{ kind: "TokenFileError", message: expect.stringContaining("deleted") }]);
    expect(requests).toHaveLength(1);
    expect(await file.names()).toEqual([]);
  },
};
