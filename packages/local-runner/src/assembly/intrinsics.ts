import type { AwsEnvironment } from "../support/aws-environment.ts";
import { isRecord } from "../support/is-record.ts";
import { LocalError } from "../support/local-error.ts";
import type { StackTemplate } from "./cloud-assembly.ts";

/** What an expression can refer to outside itself. */
interface References {
  /** `Ref` (no attribute) or `Fn::GetAtt` of a resource in this stack. */
  resource(logicalId: string, attribute?: string): unknown;
  /** `Fn::ImportValue`: the export of this or another stack. */
  exported(name: string): unknown;
}

/** Evaluates template expressions as CloudFormation would. */
export interface Resolver {
  resolve(expression: unknown): unknown;
  condition(name: string): boolean;
}

// The value of AWS::NoValue. A property or list entry with this value is left out.
const noValue = Symbol("AWS::NoValue");

type Evaluate = (argument: unknown) => unknown;

/** Makes the resolver of one stack. An unknown intrinsic function is an error; it is never passed through as data. */
export const createResolver = (stack: StackTemplate, environment: AwsEnvironment, references: References): Resolver => {
  const { Parameters = {}, Mappings = {}, Conditions = {} } = stack.template;
  const pseudoParameters: Record<string, unknown> = {
    "AWS::Region": environment.region,
    "AWS::AccountId": environment.accountId,
    "AWS::Partition": environment.partition,
    "AWS::URLSuffix": environment.urlSuffix,
    "AWS::StackName": stack.name,
    "AWS::StackId": `arn:aws:cloudformation:${environment.region}:${environment.accountId}:stack/${stack.name}/local`,
    "AWS::NotificationARNs": [],
    "AWS::NoValue": noValue,
  };

  const fail = (problem: string): never => {
    throw new LocalError(`Stack ${stack.name} cannot run locally: ${problem}.`);
  };

  const reference = (name: string): unknown => {
    if (Object.hasOwn(pseudoParameters, name)) return pseudoParameters[name];
    const parameter = Parameters[name];
    if (parameter === undefined) return references.resource(name);
    return parameter.Default ?? fail(`parameter ${name} has no default value`);
  };

  const condition = (name: string): boolean => {
    if (!Object.hasOwn(Conditions, name)) return fail(`it refers to condition ${name}, which does not exist`);
    return truth(Conditions[name]);
  };

  const truth = (expression: unknown): boolean => {
    const value =
      isRecord(expression) && "Condition" in expression ? condition(text(expression.Condition)) : walk(expression);
    return typeof value === "boolean" ? value : fail(`a condition is ${JSON.stringify(value)}, which is not a boolean`);
  };

  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? value : fail(`${JSON.stringify(value)} is in the place of a list`);

  const text = (value: unknown): string => {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return fail(`${JSON.stringify(value)} is in the place of a string`);
  };

  const attribute = (argument: unknown): unknown => {
    const [logicalId, ...path] = typeof argument === "string" ? argument.split(".") : list(argument).map(text);
    return references.resource(logicalId ?? fail("Fn::GetAtt names no resource"), path.join("."));
  };

  const substitute = (argument: unknown): string => {
    const [pattern, variables] = typeof argument === "string" ? [argument, {}] : list(argument);
    const own = isRecord(variables) ? variables : fail("the variables of Fn::Sub are not a map");
    return text(pattern).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== "") return `\${${name}}`;
      if (Object.hasOwn(own, name)) return text(walk(own[name]));
      return text(name.includes(".") ? attribute(name) : reference(name));
    });
  };

  const select = (argument: unknown): unknown => {
    const [index, options] = list(argument);
    const entries = list(walk(options));
    return entries[Number(text(walk(index)))] ?? fail(`Fn::Select has no entry ${text(walk(index))}`);
  };

  const findInMap = (argument: unknown): unknown => {
    const [map = "", first = "", second = ""] = list(argument).map((part) => text(walk(part)));
    return Mappings[map]?.[first]?.[second] ?? fail(`mapping ${map} has no entry ${first}, ${second}`);
  };

  const functions: Record<string, Evaluate> = {
    Ref: (argument) => reference(text(argument)),
    "Fn::GetAtt": attribute,
    "Fn::Sub": substitute,
    "Fn::Select": select,
    "Fn::FindInMap": findInMap,
    "Fn::Join": (argument) => {
      const [separator, parts] = list(argument);
      return list(walk(parts)).map(text).join(text(separator));
    },
    "Fn::Split": (argument) => {
      const [separator, value] = list(argument);
      return text(walk(value)).split(text(separator));
    },
    "Fn::If": (argument) => {
      const [name, whenTrue, whenFalse] = list(argument);
      return walk(condition(text(name)) ? whenTrue : whenFalse);
    },
    "Fn::Equals": (argument) => {
      const [left, right] = list(argument).map(walk);
      return JSON.stringify(left) === JSON.stringify(right);
    },
    "Fn::And": (argument) => list(argument).every(truth),
    "Fn::Or": (argument) => list(argument).some(truth),
    "Fn::Not": (argument) => !truth(list(argument)[0]),
    "Fn::ImportValue": (argument) => references.exported(text(walk(argument))),
    "Fn::Base64": (argument) => Buffer.from(text(walk(argument))).toString("base64"),
  };

  const walk = (expression: unknown): unknown => {
    if (Array.isArray(expression)) return expression.map(walk).filter((entry) => entry !== noValue);
    if (!isRecord(expression)) return expression;
    const [name, argument] = soleEntry(expression);
    if (name === "Ref" || name?.startsWith("Fn::")) {
      const evaluate = functions[name] ?? fail(`it uses ${name}, which the local run does not know`);
      return evaluate(argument);
    }
    return Object.fromEntries(
      Object.entries(expression).flatMap(([key, value]) => {
        const resolved = walk(value);
        return resolved === noValue ? [] : [[key, resolved]];
      }),
    );
  };

  return { resolve: walk, condition };
};

const soleEntry = (record: Record<string, unknown>): [string | undefined, unknown] => {
  const entries = Object.entries(record);
  return entries.length === 1 ? (entries[0] ?? [undefined, undefined]) : [undefined, undefined];
};
