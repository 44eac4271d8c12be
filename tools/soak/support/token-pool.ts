import { callFrom } from "./calls.ts";
import type { Histories } from "./history.ts";
import type { TokenEvent } from "./verdict-model.ts";

/** An issued token, as its holder knows it. */
export interface Held {
  id: string;
  text: string;
  ip: string;
}

interface TokenAnswer {
  token_id?: string;
  token?: string;
  state?: string;
  issued_at?: string;
  errorType?: string;
}

const lost = Number.POSITIVE_INFINITY;

/** The tokens of a soak, and the admin who issues, rotates and revokes them by invocation. */
export const createTokenPool = (invokePort: number, events: Histories<TokenEvent>) => {
  const held: Held[] = [];

  /** Invokes the admin function. Returns `undefined` if the outcome is unknown. */
  const invoke = async (payload: object) => {
    const path = "/2015-03-31/functions/admin/invocations";
    const body = JSON.stringify(payload);
    const answered = await callFrom({ method: "POST", path, port: invokePort, from: "127.0.0.1", body });
    const answer: TokenAnswer | undefined = answered.status === 200 ? JSON.parse(answered.text) : undefined;
    const isLost = !answer || /^(unavailable|internal_error|Runtime\.|Sandbox\.)/.test(answer.errorType ?? "");
    return { calledAt: answered.calledAt, answeredAt: answered.answeredAt, answer: isLost ? undefined : answer };
  };

  const hold = ({ token_id, token }: TokenAnswer, ip: string) => {
    if (token_id && token) held.push({ id: token_id, text: token, ip });
  };

  return {
    /** A random token. The newest are the most frequent, so that both ended and valid tokens are used. */
    any(): Held | undefined {
      const recent = Math.min(held.length, 30);
      const from = Math.random() < 0.9 ? held.length - recent : 0;
      return held[from + Math.floor(Math.random() * (held.length - from))];
    },
    size: () => held.length,
    all: (): readonly Held[] => held,
    async issue(ip: string): Promise<void> {
      const { answer } = await invoke({ action: "issue", ip, comment: "soak" });
      if (answer) hold(answer, ip);
    },
    async revoke({ id }: Held): Promise<void> {
      const { calledAt, answeredAt, answer } = await invoke({ action: "revoke", token_id: id });
      const state = answer?.state === "expired" ? "expired" : "revoked";
      const action: TokenEvent = answer ? { kind: "revoke", answer: state } : { kind: "revoke" };
      events.note(id, { action, calledAt, answeredAt, isKnown: answer !== undefined });
    },
    async rotate({ id, ip }: Held, graceSeconds: number): Promise<void> {
      const { calledAt, answeredAt, answer } = await invoke({
        action: "rotate",
        token_id: id,
        grace_seconds: graceSeconds,
      });
      const rotation = { kind: "rotate", to: answeredAt } as const;
      if (!answer) {
        const ends = { endsFrom: calledAt + graceSeconds * 1000, endsTo: lost };
        events.note(id, { action: { ...rotation, ...ends }, calledAt, answeredAt, isKnown: false });
        return;
      }
      // The grace starts at the time when the successor was issued.
      const ends = Date.parse(answer.issued_at ?? "") + graceSeconds * 1000;
      const verdict = outcomes[answer.errorType ?? ""] ?? "rotated";
      const action: TokenEvent = { ...rotation, endsFrom: ends, endsTo: ends, answer: verdict };
      events.note(id, { action, calledAt, answeredAt, isKnown: true });
      hold(answer, ip);
    },
  };
};

const outcomes: Record<string, "already rotated" | "not active"> = {
  token_already_rotated: "already rotated",
  token_not_active: "not active",
};
