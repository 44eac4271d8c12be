import { parseArgs } from "node:util";
import { chosenRegion, RecoveryError, runCommand } from "./command.ts";
import type { CopyMode } from "./copy/checkpoint.ts";
import { copyTable } from "./copy/copy-table.ts";

const usage = `Usage: npm run copy-table -- --from <table> --to <table> [options]

Copies all items of a DynamoDB table into another one with the same key, which must be empty unless you say what to do:

  --only-missing        keeps the items that the other table has
  --overwrite           replaces the items of the other table that have the same key
  --having <attribute>  copies only items that have this attribute; may be given several times
  --from-region <name>  the region of a table; by default that of AWS_REGION or of your profile
  --to-region <name>
  --segments <number>   how many parts of the table are copied at once (8)
  --checkpoint <file>   where the state of the copy is kept until it is complete (copy-<from>-to-<to>.checkpoint.json)

Run the same command again to continue a copy that was interrupted. AWS_ENDPOINT_URL_DYNAMODB names another DynamoDB.
What a deleted key has left is not copied, and counts as missing.
docs/scale.md says what a million keys cost. With --only-missing, an item that is there
already costs as much as one that is not.
`;

const readSegmentCount = (text: string): number => {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
  throw new RecoveryError(`--segments is ${text}, which is not a number from 1 to 100.`);
};

const readMode = (values: { "only-missing": boolean; overwrite: boolean }): CopyMode => {
  if (values["only-missing"] && values.overwrite) {
    throw new RecoveryError("--only-missing and --overwrite exclude each other: give one of them.");
  }
  if (values["only-missing"]) return "only missing";
  return values.overwrite ? "overwrite" : "into empty";
};

/** Aborts when the user presses Ctrl-C, or the process is asked to end. The second time, the process ends at once. */
const interruption = (): AbortController => {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller;
};

const copy = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      to: { type: "string" },
      "from-region": { type: "string" },
      "to-region": { type: "string" },
      "only-missing": { type: "boolean", default: false },
      overwrite: { type: "boolean", default: false },
      having: { type: "string", multiple: true, default: [] },
      segments: { type: "string", default: "8" },
      checkpoint: { type: "string" },
    },
  });
  const { from, to, having } = values;
  if (!from || !to) throw new RecoveryError(usage.trimEnd());

  const { signal } = interruption();
  const file = values.checkpoint ?? `copy-${from}-to-${to}.checkpoint.json`;
  try {
    await copyTable({
      from: { name: from, region: chosenRegion(values["from-region"]) },
      to: { name: to, region: chosenRegion(values["to-region"]) },
      mode: readMode(values),
      having,
      segmentCount: readSegmentCount(values.segments),
      file,
      signal,
      tell: (sentence) => process.stdout.write(`${sentence}\n`),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    process.stderr.write(`Interrupted. Run the same command again to continue (${file} has the state).\n`);
    process.exitCode = 130;
  }
};

await runCommand(copy);
