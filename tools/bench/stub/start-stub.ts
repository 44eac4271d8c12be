import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";

export interface Stub {
  endpoint: string;
  /** The certificate that a client has to trust. */
  certificateFile: string;
  /** The requests since the last call, if the stub records them. */
  takeRequests(): Promise<StubRequest[]>;
  stop(): void;
}

/** A request that the stub has received. */
export interface StubRequest {
  operation: string;
  /** JSON. */
  body: string;
}

interface StubOptions {
  delayMilliseconds?: number;
  /** Keeps the requests. That takes time, so nothing should be timed with such a stub. */
  recordsRequests?: boolean;
}

/** Starts the DynamoDB stub in a separate process, with a certificate for this run. */
export const startStub = async (
  folder: string,
  { delayMilliseconds = 0, recordsRequests = false }: StubOptions = {},
): Promise<Stub> => {
  const certificate = await generate([{ name: "commonName", value: "localhost" }], {
    // As DynamoDB has it.
    keySize: 2048,
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
    ],
  });
  const certificateFile = join(folder, `certificate-${randomUUID()}.pem`);
  await writeFile(certificateFile, certificate.cert);
  const child = fork(new URL("dynamodb-stub.ts", import.meta.url), {
    env: {
      ...process.env,
      KEY: certificate.private,
      CERT: certificate.cert,
      DELAY: String(delayMilliseconds),
      ...(recordsRequests && { RECORDS: "yes" }),
    },
  });
  const [port]: number[] = await once(child, "message");
  const takeRequests = async (): Promise<StubRequest[]> => {
    child.send("take");
    const [requests]: StubRequest[][] = await once(child, "message");
    return requests ?? [];
  };
  return { endpoint: `https://localhost:${port}`, certificateFile, takeRequests, stop: () => child.disconnect() };
};
