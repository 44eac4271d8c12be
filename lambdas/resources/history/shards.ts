import { crc32 } from "../../crc32.ts";

/** The index of changes has this many parts, so that none of them has to take more writes than DynamoDB allows. */
const shardCount = 8;

/** The shards of records that exist, and of deleted ones. */
export const liveShards = Array.from({ length: shardCount }, (_, shard) => String(shard));
export const deletedShards = liveShards.map((shard) => `deleted-${shard}`);

/** The shard of the index of changes that a record is in. */
export const shardOf = (id: string): string => String(crc32(id) % shardCount);

/** The shard that the tombstone of a deleted record is in. */
export const deletedShardOf = (id: string): string => `deleted-${shardOf(id)}`;
