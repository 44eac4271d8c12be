import type { Item } from "cdk-local-runner/database";
import { isLinearizable, type Operation } from "../../linearizability/linearizability.ts";
import { type ShownToken, type TokenAction, tokenModel, untouched } from "../../linearizability/token-model.ts";
import type { Run } from "../execute.ts";
import type { Call } from "../schedule.ts";
import { type Answer, type Done, tokenIn, trustInHand } from "../situation.ts";
import { actorOf, endOf, fieldOf, isSuccess, isUnknown, listOf } from "./outcome.ts";
import { repetitionsOn } from "./writes.ts";

/** Checks that some ordering of the calls explains the responses about each token and its records. */
export const judgeTokens = (run: Run): string[] =>
  tokensOf(run).flatMap(({ token_id, initial, issuedAt }) => {
    // Whatever happens to a trust also happens to its tokens. See workloads.ts.
    if (run.database.itemsOf("tokens").get(token_id)?.limit_id?.S === trustInHand.token_id) return [];
    const history = [...run.done, ...repetitionsOn(run, "tokens", token_id)].flatMap(
      (one): Operation<TokenAction>[] => {
        if (one.calledAt < issuedAt) return [];
        const action = actionOn(token_id, one);
        return action ? [{ action, calledAt: one.calledAt, answeredAt: endOf(one) }] : [];
      },
    );
    history.push(...inherited(token_id, run));
    if (isLinearizable(history, tokenModel(initial))) return [];
    return [`the responses about token ${token_id} are impossible: ${JSON.stringify({ initial, history })}`];
  });

/** Returns the revocations of a token's predecessors. They also end the token if it is made at that moment. */
const inherited = (token_id: string, { done, database }: Pick<Run, "done" | "database">): Operation<TokenAction>[] => {
  const predecessor = database.itemsOf("tokens").get(token_id)?.predecessor_id?.S;
  if (predecessor === undefined) return [];
  const revocations = done.filter(
    ({ operation: { call }, token }) =>
      token?.token_id === predecessor && (call.kind === "leave" || call.kind === "revoke"),
  );
  const own = revocations.map((one): Operation<TokenAction> => {
    const span = { from: one.calledTime + one.clockOffset, to: one.answeredTime + one.clockOffset };
    const action = { kind: "leave", by: actorOf(one), isAnswered: false, ...span } as const;
    return { action, calledAt: one.calledAt, answeredAt: endOf(one) };
  });
  return [...own, ...inherited(predecessor, { done, database })];
};

/** Returns the tokens that somebody knows: the token of the setup, and tokens whose issue was acknowledged. */
const tokensOf = ({ done, initial, chronicle }: Run) => {
  const before = [...initial.itemsOf("tokens").values()].map((item) => ({
    token_id: item.token_id?.S ?? "",
    initial: {
      ...untouched,
      rate_limit: limitIn(item),
      updated_by: item.updated_by?.S ?? null,
    },
    issuedAt: 0,
  }));
  const issued = done.flatMap((one) => {
    if (!issuing.has(one.operation.call.kind) || !one.answer || !isSuccess(one)) return [];
    const token = tokenIn(one.answer.body);
    if (!token) return [];
    // Clients are not told the limit.
    const stored = chronicle.applied.find(({ change }) => change.key === token.token_id)?.change.after;
    const rate_limit = limitIn(stored);
    return [{ ...token, initial: { ...shownIn(one.answer.body), rate_limit }, issuedAt: one.answeredAt }];
  });
  // A successor may be returned more than once.
  const first = new Map(issued.toReversed().map((token) => [token.token_id, token]));
  return [...before, ...first.values()];
};

const limitIn = (item: Item | undefined): number | null => (item?.rate_limit ? Number(item.rate_limit.N) : null);

const issuing = new Set<Call["kind"]>(["issue", "rotate", "invite", "rotate own", "move"]);

const shownIn = (body: unknown): ShownToken => {
  const text = (name: string): string | null => {
    const value = fieldOf(body, name);
    return value === null || value === undefined ? null : String(value);
  };
  const limit = text("rate_limit");
  return {
    rate_limit: limit === null ? null : Number(limit),
    updated_by: text("updated_by"),
    rotated_by: text("rotated_by"),
    revoked_by: text("revoked_by"),
    expires_at: text("expires_at"),
    dismissed: listOf({ body }, "dismissed_addresses")
      .map((address) => fieldOf(address, "ip"))
      .join(","),
  };
};

/** Returns the effect of a call on a token, or its verdict, as far as the caller knows. */
const actionOn = (token_id: string, done: Done): TokenAction | undefined => {
  const { operation, answer, token, calledTime, answeredTime, clockOffset } = done;
  const { call } = operation;
  const span = { from: calledTime + clockOffset, to: answeredTime + clockOffset };
  const by = actorOf(done);
  if (call.kind === "tokens") {
    const found = answer && listOf(answer, "tokens").find((one) => fieldOf(one, "token_id") === token_id);
    return found ? { kind: "read", answer: shownIn(found), ...span } : undefined;
  }
  if (token?.token_id !== token_id) return undefined;
  switch (call.kind) {
    case "inspect":
      return answer && isSuccess(done) ? { kind: "read", answer: shownIn(answer.body), ...span } : undefined;
    case "update": {
      const { kind, limit, expiresAfter } = call;
      const end = expiresAfter === undefined ? undefined : expiresAfter === null ? "none" : "a time";
      const update = { kind, by, limit, end, ...span } as const;
      if (isUnknown(done) || !answer) return update;
      return { ...update, answer: isSuccess(done) ? shownIn(answer.body) : refusalIn(answer) };
    }
    case "dismiss":
    case "restore": {
      const { kind, ip } = call;
      if (isUnknown(done) || !answer) return { kind, by, ip, ...span };
      return { kind, by, ip, answer: isSuccess(done) ? shownIn(answer.body) : "not active", ...span };
    }
    case "revoke":
      if (isUnknown(done) || !answer) return { kind: call.kind, by, ...span };
      return { kind: call.kind, by, answer: shownIn(answer.body), ...span };
    case "rotate": {
      const rotation = { kind: call.kind, by, graceMilliseconds: call.graceSeconds * 1_000, ...span };
      return isUnknown(done) ? rotation : { ...rotation, answer: isSuccess(done) ? "rotated" : refusalIn(answer) };
    }
    case "rotate own":
    case "move": {
      const succession = { by, graceMilliseconds: "graceSeconds" in call ? call.graceSeconds * 1_000 : 0, ...span };
      if (isUnknown(done) || !answer) return { kind: "rotate", ...succession };
      if (answer.status === 201) return { kind: "succeed", isMove: call.kind === "move", ...succession };
      if (answer.code !== "token_already_rotated") return verdictIn(answer, span);
      return { kind: "rotate", ...succession, answer: "already rotated" };
    }
    case "leave":
      if (answer?.code === "rate_limited") return verdictIn(answer, span);
      return { kind: call.kind, by, isAnswered: !isUnknown(done), ...span };
    case "redeem":
      return answer?.status === 201 ? { kind: "use", verdict: "active", ...span } : undefined;
    case "use":
      return answer && call.as !== "wrong secret" ? verdictIn(answer, span) : undefined;
    default:
      return answer && "door" in call && call.door === "api" ? verdictIn(answer, span) : undefined;
  }
};

const refusalIn = (answer: Answer | undefined) =>
  answer?.code === "token_already_rotated" ? "already rotated" : "not active";

const verdictIn = (answer: Answer, span: { from: number; to: number }): TokenAction | undefined => {
  const { code, headers, status } = answer;
  if (code === "token_expired" || code === "token_revoked") {
    return { kind: "use", verdict: code === "token_expired" ? "expired" : "revoked", ...span };
  }
  if (status >= 500 || status === 401) return undefined;
  // Only responses of endpoints that limit their calls show the limit. Other outcomes say nothing about it.
  if ([202, 403, 409, 429].includes(status)) return { kind: "use", verdict: "active", ...span };
  const limit = /;q=(\d+)/.exec(String(headers["RateLimit-Policy"]))?.[1];
  return { kind: "use", verdict: "active", limit: limit === undefined ? null : Number(limit), ...span };
};
