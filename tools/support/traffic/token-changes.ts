import type { TokenAction } from "../linearizability/token-model.ts";
import { type Answered, type Caller, isFailure } from "./caller.ts";
import type { Held, Histories } from "./history.ts";
import { outcomes, type TokenPool } from "./token-pool.ts";

/** A call with which a client gets a new token, or ends its own. The client repeats it until it has a response. */
interface Change {
  path: string;
  method: "POST" | "DELETE";
  form?: Record<string, string>;
  /** The credential that is sent: an invitation, or the client's token. */
  sent: Pick<Held, "id" | "text">;
  /** The client's token, unless it has only an invitation. */
  old?: Held;
  /** Where the call comes from, and where the new token will work. */
  from: string;
  graceSeconds: number;
  /** When it was sent for the first time. */
  calledAt: number;
}

interface TokenChangesOptions {
  pool: TokenPool;
  caller: Caller;
  events: Histories<TokenAction>;
  differences: string[];
  /** The addresses that clients have. */
  addresses: readonly string[];
}

const path = "/api/v1/token";
const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** The actions of clients on their own tokens: they redeem invitations, and rotate, move and revoke their tokens. */
export const createTokenChanges = ({ pool, caller, events, differences, addresses }: TokenChangesOptions) => {
  /** Changes without a response, which their clients continue later. */
  const open: Change[] = [];
  /** The tokens that clients have got this way. */
  const received: Held[] = [];
  /** The tokens that are being changed: a client makes one change at a time. */
  const changing = new Set<string>();
  const done = { redeemed: 0, rotated: 0, moved: 0, revoked: 0, refused: 0 };

  const begin = async (): Promise<Change | undefined> => {
    const calledAt = Date.now();
    if (Math.random() < 0.4) {
      const from = anyOf(addresses);
      const sent = await pool.invite(Math.random() < 0.5 ? from : null);
      return sent && { method: "POST", path, sent, from, graceSeconds: 0, calledAt };
    }
    // Most of the others have been ended by the admin.
    const old = received.length > 0 && Math.random() < 0.7 ? anyOf(received.slice(-10)) : pool.any();
    // A limit would count these calls, too.
    if (!old || old.allowance || changing.has(old.id)) return undefined;
    changing.add(old.id);
    const own = { sent: old, old, from: old.ip, graceSeconds: 0, calledAt };
    const elsewhere = anyOf(addresses.filter((address) => address !== old.ip));
    const graceSeconds = anyOf([0, 1, 3600]);
    return anyOf<() => Change>([
      () => ({ ...own, method: "POST", path: `${path}/move`, from: elsewhere }),
      () => ({
        ...own,
        method: "POST",
        path: `${path}/rotation`,
        form: { grace_seconds: String(graceSeconds) },
        graceSeconds,
      }),
      () => ({ ...own, method: "DELETE", path, from: elsewhere }),
    ])();
  };

  const send = ({ method, path, form, from, sent }: Change): Promise<Answered> =>
    caller.call({ method, path, from, token: sent.text, ...(form && { form }) });

  /** Records the outcome for the old token. */
  const note = ({ old, calledAt }: Change, action: TokenAction, answeredAt: number): void => {
    if (old) events.note(old.id, { action, calledAt, answeredAt, isKnown: true });
  };

  /** Takes the next step of a change. Without a response, it stays open. */
  const goOn = async (change: Change): Promise<void> => {
    const answered = await send(change);
    const { status, text, answeredAt } = answered;
    if (isFailure(answered)) open.push(change);
    else if (status === 202) await wait(change, JSON.parse(text));
    else {
      if (status === 201) await receive(change, JSON.parse(text), answeredAt);
      else if (status === 204) {
        done.revoked += 1;
        const span = { from: change.calledAt, to: answeredAt };
        note(change, { kind: "leave", by: "a client", isAnswered: true, ...span }, answeredAt);
      } else refuse(change, answered);
      changing.delete(change.sent.id);
    }
  };

  /** An admin decides the client's request, and the client repeats its call. */
  const wait = async (change: Change, { ip, code }: { ip: string; code: string }): Promise<void> => {
    if (ip !== change.from) differences.push(`a request from ${change.from} was shown as one from ${ip}`);
    const action = change.old && Math.random() < 0.2 ? "reject" : "confirm";
    await pool.decide(action, { token_id: change.sent.id, ip, code });
    open.push(change);
  };

  const receive = async (change: Change, issued: IssuedToken, answeredAt: number): Promise<void> => {
    const { old, from, graceSeconds } = change;
    if (issued.ip !== from) differences.push(`the client at ${from} got a token for ${issued.ip}`);
    const known = received.find(({ id }) => id === issued.token_id);
    if (known) {
      // The same change was made before, and nobody has used the new token since.
      if (known.text !== issued.token) differences.push(`the token ${known.id} was returned with another text`);
      return;
    }
    if (old) {
      const endsAt = new Date(Date.parse(issued.issued_at) + graceSeconds * 1000).toISOString();
      note(change, { ...rotationOf(change, answeredAt), endsAt, answer: "rotated" }, answeredAt);
    }
    done[old ? (old.ip === from ? "rotated" : "moved") : "redeemed"] += 1;

    // Nobody has used the token yet, so the same call returns the same text, unless an admin has changed the token meanwhile.
    const again = await send(change);
    if (again.status === 201 && JSON.parse(again.text).token !== issued.token) {
      differences.push(`the token ${issued.token_id} was followed by another one: ${JSON.parse(again.text).token_id}`);
    }
    const held = { id: issued.token_id, text: issued.token, ip: from };
    received.push(held);
    pool.hold(held);
  };

  const refuse = (change: Change, { status, text, answeredAt }: Answered): void => {
    const code: string = JSON.parse(text).code;
    done.refused += 1;
    if (!change.old) {
      // Nobody revokes invitations, and each client has its own.
      differences.push(`an invitation was refused: ${status} ${code}`);
      return;
    }
    const outcome = outcomes[code];
    if (outcome) note(change, { ...rotationOf(change, answeredAt), answer: outcome }, answeredAt);
    else if (code !== "request_rejected") differences.push(`${change.path} was refused: ${status} ${code}`);
  };

  return {
    /** One step of a client: it begins a change, or repeats a call. */
    async act(): Promise<void> {
      const change = open.length > 0 && Math.random() < 0.7 ? open.shift() : await begin();
      if (change) await goOn(change);
    },
    /** Repeats the calls that have no response yet, while nothing is killed. Each must get one. */
    async finish(): Promise<void> {
      for (let steps = 0; open.length > 0 && steps < 2_000; steps += 1) {
        const change = open.shift();
        if (change) await goOn(change);
      }
      if (open.length > 0) differences.push(`${open.length} changes of tokens got no answer`);
    },
    /** The outcomes of the changes. */
    done: () => ({ ...done }),
  };
};

const rotationOf = ({ calledAt, graceSeconds }: Change, answeredAt: number) =>
  ({
    kind: "rotate",
    by: "a client",
    graceMilliseconds: graceSeconds * 1000,
    from: calledAt,
    to: answeredAt,
  }) as const;

interface IssuedToken {
  token_id: string;
  ip: string;
  issued_at: string;
  token: string;
}
