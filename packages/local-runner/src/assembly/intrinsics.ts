import type { AwsEnvironment } from "../aws-environment.ts";
import { LocalError } from "../local-error.ts";
import type { StackTemplate } from "./cloud-assembly.ts";

/** Where an expression reaches outside itself. */
export interface References {
  /** `Ref` (no attribute) or `Fn::GetAtt` of a resource in this stack. */
  resource(logicalId: string, attribute?: string): unknown;
  /** `Fn::ImportValue`: the export of this or another stack. */
  exported(name: string): unknown;
}

/** Turns template expressions into the values that CloudFormation would make of them. */
export interface Resolver {
  resolve(expression: unknown): unknown;
  condition(name: string): boolean;
}

// What AWS::NoValue resolves to: the property or list entry that holds it is left out.
const absent = Symbol("AWS::NoValue");

type Arguments = (value: unknown) => unknown;

/** Makes the resolver of one stack. An intrinsic that it does not know is an error, never passed through as data. */
export function createResolver(stack: StackTemplate, environment: AwsEnvironment, references: References): Resolver {
  const { Parameters = {}, Mappings = {}, Conditions = {} } = stack.template;
  const pseudoParameters: Record<string, unknown> = {
    "AWS::Region": environment.region,
    "AWS::AccountId": environment.accountId,
    "AWS::Partition": environment.partition,
    "AWS::URLSuffix": environment.urlSuffix,
    "AWS::StackName": stack.name,
    "AWS::StackId": `arn:aws:cloudformation:${environment.region}:${environment.accountId}:stack/${stack.name}/local`,
    "AWS::NotificationARNs": [],
    "AWS::NoValue": absent,
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
    return typeof value === "boolean" ? value : fail(`a condition gave ${JSON.stringify(value)}, not a truth value`);
  };

  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? value : fail(`${JSON.stringify(value)} stands where a list should`);

  const text = (value: unknown): string => {
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return fail(`${JSON.stringify(value)} stands where a text should`);
  };

  const attribute = (argument: unknown): unknown => {
    const [logicalId, ...path] = typeof argument === "string" ? argument.split(".") : list(argument).map(text);
    return references.resource(logicalId ?? fail("Fn::GetAtt names no resource"), path.join("."));
  };

  const substitute = (argument: unknown): string => {
    const [pattern, variables] = typeof argument === "string" ? [argument, {}] : list(argument);
    const own = isRecord(variables) ? variables : fail("Fn::Sub has no map of variables");
    return text(pattern).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== "") return `\${${name}}`;
      if (Object.hasOwn(own, name)) return text(walk(own[name]));
      return text(name.includes(".") ? attribute(name) : reference(name));
    });
  };

  const select = (argument: unknown): unknown => {
    const [index, options] = list(argument);
    const entries = list(walk(options));
    return entries[Number(text(walk(index)))] ?? fail(`Fn::Select finds no entry ${text(walk(index))}`);
  };

  const findInMap = (argument: unknown): unknown => {
    const [map = "", first = "", second = ""] = list(argument).map((part) => text(walk(part)));
    return Mappings[map]?.[first]?.[second] ?? fail(`mapping ${map} has no entry ${first}, ${second}`);
  };

  const functions: Record<string, Arguments> = {
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
    if (Array.isArray(expression)) return expression.map(walk).filter((entry) => entry !== absent);
    if (!isRecord(expression)) return expression;
    const [name, argument] = soleEntry(expression);
    if (name === "Ref" || name?.startsWith("Fn::")) {
      const evaluate = functions[name] ?? fail(`it uses ${name}, which the local run does not know`);
      return evaluate(argument);
    }
    return Object.fromEntries(
      Object.entries(expression).flatMap(([key, value]) => {
        const resolved = walk(value);
        return resolved === absent ? [] : [[key, resolved]];
      }),
    );
  };

  return { resolve: walk, condition };
}

const soleEntry = (record: Record<string, unknown>): [string | undefined, unknown] => {
  const entries = Object.entries(record);
  return entries.length === 1 ? (entries[0] ?? [undefined, undefined]) : [undefined, undefined];
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
