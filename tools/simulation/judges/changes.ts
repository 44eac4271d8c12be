import type { Item } from "cdk-local-runner/database";
import type { Done } from "../answers.ts";
import type { Run } from "../execute.ts";
import type { Applied } from "../world/chronicle.ts";
import { isUnknown } from "./outcome.ts";

/**
 * The changes that calls and admins make. They do not include the time of last use, the removal of values at the first use, and
 * times that only stop earlier attempts.
 */
const visible = (item: Item | undefined): string => {
  if (!item) return "";
  const { last_used_at: _, changed_at: __, repeat_nonce: ___, ...rest } = item;
  return JSON.stringify(rest);
};

export const isChange = ({ change: { table, before, after } }: Applied): boolean =>
  (table === "keys" || table === "tokens") && visible(before) !== visible(after);

/**
 * Operations that were carried out after their response, on a record that a failed operation had written. Nobody was told that
 * the failed one took effect, and it wrote an old time, so a late attempt of an operation that succeeded before, or was
 * refused, may follow it. Each is returned as a separate operation with an unknown outcome. No acknowledged change may be
 * undone like this: `judgeWrites` checks that.
 */
export const repetitionsOn = ({ done, chronicle }: Run, table: string, key: string): Done[] => {
  const byId = new Map(done.map((one) => [one.operation.id, one]));
  const writers = chronicle.applied
    .filter((applied) => applied.change.table === table && applied.change.key === key && isChange(applied))
    .map(({ attempt, appliedAt }) => ({ writer: byId.get(attempt.operation), appliedAt }));
  return writers.flatMap(({ writer, appliedAt }, index) => {
    if (!writer || !isRepetition(writer, appliedAt, writers[index - 1]?.writer)) return [];
    const { answer: _, ...repeated } = writer;
    return [{ ...repeated, calledAt: writer.answeredAt }];
  });
};

/** Whether an operation changed a record after its response, directly after a failed operation had changed it. */
export const isRepetition = (writer: Done, appliedAt: number, before: Done | undefined): boolean =>
  !isUnknown(writer) && appliedAt >= writer.answeredAt && before !== undefined && isUnknown(before);
