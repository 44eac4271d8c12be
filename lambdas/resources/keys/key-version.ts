import { toTime } from "../../dynamodb/times.ts";
import type { Key } from "./key-store.ts";

/** The version of a key: its last change, which is later than every change before. It is opaque to clients. */
export const versionOf = ({ updated_at }: Pick<Key, "updated_at">): string => Date.parse(updated_at).toString(36);

/** The `updated_at` of a key with this version; `undefined` if no key can have it. */
export const updatedAtOf = (version: string): string | undefined => {
  const time = /^[\da-z]{1,9}$/.test(version) ? toTime(Number.parseInt(version, 36)) : undefined;
  return time !== undefined && versionOf({ updated_at: time }) === version ? time : undefined;
};
