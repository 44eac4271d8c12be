import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { updatedAttributes } from "../../support/updated-item.ts";
import type { Surroundings } from "./measure.ts";
import { storedKeys, storedToken } from "./requests.ts";

/*
 * A DynamoDB stub that immediately returns the same responses over TLS, as DynamoDB does. It is a separate process, so that its
 * work is not counted as work of the function that calls it.
 */

export interface Stub extends Surroundings {
  /** Returns the operations since the last call. */
  operations(): Promise<string[]>;
  stop(): void;
}

/** Starts the stub with a certificate for this run, which openssl makes and the clients have to trust. */
export const startStub = async (folder: string): Promise<Stub> => {
  const [keyFile, certificateFile] = [join(folder, "stub.key"), join(folder, "stub.pem")];
  createCertificate(keyFile, certificateFile);
  const child = fork(new URL(import.meta.url), [keyFile, certificateFile]);
  const [port]: number[] = await once(child, "message");
  const operations = async (): Promise<string[]> => {
    child.send("operations");
    const [all]: string[][] = await once(child, "message");
    return all ?? [];
  };
  return { folder, endpoint: `https://localhost:${port}`, certificateFile, operations, stop: () => child.disconnect() };
};

const createCertificate = (keyFile: string, certificateFile: string): void => {
  const extensions = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:TRUE"];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  // A key of the same length as DynamoDB's.
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...words, ...extensions, ...files], { stdio: "pipe" });
};

const attributes = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { S: String(value) }]));

const count = storedKeys.length;
const token = JSON.stringify({ Item: attributes(storedToken) });
const page = JSON.stringify({ Count: count, ScannedCount: count, Items: storedKeys.map(attributes) });

const responseTo = (operation: string, body: string): string => {
  if (operation === "GetItem") return token;
  if (operation === "Scan") return page;
  const updated = operation === "UpdateItem" ? updatedAttributes(body) : {};
  return JSON.stringify(Object.keys(updated).length > 0 ? { Attributes: updated } : {});
};

const serve = (keyFile = "", certificateFile = ""): void => {
  let operations: string[] = [];
  process.on("message", () => {
    process.send?.(operations);
    operations = [];
  });
  const certificate = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
  const server = createServer(certificate, async (request, response) => {
    const body = await text(request);
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    operations.push(operation);
    const bytes = Buffer.from(responseTo(operation, body));
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "content-length": bytes.length,
      "x-amzn-requestid": "J0RH5OB2LCVBCHLGRKT2NNNF73VV4KQNSO5AEMVJF66Q9ASUAAJG",
      "x-amz-crc32": String(crc32(bytes)),
    };
    response.writeHead(200, headers).end(bytes);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  // The stub ends with the process that started it.
  process.on("disconnect", () => process.exit(0));
};

if (import.meta.main) serve(...process.argv.slice(2));
