import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runningService, temporaryDirectory } from "../support/services.ts";

/** Runs the app as `cdk synth` does. */
const synthesise = async (): Promise<string> => {
  const CDK_OUTDIR = await temporaryDirectory();
  const CDK_CONTEXT_JSON = JSON.stringify({
    "aws:cdk:enable-asset-metadata": true,
    "aws:cdk:enable-path-metadata": true,
  });
  const env = { PATH: process.env.PATH, CDK_OUTDIR, CDK_CONTEXT_JSON, CDK_VALIDATION: "false" };
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL("app.ts", import.meta.url))], { env });
  return CDK_OUTDIR;
};

test("an app unrelated to this repository's API runs with its routes, functions, table and permissions", async () => {
  const service = await runningService({ assembly: await synthesise() });
  const write = (id: string, body: string) =>
    fetch(`${service.baseUrl}/notes/${id}`, { method: "PUT", body, headers: { "content-type": "text/plain" } });
  const read = () => fetch(`${service.baseUrl}/notes`);

  expect(service.functionNames).toEqual(["write-note", "read-notes"]);
  expect(Object.values(service.outputs)).toEqual([service.baseUrl]);
  expect((await write("a", "first")).status).toBe(204);
  expect((await write("b", "second")).status).toBe(204);
  expect(await (await read()).json()).toEqual({ a: "first", b: "second" });

  // The code that writes, with the permissions of the function that reads.
  service.replaceCode("read-notes", fileURLToPath(new URL("functions/write-note", import.meta.url)));
  const { failed, payload } = await service.invoke("read-notes", { body: "third", pathParameters: { id: "c" } });
  expect(failed).toBe(true);
  expect(payload).toContain("is not authorized to perform: dynamodb:PutItem");
});
