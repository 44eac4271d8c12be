import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { type Item, toItem } from "../../../lambdas/dynamodb/records.ts";
import { keys } from "../../../lambdas/resources/keys/keys-table.ts";

const requestSchema = z.object({
  TableName: z.optional(z.string()),
  Segment: z.optional(z.number()),
  TotalSegments: z.optional(z.number()),
  Limit: z.optional(z.number()),
  Select: z.optional(z.string()),
  ExclusiveStartKey: z.optional(z.object({ key_id: z.object({ S: z.string() }) })),
  RequestItems: z.optional(z.record(z.string(), z.array(z.unknown()))),
});

/** A key as the service stores it. */
export const keyItem = (index: number): Item => toItem({ ...keys.example, key_id: `key-${index}` });

/**
 * Responds like a DynamoDB with a full table `source` and an empty table `target`, without storing anything. The time of a copy
 * is then its own.
 */
export const instantDatabase = (itemCount: number) => {
  let written = 0;
  const scan = ({ TableName, Segment = 0, TotalSegments = 1, Limit = 5000, Select, ExclusiveStartKey }: Scan) => {
    const isSource = TableName === "source";
    const end = Math.floor((itemCount * (Segment + 1)) / TotalSegments);
    const after = ExclusiveStartKey && Number(ExclusiveStartKey.key_id.S.split("-")[1]);
    const start = after === undefined ? Math.floor((itemCount * Segment) / TotalSegments) : after + 1;
    const count = isSource || written > 0 ? Math.min(Limit, end - start) : 0;
    const next =
      count > 0 && start + count < end ? { LastEvaluatedKey: { key_id: { S: `key-${start + count - 1}` } } } : {};
    if (Select === "COUNT") return { Count: count, ...next };
    return { Count: count, Items: Array.from({ length: count }, (_, index) => keyItem(start + index)), ...next };
  };
  const answer = (operation: string, body: z.output<typeof requestSchema>): object => {
    if (operation === "DescribeTable") {
      return {
        Table: {
          TableId: body.TableName,
          TableStatus: "ACTIVE",
          ItemCount: itemCount,
          KeySchema: [{ AttributeName: keys.partitionKey, KeyType: "HASH" }],
          AttributeDefinitions: [{ AttributeName: keys.partitionKey, AttributeType: "S" }],
        },
      };
    }
    if (operation === "Scan") return scan(body);
    for (const puts of Object.values(body.RequestItems ?? {})) written += puts.length;
    return { UnprocessedItems: {} };
  };
  return createServer(async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const body = requestSchema.parse(JSON.parse(await text(request)));
    response
      .writeHead(200, { "content-type": "application/x-amz-json-1.0" })
      .end(JSON.stringify(answer(operation, body)));
  });
};

type Scan = z.output<typeof requestSchema>;
