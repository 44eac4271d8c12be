import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { DescribeTableCommand, type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { deletionNames, filterOf, itemWriter } from "./items.ts";

const segmentCount = 8;
// Limits the memory that a page takes, whatever the size of the items. The cost of reading is the same.
const itemsPerPage = 1000;
const progressIntervalMs = 10_000;

const copyShape = z.strictObject({
  /** The ids of the tables. A new table with the same name has a different id. */
  from: z.string(),
  to: z.string(),
  mode: z.enum(["into empty", "only missing", "overwrite"]),
  having: z.array(z.string()),
});

const keyShape = z.record(z.string(), z.union([z.strictObject({ S: z.string() }), z.strictObject({ N: z.string() })]));

const checkpointShape = z.strictObject({
  copy: copyShape,
  segments: z.array(
    z.strictObject({
      copied: z.number(),
      /** The number of items that were skipped because the other table has them. */
      kept: z.number(),
      /** The key to continue after. */
      after: z.optional(keyShape),
      isFinished: z.boolean(),
    }),
  ),
});

type Copy = z.output<typeof copyShape>;
export type CopyMode = Copy["mode"];
type Checkpoint = z.output<typeof checkpointShape>;

/** Reads the state of this copy when it was interrupted, or returns `undefined` if it has not begun. */
const readCheckpoint = (file: string, copy: Copy): Checkpoint | undefined => {
  if (!existsSync(file)) return undefined;
  const checkpoint = checkpointShape.parse(JSON.parse(readFileSync(file, "utf8")));
  if (JSON.stringify(checkpoint.copy) === JSON.stringify(copy)) return checkpoint;
  throw new Error(
    `${file} is of another copy, or one of the tables has been replaced since: delete it to copy from the beginning.`,
  );
};

/** Replaces the file in one step, so that it is complete even if the process is killed. */
const saveCheckpoint = (file: string, checkpoint: Checkpoint): void => {
  writeFileSync(`${file}.tmp`, JSON.stringify(checkpoint), { mode: 0o600, flush: true });
  renameSync(`${file}.tmp`, file);
};

const describeTable = async (client: DynamoDBClient, name: string) => {
  try {
    const { Table: { TableArn: arn = "", TableId: id = arn, KeySchema = [] } = {} } = await client.send(
      new DescribeTableCommand({ TableName: name }),
    );
    return { arn, id, key: KeySchema.flatMap(({ AttributeName }) => AttributeName ?? []) };
  } catch (cause) {
    throw new Error(`Table ${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
};

interface CopyOptions {
  client: DynamoDBClient;
  from: string;
  to: string;
  mode: CopyMode;
  /** Copies only items that have one of these attributes. An empty list copies all items. */
  having: string[];
  /** The file with the state of the copy until the copy is complete. */
  file: string;
  tell: (sentence: string) => void;
}

/**
 * Copies the items of a table into another table, or continues an interrupted copy. A page counts as done once all of its items are
 * written. An interrupted copy therefore writes at most one page of each segment again.
 */
export const copyTable = async ({ client, from, to, mode, having, file, tell }: CopyOptions): Promise<void> => {
  const source = await describeTable(client, from);
  const target = await describeTable(client, to);
  if (source.id === target.id) throw new Error("--from and --to are the same table.");
  const copy: Copy = { from: source.id, to: target.id, mode, having };
  const earlier = readCheckpoint(file, copy);
  if (!earlier && mode === "into empty") {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: to, Limit: 1, ConsistentRead: true }));
    if (Items.length > 0) {
      throw new Error(
        `${to} is not empty: add --only-missing to keep the items that it has, or --overwrite to replace those that are also in the other table.`,
      );
    }
  }
  const beginning = () => ({ copied: 0, kept: 0, isFinished: false });
  const checkpoint = earlier ?? { copy, segments: Array.from({ length: segmentCount }, beginning) };
  const { segments } = checkpoint;
  const state = () => {
    const sum = (field: "copied" | "kept") =>
      segments.reduce((total, each) => total + each[field], 0).toLocaleString("en");
    return `copied ${sum("copied")} items and kept ${sum("kept")} that were there already`;
  };
  tell(`From ${source.arn} to ${target.arn}${earlier ? `, continued: ${state()} so far` : ""}.`);

  const deletion = deletionNames(source.key);
  const { putAll, putMissing } = itemWriter(client, to, target.key[0] ?? "", deletion);
  const write = mode === "only missing" ? putMissing : putAll;
  const copySegment = async (segment: Checkpoint["segments"][number], Segment: number): Promise<void> => {
    while (!segment.isFinished) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: from,
          Segment,
          TotalSegments: segments.length,
          Limit: itemsPerPage,
          ConsistentRead: true,
          ...(segment.after && { ExclusiveStartKey: segment.after }),
          ...filterOf(having, deletion),
        }),
      );
      const kept = await write(Items);
      segment.copied += Items.length - kept;
      segment.kept += kept;
      Object.assign(segment, { after: LastEvaluatedKey, isFinished: LastEvaluatedKey === undefined });
      saveCheckpoint(file, checkpoint);
    }
  };
  const progress = setInterval(() => tell(`So far: ${state()}.`), progressIntervalMs);
  try {
    await Promise.all(segments.map(copySegment));
  } finally {
    clearInterval(progress);
  }
  rmSync(file, { force: true });
  tell(`Complete: ${state()}.`);
};
