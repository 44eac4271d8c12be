import type { Failure } from "./explore.ts";
import type { Fate, Schedule } from "./schedule.ts";

/** Where a schedule comes from: the small scope or a random seed, with a planted bug or without. */
interface Source {
  orders?: number | undefined;
  plant?: string | undefined;
}

const optionsFor = ({ seed, orders, plant }: Source & { seed: number }): string[] => [
  `--seed ${seed}`,
  orders === undefined ? "--trace" : `--orders ${orders}`,
  ...(plant === undefined ? [] : [`--plant "${plant}"`]),
];

/** A report of a failure: the problems, the smallest schedule, and the trace of its run. */
export const failureReport = ({ seed, problems, run }: Failure, { orders, plant }: Source = {}): string =>
  [
    `Seed ${seed} fails:`,
    ...problems.map((problem) => `  ${shortened(problem)}`),
    "The smallest schedule that fails like this:",
    ...scheduleLines(run.schedule).map((line) => `  ${line}`),
    "Its trace:",
    ...run.chronicle.lines().map((line) => `  ${shortened(line)}`),
    ["Replay it with: npm run simulate --", ...optionsFor({ seed, orders, plant })].join(" "),
  ].join("\n");

const shortened = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text);

const scheduleLines = ({ setup, environments, operations, startInMinute }: Schedule): string[] => [
  `setup ${JSON.stringify(setup)}, start at ${startInMinute} ms, environments ${JSON.stringify(environments)}`,
  ...operations.map(
    ({ id, client, environment, pause, call, fates }) =>
      `#${id} client ${client}, environment ${environment}, after ${pause} ms: ${JSON.stringify(call)} ${fates.map(fateText).join(" ")}`,
  ),
];

const fateText = ({ deliveries, answer, answerDelay, kill }: Fate): string =>
  `[${deliveries.join("+") || "never"} ms, ${answer} +${answerDelay}${kill === undefined ? "" : `, killed when ${kill}`}]`;
