import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BatchWriteItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import { keys } from "../../../lambdas/resources/keys/keys-table.ts";
import { createTable } from "../../support/create-table.ts";
import { instantDatabase, keyItem } from "./instant-database.ts";

/*
 * Measures how long npm run copy-table takes and how much memory it needs: node tools/recovery/measure/measure-copy.ts
 *
 * --instant copies from and to a server that responds at once and stores nothing, instead of the embedded database.
 */

const { values } = parseArgs({
  options: { items: { type: "string", default: "1000000" }, instant: { type: "boolean", default: false } },
});
const itemCount = Number(values.items);

const fill = async (client: DynamoDBClient): Promise<void> => {
  for (const table of ["source", "target"]) await createTable(client, table, keys);
  const starts = Array.from({ length: Math.ceil(itemCount / 25) }, (_, index) => index * 25).values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const start of starts) {
        const source = Array.from({ length: Math.min(25, itemCount - start) }, (_, index) => ({
          PutRequest: { Item: keyItem(start + index) },
        }));
        await client.send(new BatchWriteItemCommand({ RequestItems: { source } }));
      }
    }),
  );
};

const copyIn = async (endpoint: string, folder: string): Promise<void> => {
  // The most memory that the process has held, when it ends.
  const report =
    'process.on("exit", () => console.log("Peak:", Math.round(process.resourceUsage().maxRSS / 1024), "MB"))';
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(report)}`,
      fileURLToPath(new URL("../copy-table.ts", import.meta.url)),
      ...["--from", "source", "--to", "target"],
    ],
    { cwd: folder, env: { ...process.env, ...environment(endpoint) }, stdio: "inherit" },
  );
  await once(child, "close");
  process.stdout.write(`${itemCount} items: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  process.exitCode = child.exitCode ?? 1;
};

const environment = (endpoint: string) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
});

const measureInstant = async (folder: string): Promise<void> => {
  const server = instantDatabase(itemCount).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await copyIn(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, folder);
  server.closeAllConnections();
  server.close();
};

const measureEmbedded = async (folder: string): Promise<void> => {
  const database = await startEmbeddedDatabase({
    dataDirectory: folder,
    port: 0,
    environment: localAwsEnvironment(),
    onFailure: (failure) => {
      throw failure;
    },
  });
  const client = new DynamoDBClient({
    endpoint: database.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const startedAt = performance.now();
  await fill(client);
  process.stdout.write(`Filled in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  await copyIn(database.url, folder);
  client.destroy();
  await database.close();
};

const folder = await mkdtemp(join(tmpdir(), "integration-api-copy-"));
try {
  await (values.instant ? measureInstant(folder) : measureEmbedded(folder));
} finally {
  await rm(folder, { recursive: true });
}
