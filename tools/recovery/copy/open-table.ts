import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  ScanCommand,
  type ScanCommandInput,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { sdkSettings } from "../../../lambdas/dynamodb/client.ts";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import { explainAwsError, RecoveryError } from "../command.ts";
import { deletionNames, filterOf, replaceDeletion } from "./deletions.ts";

export interface TableOptions {
  name: string;
  /** The region of the environment or the profile unless given. */
  region: string | undefined;
  /** The option that names the table, for messages. */
  option: "--from" | "--to";
  signal: AbortSignal;
}

export interface Page {
  items: Item[];
  /** The key to continue after; absent at the end of the segment. */
  next: Item | undefined;
}

export interface SegmentRequest {
  segment: number;
  segmentCount: number;
  after: Item | undefined;
  /** Only items that have one of these attributes. */
  having: readonly string[];
}

/**
 * The operations on a DynamoDB table that copying needs. Tombstones are neither read nor counted. Failures are explained to the
 * operator.
 */
export interface OpenTable {
  name: string;
  region: string;
  /** Differs from that of an earlier table with the same name. */
  id: string;
  /** The names and types of the key's attributes, in order: `key_id (S)`. */
  keys: string[];
  partitionKey: string;
  /** DynamoDB's last count, which may be hours old; absent for a table that was just restored. */
  approximateCount: number | undefined;
  isEmpty(): Promise<boolean>;
  readPage(request: SegmentRequest): Promise<Page>;
  countPage(request: Omit<SegmentRequest, "having">): Promise<{ count: number; next: Item | undefined }>;
  /** Puts up to 25 items, and returns those that DynamoDB was not able to take. */
  putBatch(items: readonly Item[]): Promise<Item[]>;
  /** Puts an item unless there is one with its key; false if there is one. Tombstones do not count. */
  putIfMissing(item: Item): Promise<boolean>;
  close(): void;
}

// Bounds the memory that a page takes, whatever the size of the items. Reading costs the same.
const itemsPerPage = 1000;

const maximumSockets = 256;

const createClient = (region: string | undefined): DynamoDBClient => {
  const agent = { maxSockets: maximumSockets };
  const client = new DynamoDBClient({
    ...(region !== undefined && { region }),
    // Items are copied as the JSON that DynamoDB sends.
    protocolSettings: sdkSettings.protocolSettings,
    maxAttempts: 10,
    requestHandler: { httpAgent: agent, httpsAgent: agent },
  });
  // It copies every input and output for a logger, even if there is none.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};

/** Looks at a table and makes sure that it can be used. */
export const openTable = async ({ name, option, signal, ...options }: TableOptions): Promise<OpenTable> => {
  const client = createClient(options.region);
  let region = options.region;
  const call = async <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await send();
    } catch (error) {
      signal.throwIfAborted();
      throw explainAwsError(error, {
        what: `table ${name}${region === undefined ? "" : ` in ${region}`}`,
        ifMissing: `check ${option} and ${option}-region, and list the tables with aws dynamodb list-tables.`,
        actions:
          option === "--from"
            ? "dynamodb:DescribeTable and Scan on it"
            : "dynamodb:DescribeTable, Scan, BatchWriteItem and PutItem on it",
      });
    }
  };
  region ??= await call(() => client.config.region());
  const sendOptions = { abortSignal: signal };

  const { Table: description = {} } = await call(() =>
    client.send(new DescribeTableCommand({ TableName: name }), sendOptions),
  );
  const keys = keysOf(description);
  assertUsable(name, description);
  const { partitionKey } = keys;
  const deletion = deletionNames(keys.names);

  const scan = async (input: Omit<ScanCommandInput, "TableName">) =>
    call(() => client.send(new ScanCommand({ ...input, TableName: name, ConsistentRead: true }), sendOptions));

  /** Puts an item if the condition holds; otherwise returns the item that exists. */
  const putIf = (put: Put): Promise<Item | undefined> =>
    call(async () => {
      const conditional = { ...put, TableName: name, ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const };
      try {
        await client.send(new PutItemCommand(conditional), sendOptions);
        return undefined;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return error.Item ?? {};
        throw error;
      }
    });

  return {
    name,
    region,
    id: description.TableId ?? description.TableArn ?? name,
    keys: keys.described,
    partitionKey,
    approximateCount: description.ItemCount || undefined,
    async isEmpty() {
      const { Items = [], LastEvaluatedKey } = await scan({ Limit: 1 });
      return Items.length === 0 && LastEvaluatedKey === undefined;
    },
    async readPage({ having, ...request }) {
      const { Items = [], LastEvaluatedKey } = await scan({
        ...segmentOf(request),
        Limit: itemsPerPage,
        ...filterOf(having, deletion),
      });
      return { items: Items, next: LastEvaluatedKey };
    },
    async countPage(request) {
      const { Count = 0, LastEvaluatedKey } = await scan({
        ...segmentOf(request),
        Select: "COUNT",
        ...filterOf([], deletion),
      });
      return { count: Count, next: LastEvaluatedKey };
    },
    async putBatch(items) {
      const RequestItems = { [name]: items.map((Item) => ({ PutRequest: { Item } })) };
      const { UnprocessedItems } = await call(() =>
        client.send(new BatchWriteItemCommand({ RequestItems }), sendOptions),
      );
      return (UnprocessedItems?.[name] ?? []).flatMap(({ PutRequest }) => (PutRequest?.Item ? [PutRequest.Item] : []));
    },
    async putIfMissing(item) {
      let put: Put | undefined = {
        Item: item,
        ConditionExpression: "attribute_not_exists(#key)",
        ExpressionAttributeNames: { "#key": partitionKey },
      };
      while (put) {
        const existing = await putIf(put);
        if (!existing) return true;
        put = deletion && replaceDeletion(item, existing, deletion);
      }
      return false;
    },
    close: () => client.destroy(),
  };
};

type Put = Omit<PutItemCommandInput, "TableName">;

const segmentOf = ({ segment, segmentCount, after }: Omit<SegmentRequest, "having">) => ({
  Segment: segment,
  TotalSegments: segmentCount,
  ...(after && { ExclusiveStartKey: after }),
});

const keysOf = ({ KeySchema = [], AttributeDefinitions = [] }: TableDescription) => {
  const names = KeySchema.flatMap(({ AttributeName }) => AttributeName ?? []);
  const typeOf = (name: string) =>
    AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  return { names, partitionKey: names[0] ?? "", described: names.map((name) => `${name} (${typeOf(name)})`) };
};

const assertUsable = (name: string, description: TableDescription): void => {
  const { TableStatus } = description;
  // A table is UPDATING while a setting changes, and can be read and written.
  if (TableStatus !== "ACTIVE" && TableStatus !== "UPDATING") {
    throw new RecoveryError(
      `Table ${name} is ${TableStatus}: wait until it is ACTIVE (aws dynamodb wait table-exists --table-name ${name}).`,
    );
  }
};
