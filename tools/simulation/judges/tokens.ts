import { isLinearizable, type Operation } from "../../support/linearizability/linearizability.ts";
import { type ShownToken, type TokenAction, tokenModel } from "../../support/linearizability/token-model.ts";
import { type Answer, type Done, tokenIn } from "../answers.ts";
import type { Run } from "../run-schedule.ts";
import type { Call } from "../schedule.ts";
import { actorOf, endOf, fieldOf, isSuccess, isUnknown, listOf } from "./outcome.ts";
import { repetitionsOn } from "./repetitions.ts";

/** The verdicts about each token and its records are possible in some order of the calls. */
export const judgeTokens = (run: Run): string[] =>
  tokensOf(run).flatMap(({ token_id, initial, calledAt, issuedAt, predecessor_id }, _, all) => {
    const predecessors = new Set<string>();
    for (let id = predecessor_id; id !== undefined && !predecessors.has(id); ) {
      predecessors.add(id);
      const before = id;
      id = all.find((one) => one.token_id === before)?.predecessor_id;
    }
    const history = [...run.done, ...repetitionsOn(run, "tokens", token_id)].flatMap(
      (one): Operation<TokenAction>[] => {
        const isWithPredecessor = predecessors.has(one.token?.token_id ?? "") && one.answeredAt > calledAt;
        if (one.calledAt < issuedAt && !isWithPredecessor) return [];
        const action = one.calledAt < issuedAt ? endingOf(one) : actionOn(token_id, one);
        return action ? [{ action, calledAt: one.calledAt, answeredAt: endOf(one) }] : [];
      },
    );
    if (isLinearizable(history, tokenModel(initial))) return [];
    return [`the answers about token ${token_id} are impossible: ${JSON.stringify({ initial, history })}`];
  });

/** A revocation of a predecessor may also end a successor that was made meanwhile. */
const endingOf = (done: Done): TokenAction | undefined => {
  const { kind } = done.operation.call;
  const span = { from: done.calledTime + done.clockOffset, to: done.answeredTime + done.clockOffset };
  if (kind === "leave") return { kind, by: actorOf(done), isAnswered: false, ...span };
  return kind === "revoke" ? { kind, by: actorOf(done), ...span } : undefined;
};

/** The tokens that somebody knows: that of the setup, and those whose issue was acknowledged. */
const tokensOf = ({ done, initial }: Run) => {
  const before = [...initial.itemsOf("tokens").values()].map((item) => ({
    token_id: item.token_id?.S ?? "",
    initial: {
      ...untouched,
      rate_limit: item.rate_limit ? Number(item.rate_limit.N) : null,
      updated_by: item.updated_by?.S ?? null,
    },
    calledAt: 0,
    issuedAt: 0,
    predecessor_id: undefined,
  }));
  const issued = done.flatMap((one) => {
    if (!issuing.has(one.operation.call.kind) || !one.answer || !isSuccess(one)) return [];
    const token = tokenIn(one.answer.body);
    if (!token) return [];
    const predecessor_id = one.token?.token_id === token.token_id ? undefined : one.token?.token_id;
    const { calledAt, answeredAt: issuedAt } = one;
    return [{ token_id: token.token_id, initial: shownIn(one.answer.body), calledAt, issuedAt, predecessor_id }];
  });
  // A successor may be answered more than once.
  const first = new Map(issued.toReversed().map((token) => [token.token_id, token]));
  return [...before, ...first.values()];
};

const issuing = new Set<Call["kind"]>(["issue", "rotate", "invite", "rotate own", "move"]);

const untouched: ShownToken = {
  rate_limit: null,
  updated_by: null,
  rotated_by: null,
  revoked_by: null,
  expires_at: null,
  dismissed: "",
};

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

/** What a call did to a token or said about it, as far as its caller knows. */
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
      if (answer.status === 201) return { kind: "succeed", ...succession };
      if (answer.code !== "token_already_rotated") return verdictIn(answer, span);
      return { kind: "rotate", ...succession, answer: "already rotated" };
    }
    case "leave":
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
  if (status === 403) return { kind: "use", verdict: "active", ...span };
  // Only an endpoint that limits its calls shows the limit, so that a call that asks for something says nothing about it.
  if (status === 202 || status === 409 || status === 429) return { kind: "use", verdict: "active", ...span };
  const limit = /;q=(\d+)/.exec(String(headers["RateLimit-Policy"]))?.[1];
  return { kind: "use", verdict: "active", limit: limit === undefined ? null : Number(limit), ...span };
};
