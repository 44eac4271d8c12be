import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { DynamoDBAction, Right } from "../../../lambdas/dynamodb/rights.ts";

type Statement = Pick<PolicyStatementProps, "actions" | "conditions">;

/** The policy statements that grant rights on one table. A right to whole items includes the right to their attributes. */
export const tableStatements = (rights: readonly Right[]): Statement[] => {
  const whole = new Set(rights.filter((right) => typeof right === "string"));
  const partial = rights.filter((right) => typeof right === "object").filter(({ action }) => !whole.has(action));
  return [
    ...(whole.size > 0 ? [{ actions: [...whole].map(iamAction) }] : []),
    ...partial.map(({ action, attributes }) => ({
      actions: [iamAction(action)],
      conditions: { "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes } },
    })),
  ];
};

const iamAction = (action: DynamoDBAction): string => `dynamodb:${action}`;
