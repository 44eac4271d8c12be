import { type ChangedItems, type ChangedRequest, readHistory } from "../../dynamodb/change-history.ts";
import type { Item } from "../../dynamodb/records.ts";
import { changesOf, inOrder, type RecordedChange, type Subject } from "./change-entry.ts";

/** A part of the records that have histories: one shard of a table's index of changes. */
export interface ChangeSource {
  shard: string;
  changed(request: ChangedRequest): Promise<ChangedItems>;
  subjectOf(item: Item): Subject;
  /** Returns when an item was last changed. */
  changedAt(item: Item): string;
}

interface RecentRequest {
  /** Maximum number of changes to return. */
  limit: number;
  /** Only records changed at this time or later. */
  since?: string | undefined;
  isWanted: (change: RecordedChange) => boolean;
}

interface RecentChanges {
  /** Newest first. */
  changes: RecordedChange[];
  hasMore: boolean;
  /** How many records were read, and how many of their older changes are no longer kept. */
  examined: number;
  dropped: number;
}

/** Together, this many records have at most 60 MB, which takes several seconds to read. */
const mostRecords = 100_000;

/** The first step of a source reads few records. Each further step reads four times as many. */
const firstStep = 25;
const largestStep = 2_000;

/**
 * Returns the newest changes of all records, newest first; `undefined` if that would require reading too many records.
 *
 * The index finds a record by its last change, and the record contains its older changes. Each source is read backwards in time
 * until no source can have a change that is newer than those found. Each further page therefore reads the earlier pages' records
 * again.
 */
export const recentChanges = async (
  sources: readonly ChangeSource[],
  { limit, since, isWanted }: RecentRequest,
): Promise<RecentChanges | undefined> => {
  const readers = sources.map((source) => readerOf(source, since));
  let found: RecordedChange[] = [];
  let examined = 0;
  let dropped = 0;
  for (;;) {
    // One change more than requested is enough to show whether there are more.
    const last = found[limit]?.time ?? "";
    const unfinished = readers.filter(({ frontier }) => frontier !== undefined && frontier >= last);
    if (unfinished.length === 0)
      return { changes: found.slice(0, limit), hasMore: found.length > limit, examined, dropped };
    if (examined > mostRecords) return undefined;
    const read = (await Promise.all(unfinished.map((reader) => reader.read()))).flat();
    examined += read.length;
    dropped += read.reduce((sum, record) => sum + record.dropped, 0);
    found = inOrder([...found, ...read.flatMap(({ changes }) => changes.filter(isWanted))]).slice(0, limit + 1);
  }
};

interface Reader {
  /** All records that have not been read were last changed at this time or earlier; `undefined` if all have been read. */
  frontier: string | undefined;
  read(): Promise<{ changes: RecordedChange[]; dropped: number }[]>;
}

const endOfTime = "9999-12-31T23:59:59.999Z";

const readerOf = ({ shard, changed, subjectOf, changedAt }: ChangeSource, since: string | undefined): Reader => {
  let after: Item | undefined;
  let limit = firstStep;

  const reader: Reader = {
    frontier: endOfTime,
    async read() {
      const { items, next } = await changed({ shard, since, limit, after });
      const last = items.at(-1);
      after = next;
      limit = Math.min(limit * 4, largestStep);
      reader.frontier = next && last ? changedAt(last) : undefined;
      return items.map((item) => {
        const stored = readHistory(item);
        return { changes: changesOf(subjectOf(item), stored), dropped: stored.dropped };
      });
    },
  };
  return reader;
};
