import type { Failure } from "./explore.ts";
import type { Fate, Schedule } from "./schedule.ts";

/** What a reader needs to understand a failure: the problems, the smallest schedule, and how its run went. */
export const failureReport = (
  { seed, problems, run }: Failure,
  { plant }: { plant?: string | undefined } = {},
): string =>
  [
    `Seed ${seed} fails:`,
    ...problems.map((problem) => `  ${shortened(problem)}`),
    "The smallest schedule that fails like this:",
    ...scheduleLines(run.schedule).map((line) => `  ${line}`),
    "Its trace:",
    ...run.chronicle.lines().map((line) => `  ${shortened(line)}`),
    `Replay it with: npm run simulate -- --seed ${seed}${plant === undefined ? "" : ` --plant "${plant}"`} --trace`,
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
