import { describe, expect, test } from "vitest";
import { createResolver } from "../../src/assembly/intrinsics.ts";
import { readFilterPattern } from "../../src/assembly/log-subscriptions.ts";
import { readScheduleExpression } from "../../src/assembly/schedules.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";

const template = {
  Parameters: { Stage: { Type: "String", Default: "dev" }, Secret: { Type: "String" } },
  Mappings: { Sizes: { dev: { memory: "128" } } },
  Conditions: {
    IsDev: { "Fn::Equals": [{ Ref: "Stage" }, "dev"] },
    IsProd: { "Fn::Not": [{ Condition: "IsDev" }] },
    Either: { "Fn::Or": [{ Condition: "IsProd" }, { Condition: "IsDev" }] },
    Both: { "Fn::And": [{ Condition: "IsProd" }, { Condition: "IsDev" }] },
  },
  Resources: {},
};

const { resolve, condition } = createResolver({ name: "Test", template }, localAwsEnvironment(), {
  resource: (logicalId, attribute) => (attribute === undefined ? `ref:${logicalId}` : `${attribute} of ${logicalId}`),
  exported: (name) => `export:${name}`,
  parameter: () => undefined,
});

// A placeholder of Fn::Sub. In a template literal, it would be mistaken for JavaScript's own.
const slot = (name: string) => `\${${name}}`;
const select = (index: unknown, list: unknown) => ({ "Fn::Select": [index, list] });

describe("an expression resolves as CloudFormation would resolve it", () => {
  test.each([
    ["Ref of a resource", { Ref: "Table" }, "ref:Table"],
    ["Ref of a parameter", { Ref: "Stage" }, "dev"],
    ["Ref of a pseudo parameter", { Ref: "AWS::Region" }, "us-east-1"],
    ["Ref of the stack's name", { Ref: "AWS::StackName" }, "Test"],
    ["Fn::GetAtt as a list", { "Fn::GetAtt": ["Table", "Arn"] }, "Arn of Table"],
    ["Fn::GetAtt as a string", { "Fn::GetAtt": "Nested.Outputs.Url" }, "Outputs.Url of Nested"],
    ["Fn::Join", { "Fn::Join": ["-", ["a", { Ref: "Stage" }, 3]] }, "a-dev-3"],
    [
      "Fn::Sub",
      { "Fn::Sub": `${slot("Stage")}/${slot("Table.Arn")}/${slot("!Kept")}` },
      `dev/Arn of Table/${slot("Kept")}`,
    ],
    ["Fn::Sub with a map", { "Fn::Sub": [`${slot("x")}-${slot("Stage")}`, { x: { Ref: "Table" } }] }, "ref:Table-dev"],
    ["Fn::Select of Fn::Split", select(1, { "Fn::Split": [":", "a:b:c"] }), "b"],
    ["Fn::If", { "Fn::If": ["IsDev", "yes", "no"] }, "yes"],
    ["Fn::FindInMap", { "Fn::FindInMap": ["Sizes", { Ref: "Stage" }, "memory"] }, "128"],
    ["Fn::ImportValue", { "Fn::ImportValue": { "Fn::Sub": `${slot("Stage")}-url` } }, "export:dev-url"],
    ["a plain value", { a: [1, true, null] }, { a: [1, true, null] }],
  ])("%s", (_, expression, value) => {
    expect(resolve(expression)).toEqual(value);
  });

  test("conditions can refer to each other", () => {
    expect(["IsDev", "IsProd", "Either", "Both"].map(condition)).toEqual([true, false, true, false]);
  });

  test("AWS::NoValue removes its property or list entry", () => {
    const nothing = { "Fn::If": ["IsProd", "set", { Ref: "AWS::NoValue" }] };
    expect(resolve({ a: nothing, b: [nothing, 1] })).toEqual({ b: [1] });
  });

  test("a policy's Condition is data, not a template condition", () => {
    expect(resolve({ Condition: { StringEquals: { a: { Ref: "Stage" } } } })).toEqual({
      Condition: { StringEquals: { a: "dev" } },
    });
  });
});

test.each([
  ["an unknown intrinsic", { "Fn::Base64": "a" }, "Fn::Base64"],
  ["a parameter without a default", { Ref: "Secret" }, "parameter Secret has no default value"],
  ["an entry that does not exist", select(4, ["a"]), "Fn::Select has no entry 4"],
  ["a missing map entry", { "Fn::FindInMap": ["Sizes", "prod", "memory"] }, "no entry prod"],
  ["a missing condition", { "Fn::If": ["IsMoon", 1, 2] }, "condition IsMoon, which does not exist"],
])("rejects %s and names it", (_, expression, message) => {
  expect(() => resolve(expression)).toThrow(message);
  expect(() => resolve(expression)).toThrow("Stack Test cannot run locally");
});

const requests = '{ $.message = "request" && $.token_id = * }';

test.each([
  [requests, { message: "request", token_id: "01J" }, true],
  [requests, { message: "request" }, false],
  [requests, { message: "other", token_id: "01J" }, false],
  [requests, null, false],
  ['{ ($.level = "ERROR") || ($.record.status = "timeout") }', { record: { status: "timeout" } }, true],
  ['{ ($.level = "ERROR") || ($.record.status = "timeout") }', { level: "INFO", record: {} }, false],
  ["{ $.status >= 500 }", { status: 503 }, true],
  ["{ $.status >= 500 }", { status: "503" }, false],
  ['{ $.status != "429" }', { status: "500" }, true],
  ['{ $.status != "429" }', { status: "429" }, false],
  ['{ $.status != "429" }', {}, false],
  ['{ $.route = "* /api/v*" }', { route: "GET /api/v1/key" }, true],
  ['{ $.route = "* /api/v*" }', { route: "GET /api/documentation" }, false],
  ['{ $.route = "* /api/v*" }', { route: "$default" }, false],
  ['{ ($.a = 1) || (($.b = 2) && (($.c = "x (y || z") || ($.c = 4))) }', { b: 2, c: "x (y || z" }, true],
  ['{ ($.a = 1) || (($.b = 2) && (($.c = "x (y || z") || ($.c = 4))) }', { b: 2, c: 3 }, false],
  ['{ ($.a = 1) || (($.b = 2) && (($.c = "x (y || z") || ($.c = 4))) }', { a: 1 }, true],
  ["{ $.cold_start IS TRUE }", { cold_start: true }, true],
  ["{ $.cold_start IS TRUE }", { cold_start: "true" }, false],
])("%s lets %o through: %s", (pattern, line, expected) => {
  expect(readFilterPattern(pattern)(line)).toBe(expected);
});

test.each([
  ["ERROR", "The filter pattern ERROR is not in braces."],
  ["{ $.status < 200 }", "$.status < 200 is a condition that a local run does not support."],
  ["{ $.a = 1 && $.b NOT EXISTS }", "$.b NOT EXISTS is a condition that a local run does not support."],
  ["{ $.a = 1 && $.b = 2 || $.c = 3 }", "$.a = 1 && $.b = 2 || $.c = 3 mixes && and || without parentheses."],
])("rejects %s, which a local run does not support", (pattern, message) => {
  expect(() => readFilterPattern(pattern)).toThrow(message);
});

const start = Date.UTC(2026, 10, 22, 12, 30, 15);

/** Returns the next times after the start, as text. */
const times = (expression: string, count = 3): string[] => {
  const read = readScheduleExpression(expression);
  const found: string[] = [];
  let time: number | undefined = start;
  while (time !== undefined && found.length < count) {
    time = read(time, start);
    if (time !== undefined) found.push(new Date(time).toISOString().slice(0, 16));
  }
  return found;
};

test.for([
  ["cron(0 6 * * ? *)", ["2026-11-23T06:00", "2026-11-24T06:00", "2026-11-25T06:00"]],
  ["cron(30,5 12,13 * * ? *)", ["2026-11-22T13:05", "2026-11-22T13:30", "2026-11-23T12:05"]],
  ["cron(0 0 ? 1,3 1 2027)", ["2027-01-03T00:00", "2027-01-10T00:00", "2027-01-17T00:00"]],
  ["cron(0 0 29 2 ? *)", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]],
  ["cron(0 0 31 * ? *)", ["2026-12-31T00:00", "2027-01-31T00:00", "2027-03-31T00:00"]],
  ["rate(1 hour)", ["2026-11-22T13:30", "2026-11-22T14:30", "2026-11-22T15:30"]],
  ["rate(5 days)", ["2026-11-27T12:30", "2026-12-02T12:30", "2026-12-07T12:30"]],
] as const)("%s is due at the expected times in UTC", ([expression, expected]) => {
  expect(times(expression)).toEqual(expected);
});

test("never runs a schedule for past years", () => {
  expect(times("cron(0 6 1 1 ? 2020,2025)")).toEqual([]);
});

test.for([
  ["at(2026-12-24T18:00:00)", /neither cron\(…\) nor rate\(…\)/],
  ["rate(0 minutes)", /neither cron\(…\) nor rate\(…\)/],
  ["rate(5 weeks)", /neither cron\(…\) nor rate\(…\)/],
  ["cron(0 6 * * *)", /does not have six fields/],
  ["cron(0 6 * * * *)", /must have \?/],
  ["cron(0 6 ? * ? *)", /must have \?/],
  ["cron(0 6 L * ? *)", /L as the day of the month/],
  ["cron(0 6 ? * 6#3 *)", /6#3 as the day of the week/],
  ["cron(60 6 * * ? *)", /60 as the minutes/],
  ["cron(*/20 6 * * ? *)", /\*\/20 as the minutes/],
  ["cron(0 6 ? * MON-FRI *)", /MON-FRI as the day of the week/],
] as const)("rejects %s and names it", ([expression, message]) => {
  expect(() => readScheduleExpression(expression)).toThrow(message);
});
