import { describe, expect, test } from "vitest";
import { createResolver } from "../../src/assembly/intrinsics.ts";
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
});

// A placeholder of Fn::Sub. It looks like one in a JavaScript template literal.
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
    [
      "Fn::Sub with variables",
      { "Fn::Sub": [`${slot("x")}-${slot("Stage")}`, { x: { Ref: "Table" } }] },
      "ref:Table-dev",
    ],
    ["Fn::Select of Fn::Split", select(1, { "Fn::Split": [":", "a:b:c"] }), "b"],
    ["Fn::If", { "Fn::If": ["IsDev", "yes", "no"] }, "yes"],
    ["Fn::FindInMap", { "Fn::FindInMap": ["Sizes", { Ref: "Stage" }, "memory"] }, "128"],
    ["Fn::ImportValue", { "Fn::ImportValue": { "Fn::Sub": `${slot("Stage")}-url` } }, "export:dev-url"],
    ["Fn::Base64", { "Fn::Base64": "a" }, "YQ=="],
    ["a plain value", { a: [1, true, null] }, { a: [1, true, null] }],
  ])("%s", (_, expression, value) => {
    expect(resolve(expression)).toEqual(value);
  });

  test("conditions build on each other", () => {
    expect(["IsDev", "IsProd", "Either", "Both"].map(condition)).toEqual([true, false, true, false]);
  });

  test("AWS::NoValue removes its property or list entry", () => {
    const nothing = { "Fn::If": ["IsProd", "set", { Ref: "AWS::NoValue" }] };
    expect(resolve({ a: nothing, b: [nothing, 1] })).toEqual({ b: [1] });
  });

  test("a policy's Condition is data, not a condition of the template", () => {
    expect(resolve({ Condition: { StringEquals: { a: { Ref: "Stage" } } } })).toEqual({
      Condition: { StringEquals: { a: "dev" } },
    });
  });
});

test.each([
  ["an unknown intrinsic", { "Fn::Cidr": ["10.0.0.0/16", 1, 8] }, "Fn::Cidr"],
  ["a parameter without a default", { Ref: "Secret" }, "parameter Secret has no default value"],
  ["an entry that does not exist", select(4, ["a"]), "Fn::Select has no entry 4"],
  ["a missing map entry", { "Fn::FindInMap": ["Sizes", "prod", "memory"] }, "no entry prod"],
  ["a missing condition", { "Fn::If": ["IsMoon", 1, 2] }, "condition IsMoon, which does not exist"],
])("%s is refused and named", (_, expression, message) => {
  expect(() => resolve(expression)).toThrow(message);
  expect(() => resolve(expression)).toThrow("Stack Test cannot run locally");
});
