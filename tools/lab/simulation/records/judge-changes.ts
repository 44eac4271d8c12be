import { restMilliseconds } from "../../../../lambdas/dynamodb/changes.ts";
import type { Run } from "../execute.ts";
import { isUnknown } from "../judges/outcome.ts";
import { shownAs, shownIn } from "./judge.ts";
import { pagesOf } from "./seen.ts";
import type { Changes } from "./service.ts";
import { type Follow, feeds, placeOfRecord, type RecordName } from "./tables.ts";

/** Checks that the copy of each reader equals the stored records in the end, and that no pass shows a record twice. */
export const judgeChanges = (run: Run): string[] => {
  const follows = run.done.flatMap(({ operation: { call } }) => ("feed" in call ? [call] : []));
  const readers = new Map(follows.map((call) => [`${call.reader} ${call.feed}`, call]));
  return [...readers].flatMap(([name, reader]) => {
    const pages = pagesOf(reader, run.done);
    return [...missedIn(pages, reader, run), ...repeatedIn(pages)].map(
      (problem) => `the reader ${name} ${problem}: ${JSON.stringify(pages)}`,
    );
  });
};

const missedIn = (pages: readonly Changes[], { feed }: Follow, run: Run): string[] => {
  const copy = new Map<string, string>();
  for (const { changed, deleted } of pages) {
    for (const record of changed) copy.set(nameOf(record), JSON.stringify(shownAs(record)));
    for (const key of deleted) copy.delete(nameOf(key));
  }
  return feeds[feed].flatMap((name) => {
    const stored = shownIn(run.database.itemsOf(placeOfRecord(name).table).get(name));
    const isCurrent = copy.get(name) === (stored && JSON.stringify(stored));
    return isCurrent || isLate(name, run) ? [] : [`has an outdated copy of ${name}`];
  });
};

/**
 * Checks whether a record was last changed by an attempt that took effect too late for readers, and without being acknowledged. No
 * reader can learn of it: see docs/decisions/changes.md.
 */
const isLate = (name: RecordName, { chronicle, done }: Run): boolean => {
  const { table } = placeOfRecord(name);
  const last = chronicle.applied.findLast(({ change }) => change.table === table && change.key === name);
  const writer = done.find(({ operation }) => operation.id === last?.attempt.operation);
  if (!last || !writer) return false;
  const isAcknowledged = !isUnknown(writer) && last.appliedAt < writer.answeredAt;
  return !isAcknowledged && last.time - Date.parse(last.change.after?.updated_at?.S ?? "") > restMilliseconds;
};

const repeatedIn = (pages: readonly Changes[]): string[] => {
  let names: string[] = [];
  return pages.flatMap(({ changed, deleted, more }) => {
    const shown = [...changed, ...deleted].map(nameOf);
    names.push(...shown);
    const isRepeated = new Set(names).size < names.length;
    if (!more) names = [];
    return isRepeated ? [`got one of ${shown} twice in a pass`] : [];
  });
};

const nameOf = ({ parcel_id, number }: { parcel_id: string; number?: number }): string =>
  number === undefined ? parcel_id : `${parcel_id} ${number}`;
