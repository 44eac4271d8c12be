import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { mapStores, type StoreName } from "../../../lambdas/resources/stores.ts";
import type { Options } from "../../stages/options.ts";
import type { Tables } from "./service-tables.ts";
import { tableIdOf } from "./table-id.ts";

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
