import { isDeepStrictEqual } from "node:util";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import { isRecord } from "../support/json.ts";
import { LocalError } from "../support/local-error.ts";
import type { StackTemplate } from "./cloud-assembly.ts";

/** The external values that an expression can refer to. */
interface References {
  /** Resolves `Ref` (no attribute) or `Fn::GetAtt` of a resource in this stack. */
  resource(logicalId: string, attribute?: string): unknown;
  /** Resolves `Fn::ImportValue`: an export of this or another stack. */
  exported(name: string): unknown;
  /** Returns the value of a nested stack's parameter; undefined if the parent passes none. */
  parameter(name: string): unknown;
}

/** Evaluates template expressions like CloudFormation. */
export interface Resolver {
  resolve(expression: unknown): unknown;
  condition(name: string): boolean;
}

// The value of AWS::NoValue. Properties and list entries with this value are left out.
const noValue = Symbol("AWS::NoValue");

/** Creates the resolver of a stack. Unknown intrinsic functions are errors; they are never passed through as data. */
export const createResolver = (
  stack: Pick<StackTemplate, "name" | "template">,
  environment: AwsEnvironment,
  references: References,
): Resolver => {
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

  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? value : fail(`${JSON.stringify(value)} is not a list`);

  const text = (value: unknown): string => {
    if (["string", "number", "boolean"].includes(typeof value)) return String(value);
    return fail(`${JSON.stringify(value)} is not a string`);
  };

  const reference = (name: string): unknown => {
    if (Object.hasOwn(pseudoParameters, name)) return pseudoParameters[name];
    const parameter = Parameters[name];
    if (parameter === undefined) return references.resource(name);
    return references.parameter(name) ?? parameter.Default ?? fail(`parameter ${name} has no default value`);
  };

  const attribute = (argument: unknown): unknown => {
    const [logicalId = "", ...path] = typeof argument === "string" ? argument.split(".") : list(argument).map(text);
    return references.resource(logicalId, path.join("."));
  };

  const substitute = (argument: unknown): string => {
    const [pattern, variables] = typeof argument === "string" ? [argument, {}] : list(argument);
    const own = isRecord(variables) ? variables : fail("the variables of Fn::Sub are not a map");
    return text(pattern).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== "") return `\${${name}}`;
      if (Object.hasOwn(own, name)) return text(own[name]);
      return text(name.includes(".") ? attribute(name) : reference(name));
    });
  };

  const condition = (name: string): boolean =>
    Object.hasOwn(Conditions, name)
      ? truth(walk(Conditions[name]))
      : fail(`it refers to condition ${name}, which does not exist`);

  const truth = (value: unknown): boolean => {
    if (isRecord(value) && "Condition" in value) return condition(text(value.Condition));
    return typeof value === "boolean" ? value : fail(`a condition is ${JSON.stringify(value)}, which is not a boolean`);
  };

  /** The intrinsic functions whose arguments are evaluated first. */
  const functions: Record<string, (argument: unknown) => unknown> = {
    Ref: (name) => reference(text(name)),
    "Fn::GetAtt": attribute,
    "Fn::Sub": substitute,
    "Fn::ImportValue": (name) => references.exported(text(name)),
    "Fn::And": (parts) => list(parts).every(truth),
    "Fn::Or": (parts) => list(parts).some(truth),
    "Fn::Not": (parts) => !truth(list(parts)[0]),
  };
  const functionsOfLists: Record<string, (...parts: unknown[]) => unknown> = {
    "Fn::Select": (index, entries) =>
      list(entries)[Number(text(index))] ?? fail(`Fn::Select has no entry ${text(index)}`),
    "Fn::FindInMap": (map, first, second) =>
      Mappings[text(map)]?.[text(first)]?.[text(second)] ?? fail(`mapping ${map} has no entry ${first}, ${second}`),
    "Fn::Join": (separator, parts) => list(parts).map(text).join(text(separator)),
    "Fn::Split": (separator, value) => text(value).split(text(separator)),
    "Fn::Equals": (left, right) => isDeepStrictEqual(left, right),
  };

  const call = (name: string, argument: unknown): unknown => {
    if (name === "Fn::If") {
      // Evaluates only the selected branch, because the other one may refer to something that doesn't exist.
      const [decides, whenTrue, whenFalse] = list(argument);
      return walk(condition(text(decides)) ? whenTrue : whenFalse);
    }
    const evaluated = walk(argument);
    const ofList = functionsOfLists[name];
    if (ofList) return ofList(...list(evaluated));
    return (functions[name] ?? fail(`it uses ${name}, which the local run does not know`))(evaluated);
  };

  const walk = (expression: unknown): unknown => {
    if (Array.isArray(expression)) return expression.map(walk).filter((entry) => entry !== noValue);
    if (!isRecord(expression)) return expression;
    const entries = Object.entries(expression);
    const [[name, argument] = [""]] = entries;
    if (entries.length === 1 && (name === "Ref" || name.startsWith("Fn::"))) return call(name, argument);
    return Object.fromEntries(
      entries.map(([key, value]) => [key, walk(value)] as const).filter(([, value]) => value !== noValue),
    );
  };

  return { resolve: walk, condition };
};
