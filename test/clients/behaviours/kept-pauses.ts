import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import type { TestService } from "../../support/service.ts";
import type { Behaviours, CallClient, World } from "../support/behaviour.ts";
import type { Call } from "../support/drivers.ts";
import { idOf, invite } from "../support/token-answers.ts";
import { due, tokenFile } from "../support/token-files.ts";

type Place = Awaited<ReturnType<typeof tokenFile>>;

interface Begun {
  file: Place;
  token_id: string;
  invitation?: string;
}

/** A token in a file that is due for its rotation. */
const stored = async (service: TestService): Promise<Begun> => {
  const file = await tokenFile();
  const token = await service.issueToken();
  await file.store(token, due);
  return { file, token_id: idOf(token) };
};

/** An invitation, and no file yet. */
const invited = async (service: TestService): Promise<Begun> => ({
  file: await tokenFile(),
  ...(await invite(service, "127.0.0.1")),
});

interface Race {
  begin(service: TestService): Promise<Begun>;
  /** The call that is paused. Without one, it is the opening of the client that is paused. */
  paused?: Call;
  /** The calls that another process makes meanwhile. */
  meanwhile: Call[];
}

/** Pauses a program before each of its steps with files in turn while another process makes its calls. */
const atEachStep = async (
  { service, start, open }: World,
  { begin, paused, meanwhile }: Race,
  check: (begun: Begun & { newest: Record<string, unknown> }, client: CallClient, step: string) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "pause-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const until = join(folder, "pipe");
  await promisify(execFile)("mkfifo", [until]);
  const { client, next } = await start();
  const other = await open();
  for (let step = 1; ; step += 1) {
    const begun = await begin(service);
    const opening = {
      call: "open_kept",
      file: begun.file.path,
      invitation: begun.invitation,
      grace_seconds: 60,
    } as const;
    if (paused) await client(opening);
    await client({ call: "pause", before: step, until });
    if (!(await client(paused ?? opening)).paused) {
      expect(step).toBeGreaterThan(5);
      return;
    }
    await other(opening);
    for (const call of meanwhile) await other(call);
    await Promise.all([next(), writeFile(until, "")]);
    await check({ ...begun, newest: await newestOf(service, begun.token_id) }, client, `step ${step}`);
  }
};

/** The last successor of a token. */
const newestOf = async ({ admin }: TestService, token_id: string): Promise<Record<string, unknown>> => {
  const token = await admin({ action: "get", token_id });
  return typeof token.successor_id === "string" ? newestOf({ admin } as TestService, token.successor_id) : token;
};

const rotate: Call = { call: "rotate", grace_seconds: 0 };
const revoke: Call = { call: "revoke" };
/** The token is due, so this call rotates it. */
const use: Call = { call: "get_token" };

const keepsTheNewest =
  (race: Race) =>
  (world: World): Promise<void> =>
    atEachStep(world, race, async ({ file, newest }, client, step) => {
      expect(newest.state, step).toBe("active");
      expect((await file.read()).token_id, step).toBe(newest.token_id);
      expect((await client({ call: "get_token" })).value, step).toMatchObject({ token_id: newest.token_id });
      expect(await file.names(), step).toEqual(["token.json"]);
    });

const leavesNothing =
  (race: Race) =>
  (world: World): Promise<void> =>
    atEachStep(world, race, async ({ file, newest }, _, step) => {
      expect(newest.state, step).toBe("revoked");
      expect(await file.names(), step).toEqual([]);
    });

/** A client whose token is kept in a file, when its process is paused before any of its steps while another one goes on. */
export const keptPauses: Behaviours = {
  "does not replace a newer token when it goes on with its rotation": keepsTheNewest({
    begin: stored,
    paused: use,
    meanwhile: [rotate, rotate],
  }),
  "does not replace a newer token when it goes on with its enrolment": keepsTheNewest({
    begin: invited,
    meanwhile: [rotate],
  }),
  "stores no token and leaves none that works if the token ends during its rotation": leavesNothing({
    begin: stored,
    paused: use,
    meanwhile: [revoke],
  }),
  "stores no token and leaves none that works if the token ends during its enrolment": leavesNothing({
    begin: invited,
    meanwhile: [revoke],
  }),
  "leaves no token that works if another process rotates the token that it ends": leavesNothing({
    begin: stored,
    paused: revoke,
    meanwhile: [rotate],
  }),
};
