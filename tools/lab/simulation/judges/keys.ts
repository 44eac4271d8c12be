import { isLinearizable, type Operation } from "../../linearizability/linearizability.ts";
import {
  type OneStep,
  type RecordAction,
  recordModel,
  type Shown,
  type StepResult,
  unseen,
} from "../../linearizability/record-model.ts";
import type { Run } from "../execute.ts";
import { type KeyName, keyNames } from "../schedule.ts";
import { type Done, vCodeOf } from "../situation.ts";
import { endOf, fieldOf, isUnknown, listOf } from "./outcome.ts";
import { repetitionsOn } from "./writes.ts";

/** A step on a key, whose content is its v_code. */
export type KeyStep = OneStep & { v_code?: string };

export const keyModel = recordModel<string, KeyStep>({
  contentAfter: (_, { v_code }) => v_code,
  allows: () => true,
  isSame: (stored, shown) => stored === shown || shown === unseen,
});

/** Checks that some ordering of the calls explains each key's responses. */
export const judgeKeys = (run: Run): string[] =>
  keyNames.flatMap((name) => {
    const { done, initial } = run;
    const history = [...done, ...repetitionsOn(run, "keys", name)].flatMap((one): Operation<KeyAction>[] =>
      actionsOn(name, one).map((action) => ({ action, calledAt: one.calledAt, answeredAt: endOf(one) })),
    );
    const stored = initial.itemsOf("keys").get(name);
    const model = { ...keyModel, initial: { [name]: stored?.v_code && shownIn(plain(stored)) } };
    if (isLinearizable(history, model)) return [];
    return [`the responses about key ${name} are impossible: ${JSON.stringify(history)}`];
  });

type KeyAction = RecordAction<string, KeyStep>;

const plain = (item: Record<string, { S?: string | undefined }>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(item).map(([name, { S }]) => [name, S]));

/** Returns a key as a response shows it. Admins do not see the v_code, but a v_code that has just been stored is known. */
const shownIn = (body: unknown, stored: string = unseen): Shown<string> => {
  const text = (name: string, otherwise = unseen) => String(fieldOf(body, name) ?? otherwise);
  return { content: text("v_code", stored), created_at: text("created_at"), updated_at: text("updated_at") };
};

const operations = { get: "get", list: "get", create: "create", replace: "update", delete: "delete" } as const;

/** Returns the effect of a call on a key as far as its caller knows. Empty if there was no effect. */
const actionsOn = (name: KeyName, done: Done): KeyAction[] => {
  const { call } = done.operation;
  if (!(call.kind === "list" || ("key" in call && call.key === name))) return [];
  const operation = operations[call.kind];
  const step = { name, operation, ...("letter" in call && { v_code: vCodeOf(call.letter) }) };
  if (isUnknown(done)) return operation === "get" ? [] : [{ steps: [step] }];
  const result = resultOf(step, done);
  return result ? [{ steps: [step], results: [result] }] : [];
};

/** Returns the result of a step, or `undefined` if the call was rejected without it. */
const resultOf = ({ name, v_code }: KeyStep, done: Done): StepResult<string> | undefined => {
  const { answer, ifMatch, operation } = done;
  const { call } = operation;
  if (call.kind === "create" && answer?.code === "validation_failed") return { outcomes: ["taken"] };
  const isAbsent = answer?.code === "key_not_found";
  if (!answer || (answer.code !== undefined && !isAbsent)) return undefined;
  const record = isAbsent ? undefined : shownIn(answer.body, v_code);
  switch (call.kind) {
    case "list": {
      const found = listOf(answer, "keys").find((key) => fieldOf(key, "key_id") === name);
      return { outcomes: ["found"], record: found === undefined ? undefined : shownIn(found) };
    }
    case "create":
      // A create whose response was lost is retried, and then finds the pair that its first attempt stored.
      return { outcomes: answer.status === 201 ? ["created"] : ["created", "unchanged"], record };
    case "replace":
      // A conditional replacement also succeeds if the key already has the v_code.
      if (!isAbsent) return { outcomes: ifMatch === undefined ? ["updated"] : ["updated", "unchanged"], record };
      return { outcomes: ["not found"] };
    case "delete":
      return { outcomes: [isAbsent ? "not found" : "deleted"] };
    default:
      return { outcomes: ["found"], record };
  }
};
