import type { Key } from "../../../lambdas/resources/keys/key-store.ts";
import type { KeyAction, Shown } from "../linearizability/key-model.ts";
import type { Answered } from "./caller.ts";

/** A request about one key, and how to read its response. */
interface KeyRequest {
  method: string;
  path: string;
  form?: Record<string, string>;
  /** The action, with its result if the response shows it; `undefined` for a read that failed. */
  actionOf(answer: Answered): { action: KeyAction; isKnown: boolean } | undefined;
}

const pick = <T>(...all: readonly [T, ...T[]]): T => all[Math.floor(Math.random() * all.length)] ?? all[0];

/** Part of every v_code, so that the log can be searched for it. */
export const vCodeMark = "soaksecret";
const vCodes = ["a", "b", "c"].map((letter) => vCodeMark.padEnd(64, letter)) as [string, ...string[]];

const shownIn = ({ text }: Answered): Shown => {
  const { v_code, created_at, updated_at }: Key = JSON.parse(text);
  return { v_code, created_at, updated_at };
};

/** A random request about a key. */
export const keyRequest = (keyId: string): KeyRequest => {
  const path = `/api/v1/key/${keyId}`;
  const v_code = pick(...vCodes);
  switch (pick("create", "create", "read", "read", "replace", "delete")) {
    case "create":
      return {
        method: "POST",
        path: "/api/v1/key",
        form: { key_id: keyId, v_code },
        actionOf: (answer) => created(v_code, answer),
      };
    case "replace":
      return { method: "PUT", path, form: { v_code }, actionOf: (answer) => replaced(v_code, answer) };
    case "delete":
      return { method: "DELETE", path, actionOf: deleted };
    default:
      return { method: "GET", path, actionOf: read };
  }
};

const known = (action: KeyAction) => ({ action, isKnown: true });
const unknown = (action: KeyAction) => ({ action, isKnown: false });

const created = (v_code: string, answer: Answered) => {
  const action = { kind: "create", v_code } as const;
  if (answer.status === 422) return known({ ...action, answer: { outcome: "taken" } });
  if (answer.status !== 200 && answer.status !== 201) return unknown(action);
  const key = shownIn(answer);
  if (answer.status === 201) return known({ ...action, answer: { outcome: "created", key } });
  // On a busy machine, a call's first attempt may store the pair after its time-out, and the second one then finds it.
  const isOlder = Date.parse(key.created_at) < Math.floor(answer.calledAt);
  return known({ ...action, answer: { outcome: isOlder ? "unchanged" : "stored", key } });
};

const replaced = (v_code: string, answer: Answered) => {
  const action = { kind: "replace", v_code } as const;
  if (answer.status === 404) return known({ ...action, answer: { key: undefined } });
  return answer.status === 200 ? known({ ...action, answer: { key: shownIn(answer) } }) : unknown(action);
};

/** After the time-out of its first attempt, release 1.1.0 cannot tell whether there was a key to delete. */
const surelyFirstAttemptMs = 500;

const deleted = ({ status, calledAt, answeredAt }: Answered) => {
  const isSure = answeredAt - calledAt < surelyFirstAttemptMs;
  if (!isSure || (status !== 204 && status !== 404)) return unknown({ kind: "delete" });
  return known({ kind: "delete", answer: { deleted: status === 204 } });
};

export const read = (answer: Answered) => {
  if (answer.status === 404) return known({ kind: "read", answer: undefined });
  return answer.status === 200 ? known({ kind: "read", answer: shownIn(answer) }) : undefined;
};
