import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { Right } from "../../lambdas/dynamodb/table.ts";
import type { ReleasedRight } from "./released-rights.ts";

type Statement = Required<Pick<PolicyStatementProps, "actions" | "resources">> &
  Pick<PolicyStatementProps, "conditions">;

/** Returns the policy statements that grant rights on one table. A right to whole items includes the right to their attributes. */
export const tableStatements = (tableArn: string, rights: readonly (Right | ReleasedRight)[]): Statement[] => {
  const all = rights.map((right): DetailedRight => (typeof right === "string" ? { action: right } : right));
  const isIncluded = ({ action, index, attributes }: DetailedRight) =>
    attributes && all.some((one) => one.action === action && one.index === index && !one.attributes);
  const needed = all.filter((right) => !isIncluded(right)).map((right) => [JSON.stringify(right), right] as const);
  const distinct = [...new Map(needed).values()];
  const whole = distinct.filter(({ index, attributes }) => index === undefined && !attributes);
  return [
    ...(whole.length > 0 ? [{ actions: whole.map(({ action }) => iamAction(action)), resources: [tableArn] }] : []),
    ...distinct
      .filter((right) => !whole.includes(right))
      .map(({ action, index, attributes }) => ({
        actions: [iamAction(action)],
        resources: [index === undefined ? tableArn : `${tableArn}/index/${index}`],
        ...(attributes && { conditions: limitedTo(attributes, action) }),
      })),
  ];
};

interface DetailedRight {
  action: string;
  index?: string;
  attributes?: readonly string[];
}

const limitedTo = (attributes: readonly string[], action: string) => ({
  "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes },
  // Without this condition, a request that names no attributes would get all of them.
  ...(readsMany.has(action) && { StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" } }),
});

const readsMany = new Set(["Query", "Scan"]);

const iamAction = (action: string): string => `dynamodb:${action}`;
