import type { Key } from "../../../lambdas/domain/keys/keys-table.ts";
import type { Model } from "./linearizability.ts";

/** The part of a key that a response shows. */
export type Shown = Pick<Key, "v_code" | "created_at" | "updated_at">;

/** `stored` means that the key now has the pair, whether this call or an earlier one stored it. */
type CreateAnswer = { outcome: "created" | "stored"; key: Shown } | { outcome: "taken" };

/** A request about a key and its outcome. Without a response, nobody knows whether the request was carried out. */
export type KeyAction =
  | { kind: "create"; v_code: string; answer?: CreateAnswer }
  | { kind: "read"; answer: Shown | undefined }
  | { kind: "replace"; v_code: string; answer?: { key: Shown | undefined } }
  | { kind: "delete"; answer?: { deleted: boolean } };

type State = Shown | undefined;

/**
 * Stands for a time that no response has shown yet, because the response to the write was lost, or for a v_code that a response
 * does not show.
 */
export const unseen = "?";

/** The model of one key in the key store. */
export const keyModel: Model<State, KeyAction> = {
  initial: undefined,
  keyOf: (state) => JSON.stringify(state) ?? "absent",
  after(state, action) {
    switch (action.kind) {
      case "read":
        return seenAs(state, action.answer);
      case "create":
        return afterCreate(state, action);
      case "replace":
        return afterReplace(state, action);
      case "delete":
        if (!action.answer) return [undefined, state];
        return action.answer.deleted === (state !== undefined) ? [undefined] : [];
    }
  },
};

const afterCreate = (state: State, { v_code, answer }: KeyAction & { kind: "create" }): State[] => {
  if (!answer) return state ? [state] : [state, { v_code, created_at: unseen, updated_at: unseen }];
  switch (answer.outcome) {
    case "created":
      return state === undefined && answer.key.v_code === v_code ? [answer.key] : [];
    case "stored":
      if (state === undefined) return answer.key.v_code === v_code ? [answer.key] : [];
      return state.v_code === v_code ? seenAs(state, answer.key) : [];
    case "taken":
      return state !== undefined && state.v_code !== v_code ? [state] : [];
  }
};

const afterReplace = (state: State, { v_code, answer }: KeyAction & { kind: "replace" }): State[] => {
  if (!answer) return state ? [{ ...state, v_code, updated_at: unseen }, state] : [state];
  if (!answer.key || !state) return answer.key === state ? [state] : [];
  const isOwn = answer.key.v_code === v_code && isSeenAs(state.created_at, answer.key.created_at);
  return isOwn ? [answer.key] : [];
};

/** Returns the state if the key can look like this, with the times that were unknown before. */
const seenAs = (state: State, shown: State): State[] => {
  if (!state || !shown) return state === shown ? [state] : [];
  const isSame =
    (state.v_code === shown.v_code || shown.v_code === unseen) &&
    isSeenAs(state.created_at, shown.created_at) &&
    isSeenAs(state.updated_at, shown.updated_at);
  return isSame ? [{ ...shown, v_code: state.v_code }] : [];
};

const isSeenAs = (time: string, shown: string): boolean => time === unseen || time === shown;
