import fc from "fast-check";
import { expect, test } from "vitest";
import { inspectJson } from "../../../../lambdas/shared/validation/inspect-json.ts";

const problemsIn = (json: string) => ({ ...inspectJson(json).fields });

test.each<[string, string[]]>([
  ['{"a":1,"b":1}', []],
  ['{"a":1,"a":1,"a":1}', ["a"]],
  ['{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}', []],
  ['{"lines":[0,{"quantity":1,"quantity":2}]}', ["lines.1.quantity"]],
  ['{"a":{"x":[[1,2],{"y":1,"y":1}]}, "a" : 1}', ["a.x.1.y", "a"]],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"a":"\\\\","b":"\\"b\\":1,","b":2}', ["b"]],
  ['{"__proto__":1,"__proto__":2,"constructor":1,"toString":1}', ["__proto__"]],
])("finds repeated members in %s", (json, paths) => {
  expect(problemsIn(json)).toEqual(Object.fromEntries(paths.map((path) => [path, [`The ${path} must be sent once.`]])));
});

const rounded = ["The n would be rounded. Send at most 15 significant digits."];

test.each([
  ...["0", "-0", "0e999", "1.0", "-1.50", "1e2", "100e-2", "1E+2", "0.1", "1e-7", "0.0000001", "5e-324"],
  ...["123456789012345", "9007199254740991", "1000000000000000000000", "1.7976931348623157e308"],
])("accepts the number %s, because a double prints it", (number) => {
  expect(problemsIn(`{"n":${number}}`)).toEqual({});
});

test.each([
  ...["9007199254740993", "0.1000000000000000055", "4.9e-324", `1.${"0".repeat(400)}`],
  ...["1e400", "-1e400", "1e-400", "-1e-400"],
])("rejects the number %s, because it would be rounded", (number) => {
  expect(problemsIn(`{"n":${number}}`)).toEqual({ n: rounded });
});

test("rejects lone surrogates in strings and in names", () => {
  expect(problemsIn('{"a":["\\ud83d"],"b":"\\ud83d\\ude00"}')).toEqual({
    "a.0": ["The a.0 must be well-formed Unicode."],
  });
  expect(Object.keys(problemsIn('{"\\udc00":1}'))).toEqual(["\ufffd"]);
});

test("finds no problem in the output of JSON.stringify, and finds each repeated member", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ maxLength: 50 }), (value, name) => {
      const [member, json] = [JSON.stringify({ [name]: value }).slice(1, -1), JSON.stringify({ value })];
      expect(problemsIn(`{"outer":[0,{${member}}]}`)).toEqual({});
      expect(Object.keys(problemsIn(`{"outer":[${json},{${member},${member}}]}`))).toEqual([`outer.1.${name}`]);
    }),
  );
});

test("accepts 100,000 members and items", () => {
  const list = (length: number) => `{"a":[${Array(length).fill(1)}]}`;
  expect(problemsIn(list(99_999))).toEqual({});
  expect(problemsIn(list(100_000))).toEqual({ body: ["The body must have at most 100000 members and items."] });
});

test("names at most 100 problems, and at most 200 characters of a path", () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `"${index}":1e400`);
  expect(Object.keys(problemsIn(`{${many}}`))).toHaveLength(100);
  const name = "n".repeat(1_000);
  expect(Object.keys(problemsIn(`{"${name}":1e400}`))).toEqual([name.slice(0, 200)]);
});
