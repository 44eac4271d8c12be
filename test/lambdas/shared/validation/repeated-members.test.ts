import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedMembers } from "../../../../lambdas/shared/validation/repeated-members.ts";

test.for<[string, string[]]>([
  ['{"a":1,"a":1}', ["a"]],
  ['{"a":1,"b":2,"a":3,"b":4,"a":5}', ["a", "b"]],
  ['{"a":1,"\\u0061" : 2}', ["a"]],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
  ['{"":1,"":2}', [""]],
  ['{"lines":[{"quantity":1},{"quantity":1,"quantity":2}]}', ["lines.1.quantity"]],
  ['{"a":[1,[2,{"b":{"c":1,"c":2}}]]}', ["a.1.1.b.c"]],
  ['{"a":{"b":1},"c":{"b":1},"b":["b","b",":"]}', []],
  ['{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\","c":"a","d":"a"}', []],
  ['["a","a"]', []],
])("finds the repeated members of %s: %j", ([json, repeated]) => {
  expect(repeatedMembers(json)).toEqual(repeated);
});

test("finds none in the output of JSON.stringify, and finds each repeated member", () => {
  fc.assert(
    fc.property(fc.json(), fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (other, members) => {
      const json = JSON.stringify(members, undefined, 1);
      expect(repeatedMembers(other)).toEqual([]);
      expect(repeatedMembers(json)).toEqual([]);
      const [name = "", value] = Object.entries(members)[0] ?? [];
      const twice = `${json.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;
      expect(repeatedMembers(`{"outer":[0,${twice}]}`)).toEqual([`outer.1.${name}`]);
    }),
  );
});
