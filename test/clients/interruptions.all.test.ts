import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Call, Step } from "../../packages/client/test/contract/protocol.ts";
import { due, idOf, type TokenFile, tokenFile } from "../../packages/client/test/contract/stored-token.ts";
import { type CallClient, startDriver, type World, worldOf } from "../../packages/client/test/contract/world.ts";
import { requirePython } from "../support/programs.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { invite, newestOf } from "./support/tokens.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

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

const effects: Step[] = ["open", "rename", "remove", "connect"];

/** Interrupts a program before each of its file or network steps in turn, while another process makes its calls. */
const atEachStep =
  ({ begins, interrupted, meanwhile, isKilled, check }: Race) =>
  async ({ start, open }: World): Promise<void> => {
    const options = { base_url: service.baseUrl };
    const until = join((await tokenFile()).folder, "pipe");
    await promisify(execFile)("mkfifo", [until]);
    let { client, next, kill } = await start(options);
    const other = await open(options);
    for (let step = 1; ; step += 1) {
      const file = await tokenFile();
      const token = begins === "stored" ? await service.issueToken() : undefined;
      if (token !== undefined) await file.store(token, due);
      const { token_id, invitation } =
        token === undefined ? await invite(service, "127.0.0.1") : { token_id: idOf(token), invitation: undefined };
      const opening = { call: "open_kept", file: file.path, invitation, grace_seconds: isKilled ? 0 : 60 } as const;
      if (interrupted) await client(opening);
      // A killed program does not continue, so it makes no difference what it has looked at.
      await client({ call: "interrupt", before: step, steps: isKilled ? effects : ["look", ...effects], until });
      if (!(await client(interrupted ?? opening)).paused) return expect(step).toBeGreaterThan(5);
      if (isKilled) await kill();
      await other(opening);
      for (const call of meanwhile) await other(call);
      if (isKilled) ({ client, next, kill } = await start(options));
      else await Promise.all([next(), writeFile(until, "")]);
      const newest = await newestOf(service, token_id);
      await check({ file, newest, client: isKilled ? other : client, step: `step ${step}` });
    }
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

const races: Record<string, Race> = {
  "recovers from a crash at any step of a rotation": {
    begins: "stored",
    interrupted: use,
    isKilled: true,
    meanwhile: [use],
    check: keepsTheNewest,
  },
  "recovers from a crash at any step of an enrolment": {
    begins: "invited",
    isKilled: true,
    meanwhile: [use],
    check: keepsTheNewest,
  },
  "does not replace a newer token when a paused rotation continues": {
    begins: "stored",
    interrupted: use,
    meanwhile: [rotate, rotate],
    check: keepsTheNewest,
  },
  "does not replace a newer token when a paused enrolment continues": {
    begins: "invited",
    meanwhile: [rotate],
    check: keepsTheNewest,
  },
  "leaves no valid token if the token is revoked during its rotation": {
    begins: "stored",
    interrupted: use,
    meanwhile: [revoke],
    check: leavesNothing,
  },
  "leaves no valid token if the token is revoked during its enrolment": {
    begins: "invited",
    meanwhile: [revoke],
    check: leavesNothing,
  },
  "leaves no valid token if another process rotates the token that it revokes": {
    begins: "stored",
    interrupted: revoke,
    meanwhile: [rotate],
    check: leavesNothing,
  },
};

describe.each(["TypeScript", "Python"] as const)("the %s client with its token in a file", (language) => {
  if (language === "Python") beforeEach((context) => requirePython(context));
  const driver = startDriver(language);
  afterAll(() => driver.close());

  test.each(Object.entries(races))("%s", (_, race) => atEachStep(race)(worldOf(language, driver)));
});
