import type { TokenAction } from "../linearizability/token-model.ts";
import { invokeAdmin, type Target } from "./caller.ts";
import { type Held, type Histories, lateMilliseconds } from "./history.ts";
import type { AcknowledgedChange } from "./recorded-changes.ts";

interface TokenAnswer {
  token_id?: string;
  token?: string;
  invitation_text?: string;
  state?: string;
  issued_at?: string;
  errorType?: string;
}

interface TokenPoolOptions {
  /** Chooses the version for the next invocation. */
  chooseTarget: () => Target;
  events: Histories<TokenAction>;
  /** Called for each change of a token that the admin function has acknowledged. */
  onChange: (change: AcknowledgedChange) => void;
}

/** The kinds of changes in the history, by the action that makes exactly one if it succeeds. */
const kinds: Readonly<Record<string, string>> = { issue: "issued", invite: "invited", rotate: "succeeded" };

/** All issued tokens, and the admin who issues, rotates and revokes them by invocation. */
export const createTokenPool = ({ chooseTarget, events, onChange }: TokenPoolOptions) => {
  const held: Held[] = [];

  /** Invokes the admin function. Returns `undefined` if it is unknown whether anything was done. */
  const invoke = async (payload: { action: string; [field: string]: unknown }) => {
    const { calledAt, answeredAt, status, text, headers } = await invokeAdmin(chooseTarget(), payload);
    const answer: TokenAnswer | undefined = status === 200 ? JSON.parse(text) : undefined;
    const hasFailed = !answer || isFailedInvocation(answer);
    const { "x-amzn-requestid": requestId } = headers;
    const kind = kinds[payload.action];
    if (answer?.token_id && kind !== undefined && requestId !== undefined) {
      onChange({ requestId, kind, id: answer.token_id });
    }
    return { calledAt, answeredAt, answer: hasFailed ? undefined : answer };
  };

  const hold = (one: Held) => void held.push(one);

  const holdIssued = (
    { token_id: id, token: text }: TokenAnswer,
    { ip, allowance }: Pick<Held, "ip" | "allowance">,
  ) => {
    if (id && text) hold({ id, text, ip, ...(allowance && { allowance }) });
  };

  return {
    /** A random token. Most are recent, so that active tokens are used as well as those that have ended. */
    any(): Held | undefined {
      const recent = Math.min(held.length, 30);
      const from = Math.random() < 0.9 ? held.length - recent : 0;
      return held[from + Math.floor(Math.random() * (held.length - from))];
    },
    size: () => held.length,
    all: (): readonly Held[] => held,
    /** Adds a token that a client has obtained itself. */
    hold,
    /** Creates an invitation, for an address or without one. */
    async invite(ip: string | null): Promise<Pick<Held, "id" | "text"> | undefined> {
      const { answer: { token_id: id, invitation_text: text } = {} } = await invoke({ action: "invite", ip });
      return id && text ? { id, text } : undefined;
    },
    /** Confirms or rejects a client's request. If that fails, the client asks again. */
    async decide(action: "confirm" | "reject", shown: { token_id: string; ip: string; code: string }): Promise<void> {
      await invoke({ action, ...shown });
    },
    async issue(ip: string, limit?: number): Promise<void> {
      const { answer } = await invoke({ action: "issue", ip, comment: "soak", rate_limit: limit ?? null });
      if (!answer) return;
      const allowance = limit !== undefined && answer.token_id && { id: answer.token_id, limit };
      holdIssued(answer, { ip, ...(allowance && { allowance }) });
    },
    async revoke({ id }: Held): Promise<void> {
      const { calledAt, answeredAt, answer } = await invoke({ action: "revoke", token_id: id });
      const isKnown = answer !== undefined;
      const span = { from: calledAt, to: isKnown ? answeredAt : answeredAt + lateMilliseconds };
      const action: TokenAction =
        answer?.state === "expired"
          ? { kind: "use", verdict: "expired", ...span }
          : { kind: "leave", by: "an admin", isAnswered: isKnown, ...span };
      events.note(id, { action, calledAt, answeredAt, isKnown });
    },
    async rotate({ id, ...terms }: Held, graceSeconds: number): Promise<void> {
      const { calledAt, answeredAt, answer } = await invoke({
        action: "rotate",
        token_id: id,
        grace_seconds: graceSeconds,
      });
      const graceMilliseconds = graceSeconds * 1000;
      // Each rotation has an author of its own, because only the same client gets the same successor again.
      const rotation = { kind: "rotate", by: `admin at ${calledAt}`, graceMilliseconds, from: calledAt } as const;
      if (!answer) {
        const action = { ...rotation, to: answeredAt + lateMilliseconds };
        events.note(id, { action, calledAt, answeredAt, isKnown: false });
        return;
      }
      // The grace period counts from the time at which the successor was issued.
      const endsAt = answer.issued_at && new Date(Date.parse(answer.issued_at) + graceMilliseconds).toISOString();
      const outcome = outcomes[answer.errorType ?? ""] ?? "rotated";
      const action: TokenAction = { ...rotation, to: answeredAt, answer: outcome, ...(endsAt && { endsAt }) };
      events.note(id, { action, calledAt, answeredAt, isKnown: true });
      holdIssued(answer, terms);
    },
  };
};

export type TokenPool = ReturnType<typeof createTokenPool>;

const isFailedInvocation = ({ errorType = "" }: TokenAnswer): boolean =>
  /^(unavailable|internal_error|Runtime\.|Sandbox\.)/.test(errorType);

/** What a refusal says about a token, by its code. */
export const outcomes: Record<string, "already rotated" | "not active"> = {
  token_already_rotated: "already rotated",
  token_expired: "not active",
  token_revoked: "not active",
  token_not_active: "not active",
};
