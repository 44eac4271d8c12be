import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { changeIndex } from "../../lambdas/dynamodb/history.ts";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { mapStores, type StoreName, tables } from "../../lambdas/resources/stores.ts";
import type { Options } from "../stages/options.ts";
import { fixLogicalId } from "./lasting-resources.ts";

/** A table as functions, alarms and the dashboard refer to it. */
export type ServiceTable = Pick<TableV2, "tableArn" | "tableName" | "metric">;

export type Tables = Readonly<Record<StoreName, ServiceTable>>;

interface ServiceTablesProps {
  /** Protected from deletion, and can be restored to any second of the last 35 days. */
  keepsData: boolean;
  /** A key of this account. Without one, DynamoDB uses its own. */
  encryptionKey: IKey | undefined;
}

/** The tables of the stores, billed per request. */
export class ServiceTables extends Construct {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, props: ServiceTablesProps) {
    super(scope, id);
    this.tables = mapStores((name) => {
      const { partitionKey, sortKey, timeToLive, timeOfChange, hasHistory }: AnyTable = tables[name];
      return this.table(
        tableIdOf(name),
        {
          partitionKey: { name: partitionKey, type: AttributeType.STRING },
          ...(sortKey && { sortKey: { name: sortKey, type: AttributeType.STRING } }),
          ...(timeToLive && { timeToLiveAttribute: timeToLive }),
          ...(hasHistory && timeOfChange && { globalSecondaryIndexes: [indexByChange(timeOfChange)] }),
        },
        props,
      );
    });
  }

  private table(id: string, props: TablePropsV2, { keepsData, encryptionKey }: ServiceTablesProps): TableV2 {
    const table = new TableV2(this, id, {
      ...props,
      billing: Billing.onDemand(),
      // Explicitly, so that DynamoDB changes back when the operator gives up a key of the account.
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepsData },
      deletionProtection: keepsData,
      // Not RETAIN_ON_UPDATE_OR_DELETE: rolling back a failed creation would try to delete the table, which is protected, and fail.
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    fixLogicalId(table, id);
    if (encryptionKey) encrypt(table, encryptionKey);
    return table;
  }
}

const indexByChange = (timeOfChange: string): GlobalSecondaryIndexPropsV2 => ({
  indexName: changeIndex.name,
  partitionKey: { name: changeIndex.partitionKey, type: AttributeType.STRING },
  sortKey: { name: timeOfChange, type: AttributeType.STRING },
  projectionType: ProjectionType.INCLUDE,
  nonKeyAttributes: [...changeIndex.attributes],
});

/** Sets the properties directly: TableV2 takes a key only in a stack whose region is known at synthesis. */
const encrypt = ({ node: { defaultChild: resource } }: TableV2, { keyArn }: IKey): void => {
  if (!(resource instanceof CfnGlobalTable)) return;
  resource.addPropertyOverride("SSESpecification", { SSEEnabled: true, SSEType: "KMS" });
  resource.addPropertyOverride("Replicas.0.SSESpecification", { KMSMasterKeyId: keyArn });
};

/** The key of this account that encrypts each table, if there is one. */
export type TableKeys = Readonly<Record<StoreName, IKey | undefined>>;

interface TablesInUseProps {
  /** The tables of the data stack. */
  own: { tables: Tables; encryptionKey: IKey | undefined };
  options: Pick<Options, "restoredTables" | "restoredTablesKey">;
}

/** The tables that functions use: the data stack's own, except where an option puts a restored table in its place. */
export const tablesInUse = (scope: Construct, { own, options }: TablesInUseProps) => {
  const { restoredTables, restoredTablesKey } = options;
  // DynamoDB restores a table with the key of the original unless told otherwise.
  const restoredKey =
    restoredTablesKey === undefined ? own.encryptionKey : Key.fromKeyArn(scope, "RestoredTablesKey", restoredTablesKey);

  const tables: Tables = mapStores((store) => {
    const name = restoredTables[store];
    return name === undefined ? own.tables[store] : TableV2.fromTableName(scope, `Restored${tableIdOf(store)}`, name);
  });
  const tableKeys: TableKeys = mapStores((store) =>
    restoredTables[store] === undefined ? own.encryptionKey : restoredKey,
  );
  return { tables, tableKeys };
};

/** The logical id of a store's table in the data stack: `KeysTable`. */
export const tableIdOf = (store: StoreName): string => `${store.charAt(0).toUpperCase()}${store.slice(1)}Table`;
