import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";

export interface Stub {
  endpoint: string;
  /** The certificate that a client has to trust. */
  certificateFile: string;
  stop(): void;
}

/** Starts the DynamoDB stub in a separate process, with a certificate for this run. */
export const startStub = async (folder: string, { delayMilliseconds = 0 } = {}): Promise<Stub> => {
  const certificate = await generate([{ name: "commonName", value: "localhost" }], {
    // As DynamoDB has it.
    keySize: 2048,
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
    ],
  });
  const certificateFile = join(folder, `certificate-${delayMilliseconds}.pem`);
  await writeFile(certificateFile, certificate.cert);
  const child = fork(new URL("dynamodb-stub.ts", import.meta.url), {
    env: { ...process.env, KEY: certificate.private, CERT: certificate.cert, DELAY: String(delayMilliseconds) },
  });
  const [port]: number[] = await once(child, "message");
  return { endpoint: `https://localhost:${port}`, certificateFile, stop: () => child.disconnect() };
};
