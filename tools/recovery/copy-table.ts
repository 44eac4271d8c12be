import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { sdkSettings } from "../../lambdas/dynamodb/client/client.ts";
import { helpIfAsked } from "../../local/help-if-asked.ts";
import { type CopyMode, copyTable } from "./copy.ts";

const usage = `Usage: npm run copy-table -- --from <table> --to <table> [options]

Copies all items of a DynamoDB table into another one with the same key, which must be empty unless you say what to do:

  --only-missing        keeps the items that the other table has
  --overwrite           replaces the items of the other table that have the same key
  --having <attribute>  copies only items that have this attribute; may be given several times

Run the same command again to continue a copy that was interrupted: copy-<from>-to-<to>.checkpoint.json has its state until
it is complete. AWS_ENDPOINT_URL_DYNAMODB names another DynamoDB.
What a deleted key has left is not copied, and counts as missing.
docs/scale.md says what a million keys cost. With --only-missing, an item that is there already costs as much as one that is
not.
`;

const readMode = (values: { "only-missing": boolean; overwrite: boolean }): CopyMode => {
  if (values["only-missing"] && values.overwrite) throw new Error("--only-missing and --overwrite exclude each other.");
  if (values["only-missing"]) return "only missing";
  return values.overwrite ? "overwrite" : "into empty";
};

const copyAsAsked = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      to: { type: "string" },
      "only-missing": { type: "boolean", default: false },
      overwrite: { type: "boolean", default: false },
      having: { type: "string", multiple: true, default: [] },
    },
  });
  const { from, to, having } = values;
  if (!from || !to) throw new Error(usage);
  // Items are copied in the JSON format that DynamoDB sends.
  const client = new DynamoDBClient({ protocolSettings: sdkSettings.protocolSettings, maxAttempts: 10 });
  // This middleware copies every input and output for a logger, even if there is no logger.
  client.middlewareStack.remove("loggerMiddleware");
  const file = `copy-${from}-to-${to}.checkpoint.json`;
  const tell = (sentence: string) => process.stdout.write(`${sentence}\n`);
  await copyTable({ client, from, to, mode: readMode(values), having, file, tell });
};

helpIfAsked(usage);
try {
  await copyAsAsked();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  // Exits at once, because the other segments would go on.
  process.exit(1);
}
