import { anyVersion } from "../shared/http/entity-tags.ts";
import { toTime } from "./times.ts";

/** Returns the version of a record: its last change, which is later than all earlier changes. Clients treat it as opaque. */
export const versionOf = ({ updated_at }: { updated_at: string }): string => Date.parse(updated_at).toString(36);

/** A time at which no record was changed. It stands for versions that no record can have. */
const never = toTime(0);

/** Returns the times of change of records that have one of these versions, for `Change.seen`; `undefined` if any version will do. */
export const seenIn = (versions: readonly string[] | undefined): string[] | undefined => {
  if (versions === undefined || versions.includes(anyVersion)) return undefined;
  return [...versions.map(updatedAtOf).filter((time) => time !== undefined), never];
};

/** Returns the `updated_at` of a record with this version; `undefined` if no record can have it. */
const updatedAtOf = (version: string): string | undefined => {
  const time = /^[\da-z]{1,9}$/.test(version) ? toTime(Number.parseInt(version, 36)) : undefined;
  return time !== undefined && versionOf({ updated_at: time }) === version ? time : undefined;
};
