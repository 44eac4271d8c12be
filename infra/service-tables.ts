import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, CfnGlobalTable, type TablePropsV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import type { Tables } from "./service-function.ts";

/** The tables of the stores: on demand, recoverable to any second of the last 35 days, and not to be deleted by mistake. */
export class ServiceTables extends Construct {
  readonly tables: Tables;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.tables = {
      keys: this.table("KeysTable", { partitionKey: { name: "key_id", type: AttributeType.STRING } }),
      tokens: this.table("TokensTable", {
        partitionKey: { name: "token_id", type: AttributeType.STRING },
        timeToLiveAttribute: "delete_at",
      }),
    };
  }

  private table(id: string, props: TablePropsV2): TableV2 {
    const table = new TableV2(this, id, {
      ...props,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const resource = table.node.defaultChild;
    // A logical id that no refactoring moves: CloudFormation would replace the table by an empty one.
    if (resource instanceof CfnGlobalTable) resource.overrideLogicalId(id);
    return table;
  }
}
