import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startService } from "../../../test/support/service.ts";

const exampleFile = fileURLToPath(new URL("../example.ts", import.meta.url));

const runExample = (environment: Record<string, string>) =>
  promisify(execFile)(process.execPath, [exampleFile], { env: environment });

test("the example runs as it is and leaves no keys behind", async () => {
  const service = await startService();
  onTestFinished(service.close);
  const { stdout } = await runExample({ BASE_URL: service.baseUrl, TOKEN: await service.issueToken(), LIMIT: "2" });

  expect(stdout).toMatch(/attempt 1 got 503: waiting 1\d{3} ms/);
  expect(stdout).toContain("bound to 127.0.0.1");
  expect(stdout).toContain("example-3, created at 2");
  expect(stdout).toMatch(/page 1: .*\n {2}page 2: /);
  expect(stdout).toContain("v_code: The v_code must be 64 characters.");
  expect(stdout).toMatch(/done\n$/);
  expect((await service.call("GET", "/api/v1/key?limit=1000")).json()).toEqual([]);
});

test("the example names the missing variable", async () => {
  await expect(runExample({ BASE_URL: "http://127.0.0.1:1" })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Set TOKEN in the environment."),
  });
});
