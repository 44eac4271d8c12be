import { RemovalPolicy } from "aws-cdk-lib";
import {
  type Attribute,
  AttributeType,
  Billing,
  CfnGlobalTable,
  type GlobalSecondaryIndexPropsV2,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { keyTypeOf } from "../../lambdas/dynamodb/nested-attributes.ts";
import { type AnyTable, fieldsOf, keyNamesOf, type TableIndex } from "../../lambdas/dynamodb/table.ts";
import type { Tables } from "../../lambdas/dynamodb/uses.ts";
import { type DeployedTables, tableKey } from "../../lambdas/options-guard/compare-tables.ts";
import { tableOption } from "../stages/general-options.ts";
import { OptionError } from "../stages/option-error.ts";
import type { Options } from "../stages/options.ts";
import { fixLogicalId } from "./lasting-resources.ts";

/** A table as functions, alarms and the dashboard refer to it. */
export interface ServiceTable {
  /** The name of its store. */
  store: string;
  declaration: AnyTable;
  resource: ITableV2;
  /** The customer managed key that encrypts the table, if there is one. */
  encryptionKey: IKey | undefined;
  hasStream: boolean;
}

interface ServiceTablesProps {
  /** The declared tables, by the name of their store. */
  declared: Tables;
  /** Protects the tables from deletion, and allows restoring them to any second of the last 35 days. */
  keepsData: boolean;
  /** A customer managed key. Without one, DynamoDB uses its own key. */
  encryptionKey: IKey | undefined;
  /** The stores whose tables have a stream. */
  streams?: readonly string[];
}

/** The tables of the stores, billed per request. */
export class ServiceTables extends Construct {
  readonly tables: readonly ServiceTable[];

  constructor(scope: Construct, id: string, { declared, streams = [], ...props }: ServiceTablesProps) {
    super(scope, id);
    this.tables = Object.entries(declared).map(([store, declaration]) => {
      const { partitionKey, sortKey, timeToLive, indexes = {} } = declaration;
      const hasStream = streams.includes(store);
      const keyOf = attributesOf(declaration);
      const resource = this.table(
        tableIdOf(store),
        {
          partitionKey: keyOf(partitionKey),
          ...(sortKey && { sortKey: keyOf(sortKey) }),
          ...(hasStream && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
          ...(timeToLive && { timeToLiveAttribute: timeToLive }),
          globalSecondaryIndexes: Object.entries(indexes).map(([name, index]) => indexProps(name, index, keyOf)),
        },
        props,
      );
      if (!hasStream) refuseStream(resource, store);
      // The cast is needed because the CDK's class declares its optional members differently from its interface.
      return { store, declaration, resource: resource as ITableV2, encryptionKey: props.encryptionKey, hasStream };
    });
  }

  private table(
    id: string,
    props: TablePropsV2,
    { keepsData, encryptionKey }: Omit<ServiceTablesProps, "declared" | "streams">,
  ): TableV2 {
    const table = new TableV2(this, id, {
      ...props,
      billing: Billing.onDemand(),
      // Set explicitly, so that DynamoDB reverts to its own key when the operator stops using a customer managed key.
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepsData },
      deletionProtection: keepsData,
      // Not RETAIN_ON_UPDATE_OR_DELETE, because rolling back a failed creation would try to delete the protected table, and fail.
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    fixLogicalId(table, id);
    if (encryptionKey) encrypt(table, encryptionKey);
    return table;
  }
}

/** Makes reading the ARN of a missing stream fail. The CDK returns one whether or not there is a stream. */
const refuseStream = (table: TableV2, store: string): void => {
  Object.defineProperty(table, "tableStreamArn", {
    get() {
      throw new OptionError(`The table ${store} has no stream. Add it: serviceApp(…, { streams: ["${store}"] }).`);
    },
  });
};

type KeyOf = (name: string) => Attribute;

/** Returns the key attributes of a table, by the name of their field. Attributes that are not fields are text. */
const attributesOf = (declaration: AnyTable): KeyOf => {
  const fields = fieldsOf(declaration);
  return (name) => {
    const isNumber = fields[name] !== undefined && keyTypeOf(fields[name]) === "N";
    return { name, type: isNumber ? AttributeType.NUMBER : AttributeType.STRING };
  };
};

/** Returns the keys of tables and of their indexes, as the options guard compares them with those of the deployed stack. */
export const guardedTables = (declared: Tables): DeployedTables =>
  Object.fromEntries(
    Object.entries(declared).map(([store, table]) => {
      const keyOf = attributesOf(table);
      const typed = (names: readonly string[]) => names.map((name) => `${name}:${keyOf(name).type}`).join();
      const indexes = Object.entries(table.indexes ?? {}).map(([name, { partition, sort, attributes }]) => [
        name,
        `${typed(partition)} ${typed([sort])} ${attributes ? `[${attributes.toSorted()}]` : "ALL"}`,
      ]);
      return [store, { [tableKey]: typed(keyNamesOf(table)), ...Object.fromEntries(indexes) }];
    }),
  );

const indexProps = (
  indexName: string,
  { partition, sort, attributes }: TableIndex,
  keyOf: KeyOf,
): GlobalSecondaryIndexPropsV2 => ({
  indexName,
  ...(partition.length === 1 ? { partitionKey: keyOf(partition[0] ?? "") } : { partitionKeys: partition.map(keyOf) }),
  sortKey: keyOf(sort),
  ...(attributes === undefined
    ? { projectionType: ProjectionType.ALL }
    : attributes.length === 0
      ? { projectionType: ProjectionType.KEYS_ONLY }
      : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...attributes] }),
});

/** Sets the properties directly, because TableV2 accepts a key only in a stack whose region is known at synthesis. */
const encrypt = ({ node: { defaultChild: resource } }: TableV2, { keyArn }: IKey): void => {
  if (!(resource instanceof CfnGlobalTable)) return;
  resource.addPropertyOverride("SSESpecification", { SSEEnabled: true, SSEType: "KMS" });
  resource.addPropertyOverride("Replicas.0.SSESpecification", { KMSMasterKeyId: keyArn });
};

interface TablesInUseProps {
  /** The tables of the data stack. */
  own: readonly ServiceTable[];
  options: Pick<Options, "restoredTables" | "restoredStreams" | "restoredTablesKey">;
}

/** Returns the tables that functions use: the data stack's own tables, unless an option replaces one with a restored table. */
export const tablesInUse = (scope: Construct, { own, options }: TablesInUseProps): ServiceTable[] => {
  const { restoredTables, restoredStreams, restoredTablesKey } = options;
  const restoredKey =
    restoredTablesKey === undefined ? undefined : Key.fromKeyArn(scope, "RestoredTablesKey", restoredTablesKey);
  return own.map((table) => {
    const name = restoredTables[table.store];
    if (name === undefined) return table;
    const stream = restoredStreams[table.store];
    if (table.hasStream && stream === undefined) {
      const option = tableOption(table.store);
      throw new OptionError(
        `${option} must be the ARN of the table's stream, because the application reads the stream.`,
      );
    }
    const resource = TableV2.fromTableAttributes(scope, `Restored${tableIdOf(table.store)}`, {
      tableName: name,
      ...(stream !== undefined && { tableStreamArn: stream }),
    });
    // DynamoDB restores a table with the key of the original unless told otherwise.
    return { ...table, resource, encryptionKey: restoredKey ?? table.encryptionKey };
  });
};

/** Returns the logical id of a store's table in the data stack, such as `KeysTable`. */
export const tableIdOf = (store: string): string => `${store.charAt(0).toUpperCase()}${store.slice(1)}Table`;
