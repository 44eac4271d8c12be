import { describe, expect, test } from "vitest";
import { isLinearizable, type Operation } from "../../../../tools/lab/linearizability/linearizability.ts";
import type { RecordAction } from "../../../../tools/lab/linearizability/record-model.ts";
import { type KeyStep, keyModel } from "../../../../tools/lab/simulation/judges/keys.ts";

type Action = RecordAction<string, KeyStep>;

const name = "key";
const shown = (v_code: string) => ({ content: v_code, created_at: "1", updated_at: "1" });
const at = (calledAt: number, answeredAt: number, action: Action): Operation<Action> => ({
  action,
  calledAt,
  answeredAt,
});
const create = (v_code: string): Action => ({ steps: [{ name, operation: "create", v_code }] });
const created = (v_code: string): Action => ({
  ...create(v_code),
  results: [{ outcomes: ["created"], record: shown(v_code) }],
});
const read = (v_code?: string): Action => ({
  steps: [{ name, operation: "get" }],
  results: [{ outcomes: ["found"], record: v_code === undefined ? undefined : shown(v_code) }],
});
const deleted: Action = { steps: [{ name, operation: "delete" }], results: [{ outcomes: ["deleted"] }] };
const never = Number.POSITIVE_INFINITY;

describe("an impossible history of calls", () => {
  test.each<[string, Operation<Action>[]]>([
    ["a stale read", [at(0, 1, created("a")), at(2, 3, read())]],
    ["two creates at once", [at(0, 9, created("a")), at(0, 9, created("b"))]],
    ["a read that goes back in time", [at(0, 9, created("a")), at(1, 2, read("a")), at(3, 4, read())]],
    ["a lost write", [at(0, 1, created("a")), at(2, 3, deleted), at(4, 5, read("a"))]],
    ["a delete reported as done to two clients", [at(0, 1, created("a")), at(2, 9, deleted), at(2, 9, deleted)]],
    ["a read of a value that nobody wrote", [at(0, 1, read("a"))]],
    [
      "a create without a response that took effect twice",
      [at(0, never, create("a")), at(1, 2, read("a")), at(3, 4, deleted), at(5, 6, read("a"))],
    ],
  ])("is rejected: %s", (_, history) => {
    expect(isLinearizable(history, { ...keyModel, initial: {} })).toBe(false);
  });
});
