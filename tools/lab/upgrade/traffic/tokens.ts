import { type Caller, type Fields, invokeAdmin, patiently, type Reply, type Target } from "./caller.ts";

/** A token or an invitation, and the address that its holder calls from. */
export interface Held {
  id: string;
  text: string;
  ip: string;
}

interface HoldersOptions {
  caller: Caller;
  problems: string[];
  versions: Versions;
}

/** The versions that are in use. */
export interface Versions {
  all: () => readonly Target[];
  /** Chooses a version for the next call. */
  choose: () => Target;
  /** Returns the version that supports clients' operations on their own tokens. */
  newest: () => Target | undefined;
}

interface SendOptions {
  form?: Record<string, string>;
  target?: Target;
}

export const current = "GET /api/v1/token";

export const toHeld = ({ token_id, token }: Fields, ip: string): Held => {
  return { id: String(token_id), text: String(token), ip };
};

/** Creates the holders of tokens and their admins, who know the expected result of a call with each token. */
export const createHolders = ({ caller, problems, versions }: HoldersOptions) => {
  const holdings = new Map<string, { held: Held; outcome: number | string }>();
  let checks = 0;

  const expect = (what: string, actual: unknown, ...expected: unknown[]): void => {
    checks += 1;
    if (expected.some((one) => JSON.stringify(one) === JSON.stringify(actual))) return;
    problems.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  };
  /** Sends a call such as `GET /api/v1/token` until it has a response. */
  const send = (what: string, held: Held, { form, target }: SendOptions = {}): Promise<Reply> => {
    const [method = "", path = ""] = what.split(" ");
    const request = { method, path, from: held.ip, token: held.text, ...(form && { form }) };
    return patiently(() => caller.call(target ?? versions.choose(), request));
  };
  /** Uses a token or an invitation in each version. */
  const expectUse = async (what: string, held: Held, ...expected: unknown[]): Promise<void> => {
    for (const target of versions.all()) expect(what, (await send(current, held, { target })).outcome, ...expected);
  };
  const admin = (action: string, fields: Fields, target?: Target): Promise<Reply> =>
    patiently(() => invokeAdmin(target ?? versions.choose(), { ...fields, action }));
  const hold = (issued: Fields, ip: string): Held => {
    const held = toHeld(issued, ip);
    holdings.set(held.id, { held, outcome: 200 });
    return held;
  };

  return {
    expect,
    send,
    expectUse,
    admin,
    /** Keeps a new token. */
    hold,
    async issue(ip: string): Promise<Held> {
      return hold((await admin("issue", { ip, comment: "traffic" })).body, ip);
    },
    /** Changes the expected outcome of calls with the token from now on. */
    async end(what: string, held: Held, outcome: number | string): Promise<void> {
      holdings.set(held.id, { held, outcome });
      await expectUse(what, held, outcome);
    },
    ids: (): string[] => [...holdings.keys()],
    /** Uses a token again. */
    async useAgain(id: string, target: Target): Promise<void> {
      const { held, outcome } = holdings.get(id) ?? {};
      if (held) expect(`the token ${id}`, (await send(current, held, { target })).outcome, outcome);
    },
    checks: () => checks,
  };
};

export type Holders = ReturnType<typeof createHolders>;
