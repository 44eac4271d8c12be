import type { Done } from "../answers.ts";
import type { Run } from "../run-schedule.ts";
import { isSuccess, isUnknown } from "./outcome.ts";
import { isChange } from "./writes.ts";

/**
 * Operations that were carried out a second time, after their answer, on what a failed operation had left. Nobody was told
 * that the failed one took effect, and the time that it wrote is old by then, so a repeated attempt may follow it. Each is
 * returned as an operation of its own with an unknown outcome. Nothing that was acknowledged may be undone like this:
 * `judgeWrites` sees to that.
 */
export const repetitionsOn = ({ done, chronicle }: Run, table: string, key: string): Done[] => {
  const byId = new Map(done.map((one) => [one.operation.id, one]));
  const writers = chronicle.applied
    .filter((applied) => applied.change.table === table && applied.change.key === key && isChange(applied))
    .map(({ attempt, appliedAt }) => ({ writer: byId.get(attempt.operation), appliedAt }));
  return writers.flatMap(({ writer, appliedAt }, index) => {
    const before = writers[index - 1]?.writer;
    if (!writer || !isSuccess(writer) || appliedAt < writer.answeredAt) return [];
    if (!before || !isUnknown(before)) return [];
    const { answer: _, ...repeated } = writer;
    return [{ ...repeated, calledAt: writer.answeredAt }];
  });
};
