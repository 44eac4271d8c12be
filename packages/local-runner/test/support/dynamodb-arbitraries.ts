import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { type Action, type Condition, holds } from "../../src/dynamodb-model.ts";

/* Items, conditions and updates of the supported subset of DynamoDB. */

type Values = fc.Arbitrary<AttributeValue>;
const texts: Values = fc.constantFrom("", "a", "ab", "b", "é", "\u{1f600}").map((S) => ({ S }));
const filledTexts: Values = fc.constantFrom("a", "ab", "b", "é").map((S) => ({ S }));
const asciiTexts: Values = fc.constantFrom("a", "ab").map((S) => ({ S }));
const numbers: Values = fc.constantFrom("0", "1", "-1", "2", "10", "1.5", "-2.5").map((N) => ({ N }));
const binaries: Values = fc.constantFrom([0], [1, 2], [255]).map((bytes) => ({ B: Uint8Array.from(bytes) }));
const textSets: Values = fc.subarray(["a", "ab", "é"], { minLength: 1 }).map((SS) => ({ SS }));
const numberSets: Values = fc.subarray(["1", "2", "10"], { minLength: 1 }).map((NS) => ({ NS }));
const others: Values = fc.constantFrom<AttributeValue>({ BOOL: true }, { BOOL: false }, { NULL: true });
const lists: Values = fc.constantFrom<AttributeValue>({ L: [] }, { L: [{ S: "a" }, { N: "1" }] });
const maps: Values = fc.constantFrom<AttributeValue>({ M: {} }, { M: { a: { S: "a" } } });
const equatable = fc.oneof(texts, numbers, binaries, textSets, numberSets, others);
const anything = fc.oneof(equatable, lists, maps);
const ordered = fc.oneof(filledTexts, numbers, binaries);

const names = ["a", "b", "c"];
const name = fc.constantFrom(...names);
/** An attribute that has a size, if it is there. */
const sized = "sized";
export const items = fc.record(
  {
    ...Object.fromEntries(names.map((name) => [name, anything])),
    [sized]: fc.oneof(asciiTexts, textSets, lists, maps),
  },
  { requiredKeys: [] },
);

const range = (bounds: fc.Arbitrary<AttributeValue>) =>
  fc.tuple(bounds, bounds).map(([one, other]) => {
    const isSorted = holds(
      { kind: "compare", comparator: "<=", name: "a", value: other, valueFirst: false },
      { a: one },
    );
    return isSorted ? { lower: one, upper: other } : { lower: other, upper: one };
  });

export const { condition: conditions } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ kind: fc.constantFrom("exists", "not exists"), name }),
    fc.record({ kind: fc.constant("contains"), name, value: fc.oneof(filledTexts, numbers) }),
    fc.record({ kind: fc.constant("begins with"), name, value: texts }),
    fc.record({
      kind: fc.constant("compare"),
      comparator: fc.constantFrom("=", "<>"),
      name,
      value: equatable,
      valueFirst: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("compare"),
      comparator: fc.constantFrom("<", "<=", ">", ">="),
      name,
      value: ordered,
      valueFirst: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("size"),
      comparator: fc.constantFrom("=", "<", "<=", ">", ">="),
      name: fc.constant(sized),
      value: numbers,
    }),
    fc.oneof(range(filledTexts), range(numbers), range(binaries)).chain((bounds) =>
      fc.record({
        kind: fc.constant("between"),
        name,
        lower: fc.constant(bounds.lower),
        upper: fc.constant(bounds.upper),
      }),
    ),
    fc.record({
      kind: fc.constant("in"),
      name,
      values: fc.array(fc.oneof(filledTexts, numbers, textSets), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constantFrom("and", "or"), left: tie("condition"), right: tie("condition") }),
    fc.record({ kind: fc.constant("not"), inner: tie("condition") }),
  ),
}));

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("set"), value: anything }),
  fc.record({ kind: fc.constant("add"), value: fc.oneof(numbers, textSets, numberSets) }),
  fc.record({ kind: fc.constant("delete"), value: fc.oneof(textSets, numberSets) }),
  fc.record({ kind: fc.constant("copy"), source: name }),
  fc.record({ kind: fc.constant("default"), source: name, value: anything }),
  fc.record({ kind: fc.constant("remove") }),
);

/** What an update does to each attribute. One attribute is always set, so that a missing item is created. */
export const updates: fc.Arbitrary<Record<string, Action>> = fc
  .record(Object.fromEntries([...names, "d"].map((name) => [name, action])), { requiredKeys: [] })
  .filter((actions) =>
    Object.values(actions).every((one) => !(one && "source" in one && isChanged(actions[one.source]))),
  )
  .map((actions) => ({ ...actions, e: { kind: "set", value: { N: "1" } } }));

const isChanged = (action: Action | undefined): boolean => action?.kind === "add" || action?.kind === "delete";
