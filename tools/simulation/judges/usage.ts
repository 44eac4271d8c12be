import type { Run } from "../execute.ts";
import type { LogLine } from "../situation.ts";
import { fieldOf, isSuccess } from "./outcome.ts";

/** Every line of a batch that was delivered with success is counted once; one whose deliveries all failed, at most once. */
export const judgeUsage = ({ done, batches }: Run): string[] => {
  const probe = done.findLast(({ operation }) => operation.call.kind === "usage");
  if (!probe?.answer || !probe.token || !isSuccess(probe)) return [];
  const { token_id } = probe.token;
  const deliveries = done.flatMap((one) => {
    const { call } = one.operation;
    return call.kind === "deliver" ? [{ batch: call.batch, isCounted: isSuccess(one) }] : [];
  });
  const hours = fieldOf(probe.answer.body, "hours");
  const counted: Record<string, number> = {};
  for (const hour of Array.isArray(hours) ? hours : []) {
    for (const [status, count] of Object.entries(fieldOf(hour, "statuses") ?? {})) {
      counted[status] = (counted[status] ?? 0) + Number(count);
    }
  }
  let possible: Record<string, number>[] = [{}];
  for (const [batch, lines] of batches) {
    const added = statusesIn(lines, token_id);
    const isCounted = deliveries.some((one) => one.batch === batch && one.isCounted);
    possible = [...possible.map((sum) => plus(sum, added)), ...(isCounted ? [] : possible)];
  }
  if (possible.some((sum) => textOf(sum) === textOf(counted))) return [];
  return [`usage was counted as ${textOf(counted)} instead of ${possible.map(textOf).join(" or ")}`];
};

const statusesIn = (lines: readonly LogLine[], token_id: string): Record<string, number> => {
  const statuses: Record<string, number> = {};
  for (const { message } of lines) {
    const line: { token_id?: string; status: number } = JSON.parse(message);
    if (line.token_id !== token_id) continue;
    const name = `${Math.floor(line.status / 100)}xx`;
    statuses[name] = (statuses[name] ?? 0) + 1;
  }
  return statuses;
};

const plus = (one: Record<string, number>, other: Record<string, number>): Record<string, number> => {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
};

const textOf = (counts: Record<string, number>): string =>
  JSON.stringify(Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1)));
