import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { Right } from "../../lambdas/dynamodb/table.ts";
import type { ReleasedRight } from "./released-rights.ts";

type Statement = Required<Pick<PolicyStatementProps, "actions" | "resources">> &
  Pick<PolicyStatementProps, "conditions">;

/** Returns the policy statements that grant rights on one table. A right to whole items includes the right to their attributes. */
export const tableStatements = (tableArn: string, rights: readonly (Right | ReleasedRight)[]): Statement[] => {
  const whole = new Set(rights.filter((right) => typeof right === "string"));
  const partial = rights
    .filter((right) => typeof right === "object" && "attributes" in right)
    .filter(({ action }) => !whole.has(action));
  const onIndexes = new Map(
    rights
      .filter((right) => typeof right === "object" && "index" in right)
      .map(({ action, index }) => [`${action} ${index}`, { action, index }]),
  );
  return [
    ...(whole.size > 0 ? [{ actions: [...whole].map(iamAction), resources: [tableArn] }] : []),
    ...partial.map(({ action, attributes }) => ({
      actions: [iamAction(action)],
      resources: [tableArn],
      conditions: {
        "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes },
        // Without this condition, a request that names no attributes would get all of them.
        ...(readsMany.has(action) && { StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" } }),
      },
    })),
    ...[...onIndexes.values()].map(({ action, index }) => ({
      actions: [iamAction(action)],
      resources: [`${tableArn}/index/${index}`],
    })),
  ];
};

const readsMany = new Set(["Query", "Scan"]);

const iamAction = (action: string): string => `dynamodb:${action}`;
