import type { Key } from "../../../../lambdas/domain/keys/key-store.ts";
import { type KeyAction, keyModel } from "../../linearizability/key-model.ts";
import { isLinearizable, type Model, type Operation } from "../../linearizability/linearizability.ts";
import type { Answered, Request } from "./caller.ts";

export const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** A part of every v_code, so that the log can be searched for it. */
export const vCodeMark = "trafficsecret";
const vCodes = ["a", "b", "c"].map((letter) => vCodeMark.padEnd(64, letter));

/** New keys are used after this time, so that no history grows long. */
const generationMs = 4_000;
/** Some ids contain characters that have to be encoded in a path, and some contain multi-byte characters. */
const keysOfAGeneration = Array.from({ length: 24 }, (_, index) => `${index}${["", "/b", " ä🔑#"][index % 3]}`);

const methods = ["POST", "POST", "GET", "GET", "PUT", "DELETE"];

/** Returns a random request about one of a few keys. */
export const keyRequest = () => {
  const keyId = `${Math.floor(Date.now() / generationMs)} ${anyOf(keysOfAGeneration)}`;
  const method = anyOf(methods);
  const v_code = anyOf(vCodes);
  const isCreate = method === "POST";
  const form = { v_code, ...(isCreate && { key_id: keyId }) };
  const path = isCreate ? "/api/v1/key" : pathOf(keyId);
  return { keyId, request: { method, path, ...((isCreate || method === "PUT") && { form }) } };
};

export const pathOf = (keyId: string): string => `/api/v1/key/${encodeURIComponent(keyId)}`;

/** Returns the effect of a request, with its result if the response shows it, or `undefined` for a failed read. */
const actionOf = ({ method, form: { v_code = "" } = {} }: KeyRequest, answered: Answered): KeyAction | undefined => {
  const { status, text, calledAt } = answered;
  const key = (status === 200 || status === 201) && shownIn(JSON.parse(text));
  const found = key ? { key } : status === 404 ? { key: undefined } : undefined;
  switch (method) {
    case "POST": {
      if (status === 422) return { kind: "create", v_code, answer: { outcome: "taken" } };
      if (!key) return { kind: "create", v_code };
      // On a busy machine, a call's first attempt may store the pair after its timeout, and the second attempt then finds the pair.
      const isOlder = Date.parse(key.created_at) < calledAt;
      const outcome = status === 201 ? "created" : isOlder ? "unchanged" : "stored";
      return { kind: "create", v_code, answer: { outcome, key } };
    }
    case "PUT":
      return { kind: "replace", v_code, ...(found && { answer: found }) };
    case "DELETE": {
      const isKnown = status === 204 || status === 404;
      return { kind: "delete", ...(isKnown && { answer: { deleted: status === 204 } }) };
    }
    default:
      return found && { kind: "read", answer: found.key };
  }
};

type KeyRequest = Pick<Request, "method" | "form">;

const shownIn = ({ v_code, created_at, updated_at }: Key) => ({ v_code, created_at, updated_at });

/** How long an operation without a response may still take effect, which is longer than the deadline of a database call. */
const lateMilliseconds = 10_000;

/** Records the operations on each key. */
export const createKeyHistories = () => {
  const histories = new Map<string, Operation<KeyAction>[]>();
  return {
    note(keyId: string, request: KeyRequest, answered: Answered): void {
      const { calledAt, answeredAt } = answered;
      const action = actionOf(request, answered);
      if (!action) return;
      const history = histories.get(keyId) ?? [];
      const unanswered = { answeredAt: Number.POSITIVE_INFINITY, happenedBy: answeredAt + lateMilliseconds };
      history.push({ action, calledAt, ...("answer" in action ? { answeredAt } : unanswered) });
      histories.set(keyId, history);
    },
    ids: (): string[] => [...histories.keys()],
    operations: (): number => [...histories.values()].flat().length,
    /** Returns the keys whose history cannot have happened. */
    impossible: (): string[] =>
      [...histories].flatMap(([keyId, history]) =>
        isLinearizable(history, keyModel as Model<unknown, KeyAction>) ? [] : [`${keyId}: ${JSON.stringify(history)}`],
      ),
  };
};
