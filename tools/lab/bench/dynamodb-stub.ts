import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { updatedAttributes } from "../../support/updated-item.ts";
import { storedKeys, storedToken } from "./requests.ts";

/*
 * A DynamoDB stub that immediately returns the same responses over TLS, as DynamoDB does. It is a separate process, so that its
 * work is not counted as work of the function that calls it.
 */

export interface Stub {
  endpoint: string;
  /** The certificate that a client has to trust. */
  certificateFile: string;
  /** Returns the operations since the last call. */
  operations(): Promise<string[]>;
  stop(): void;
}

/** Starts the stub with a certificate for this run. */
export const startStub = async (folder: string): Promise<Stub> => {
  const { keyFile, certificateFile } = createCertificate(join(folder, "stub"));
  const child = fork(new URL(import.meta.url), [keyFile, certificateFile]);
  const [port]: number[] = await once(child, "message");
  const operations = async (): Promise<string[]> => {
    child.send("operations");
    const [all]: string[][] = await once(child, "message");
    return all ?? [];
  };
  return { endpoint: `https://localhost:${port}`, certificateFile, operations, stop: () => child.disconnect() };
};

const createCertificate = (name: string): Record<"keyFile" | "certificateFile", string> => {
  const [keyFile, certificateFile] = [`${name}.key`, `${name}.pem`];
  const extensions = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:TRUE"];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  // A key of the same length as DynamoDB's.
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  try {
    execFileSync("openssl", [...words, ...extensions, ...files], { stdio: "pipe" });
  } catch (cause) {
    throw new Error("openssl, which makes a certificate for the benchmark, does not run: install it.", { cause });
  }
  return { keyFile, certificateFile };
};

const attributes = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { S: String(value) }]));

const respond = (body: object) => {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    bytes,
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "content-length": bytes.length,
      "x-amzn-requestid": "J0RH5OB2LCVBCHLGRKT2NNNF73VV4KQNSO5AEMVJF66Q9ASUAAJG",
      "x-amz-crc32": String(crc32(bytes)),
    },
  };
};

const serve = (keyFile = "", certificateFile = ""): void => {
  const count = storedKeys.length;
  const token = respond({ Item: attributes(storedToken) });
  const page = respond({ Count: count, ScannedCount: count, Items: storedKeys.map(attributes) });
  const responseTo = (operation: string, body: string) => {
    if (operation === "GetItem") return token;
    if (operation === "Scan") return page;
    const updated = operation === "UpdateItem" ? updatedAttributes(body) : {};
    return respond(Object.keys(updated).length > 0 ? { Attributes: updated } : {});
  };

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
    const { headers, bytes } = responseTo(operation, body);
    response.writeHead(200, headers).end(bytes);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address) process.send?.(address.port);
  });
  // The stub ends with the process that started it.
  process.on("disconnect", () => process.exit(0));
};

if (import.meta.main) serve(...process.argv.slice(2));
