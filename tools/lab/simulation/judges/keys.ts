import { type KeyAction, keyModel, type Shown, unseen } from "../../linearizability/key-model.ts";
import { isLinearizable, type Operation } from "../../linearizability/linearizability.ts";
import type { Run } from "../execute.ts";
import { type KeyName, keyNames } from "../schedule.ts";
import { type Done, vCodeOf } from "../situation.ts";
import { endOf, fieldOf, isUnknown, listOf } from "./outcome.ts";
import { repetitionsOn } from "./writes.ts";

/** Checks that some ordering of the calls explains each key's responses. */
export const judgeKeys = (run: Run): string[] =>
  keyNames.flatMap((name) => {
    const { done, initial } = run;
    const history = [...done, ...repetitionsOn(run, "keys", name)].flatMap((one): Operation<KeyAction>[] => {
      const action = actionOn(name, one, run);
      return action ? [{ action, calledAt: one.calledAt, answeredAt: endOf(one) }] : [];
    });
    const stored = initial.itemsOf("keys").get(name);
    const model = { ...keyModel, initial: stored?.v_code && shownIn(plain(stored)) };
    if (isLinearizable(history, model)) return [];
    return [`the responses about key ${name} are impossible: ${JSON.stringify(history)}`];
  });

const plain = (item: Record<string, { S?: string | undefined }>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(item).map(([name, { S }]) => [name, S]));

/** Returns a key as a response shows it. Admins do not see the v_code, but a v_code that has just been stored is known. */
const shownIn = (body: unknown, stored: string = unseen): Shown => {
  const text = (name: string, otherwise = unseen) => String(fieldOf(body, name) ?? otherwise);
  return { v_code: text("v_code", stored), created_at: text("created_at"), updated_at: text("updated_at") };
};

/** Returns the effect of a call on a key as far as its caller knows, or `undefined` if there was no effect. */
const actionOn = (name: KeyName, done: Done, { chronicle }: Run): KeyAction | undefined => {
  const { call } = done.operation;
  const { answer } = done;
  if (call.kind === "list") {
    if (!answer || answer.code !== undefined) return undefined;
    const found = listOf(answer, "keys").find((key) => fieldOf(key, "key_id") === name);
    return { kind: "read", answer: found === undefined ? undefined : shownIn(found) };
  }
  if (!("key" in call) || call.key !== name) return undefined;
  const isAbsent = answer?.code === "key_not_found";
  const isRefused = answer?.code !== undefined && !isAbsent;
  switch (call.kind) {
    case "get":
      if (isUnknown(done) || isRefused) return undefined;
      return { kind: "read", answer: isAbsent ? undefined : shownIn(answer?.body) };
    case "create": {
      const { kind } = call;
      const v_code = vCodeOf(call.letter);
      if (isUnknown(done) || !answer) return { kind, v_code };
      if (answer.code === "validation_failed") return { kind, v_code, answer: { outcome: "taken" } };
      if (isRefused) return undefined;
      // If the response to a create was lost, the client retries the create, which then finds the pair that the first attempt
      // stored.
      const outcome = answer.status === 201 ? "created" : "stored";
      return { kind, v_code, answer: { outcome, key: shownIn(answer.body, v_code) } };
    }
    case "replace": {
      const { kind } = call;
      const v_code = vCodeOf(call.letter);
      if (isUnknown(done)) return { kind, v_code };
      if (isRefused) return undefined;
      const { id } = done.operation;
      // The key already had the v_code.
      const isFound = done.ifMatch !== undefined && !chronicle.applied.some(({ attempt }) => attempt.operation === id);
      if (isFound && !isAbsent) return { kind: "read", answer: shownIn(answer?.body, v_code) };
      return { kind, v_code, answer: { key: isAbsent ? undefined : shownIn(answer?.body, v_code) } };
    }
    case "delete":
      if (isUnknown(done)) return { kind: call.kind };
      return isRefused ? undefined : { kind: call.kind, answer: { deleted: !isAbsent } };
  }
};
