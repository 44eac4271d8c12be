import { isRecord } from "../../support/is-record.ts";

/** Sends the engine a request and returns its answer, which has a `__type` if it is a refusal. */
export type Ask = (operation: string, request: object) => Promise<Record<string, unknown>>;

interface Keys {
  KeySchema: { AttributeName: string; KeyType: string }[];
}

export interface Index extends Keys {
  IndexName: string;
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
  IndexStatus?: string;
}

/** The engine's description of a table. */
export interface Table extends Keys {
  TableName: string;
  TableArn: string;
  AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
  GlobalSecondaryIndexes?: Index[];
  LocalSecondaryIndexes?: Index[];
}

/** Whether an answer of the engine has the description of a table, which then has everything. */
export const isTable = (value: unknown): value is Table => isRecord(value) && Array.isArray(value.KeySchema);

export const keyNames = ({ KeySchema }: Keys): string[] => KeySchema.map(({ AttributeName }) => AttributeName);

/** Remembers the descriptions of tables, because many requests need one. */
export const createTableCache = () => {
  const known = new Map<string, Table>();
  return {
    /** Undefined if there is no such table. */
    async describe(name: string, ask: Ask): Promise<Table | undefined> {
      const found = known.get(name);
      if (found) return found;
      const { Table: table } = await ask("DescribeTable", { TableName: name });
      if (!isTable(table)) return undefined;
      known.set(name, table);
      return table;
    },
    /** To be called after an operation that changes tables. */
    forget: (): void => known.clear(),
  };
};
