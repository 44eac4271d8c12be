import type { Item } from "cdk-local-runner/database";
import { channels } from "../../../lambdas/resources/notices/notice-store.ts";
import type { Cloud } from "./cloud.ts";

/**
 * Notices that must be sent, and notices that may be sent: a notice that was due when a run died may or may not have been
 * found.
 */
export interface Due {
  required: Set<string>;
  possible: Set<string>;
}

interface Judged {
  problems: string[];
  /** How many notices there were of each kind. */
  counts: Record<string, number>;
}

const kindOf = (id: string): string => id.split(":", 1)[0] ?? "";

/**
 * Every due notice was sent exactly once on each channel or, if nobody knows whether it arrived, is named exactly once by a
 * later notice. There are no others.
 */
export const judgeYear = ({ database, receivers }: Cloud, { required, possible }: Due): Judged => {
  const problems = [...receivers.mistakes];
  const records = new Map([...database.itemsOf("notices").values()].map((item) => [textIn(item, "notice_id"), item]));
  const ids = new Set([...records.keys(), ...receivers.sendings.flatMap(({ noticeIds }) => noticeIds)]);
  for (const id of ids) {
    if (kindOf(id) !== "delivery_uncertain" && !possible.has(id)) problems.push(`${id} was not due`);
  }
  for (const id of required) if (!ids.has(id)) problems.push(`${id} was due, and nobody was told`);

  for (const channel of channels) {
    /** The notices about attempts on this channel. */
    const named = new Map<string, Item[]>();
    for (const id of ids) {
      const attempts = receivers.sendings.filter((one) => one.channel === channel && one.noticeIds.includes(id));
      const arrivals = attempts.filter(({ hasArrived }) => hasArrived).length;
      const known = attempts.some(({ isAnswered }) => isAnswered);
      const unknown = attempts.some(({ isAnswered }) => !isAnswered);
      const record = records.get(id);
      const state = record && textIn(record, channel);
      const name = `${id} on the ${channel}`;
      if (arrivals > 1) problems.push(`${name} arrived ${arrivals} times`);
      if (attempts.length > 1) problems.push(`${name} was sent ${attempts.length} times`);
      if (state === "sent" && (!known || unknown)) problems.push(`${name} is taken for sent, and was not`);
      if (state === "pending" || state === "sending") problems.push(`${name} was never settled: ${state}`);
      if (state === "uncertain" && record) {
        const attempt = textIn(record, `${channel}_attempt`);
        named.set(attempt, [...(named.get(attempt) ?? []), record]);
      }
    }
    problems.push(...uncertaintyProblems(named, records, channel));
  }
  const counts: Record<string, number> = {};
  for (const id of ids) counts[kindOf(id)] = (counts[kindOf(id)] ?? 0) + 1;
  return { problems, counts };
};

/** Each attempt with an unknown outcome has one notice, which names exactly the notices of that attempt. */
const uncertaintyProblems = (
  named: ReadonlyMap<string, Item[]>,
  records: ReadonlyMap<string, Item>,
  channel: string,
): string[] => {
  const about = [...records.values()].filter(
    (item) => kindOf(textIn(item, "notice_id")) === "delivery_uncertain" && detailsOf(item).channel === channel,
  );
  const told = about.flatMap((item) => {
    const attempt = textIn(item, "notice_id").split(":")[1] ?? "";
    const expected = (named.get(attempt) ?? []).flatMap(namesOf).toSorted().join();
    const actual = (detailsOf(item).notice_ids ?? "").split(", ").toSorted().join();
    return actual === expected
      ? []
      : [`the attempt ${attempt} on the ${channel} is told as ${actual} instead of ${expected}`];
  });
  const untold = [...named.keys()].filter((attempt) => !records.has(`delivery_uncertain:${attempt}`));
  return [
    ...told,
    ...untold.map((attempt) => `nobody is told that the attempt ${attempt} on the ${channel} is uncertain`),
  ];
};

/** A notice about notices stands for those. */
const namesOf = (item: Item): string[] =>
  kindOf(textIn(item, "notice_id")) === "delivery_uncertain"
    ? (detailsOf(item).notice_ids ?? "").split(", ")
    : [textIn(item, "notice_id")];

const detailsOf = (item: Item): Record<string, string> => JSON.parse(textIn(item, "details"));

const textIn = (item: Item, name: string): string => item[name]?.S ?? "";
