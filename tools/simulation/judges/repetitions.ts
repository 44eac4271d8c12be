import type { Done } from "../answers.ts";
import type { Run } from "../execute.ts";
import { isChange } from "./changes.ts";
import { isUnknown } from "./outcome.ts";

/**
 * Operations that were carried out after their answer, on what a failed operation had left. Nobody was told that the failed
 * one took effect, and the time that it wrote is old by then, so a late attempt of an operation that succeeded before, or was
 * refused, may follow it. Each is returned as an operation of its own with an unknown outcome. Nothing that was acknowledged
 * may be undone like this: `judgeWrites` sees to that.
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

/** Whether an operation changed a record after its answer, and directly after an operation that failed had changed it. */
export const isRepetition = (writer: Done, appliedAt: number, before: Done | undefined): boolean =>
  !isUnknown(writer) && appliedAt >= writer.answeredAt && before !== undefined && isUnknown(before);
