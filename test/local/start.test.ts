import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { startLocalService } from "cdk-local-runner";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureText } from "../../local/settings.ts";
import { freePort } from "../support/free-port.ts";
import { projectFixture, run, start, temporaryDirectory } from "./project-fixture.ts";

const ready = "Stop: Ctrl-C";

const admin = async (port: number, event: object): Promise<unknown> => {
  const url = `http://127.0.0.1:${port + 1}/2015-03-31/functions/admin/invocations`;
  return (await fetch(url, { method: "POST", body: JSON.stringify(event) })).json();
};

// Like npm, with a shell in between that does not forward signals.
const startThroughShell = `require("node:child_process").spawn("sh", ["-c", "'${process.execPath}' local/start.mjs; :"], { stdio: "inherit" })`;

const occupy = async (port: number) => {
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
};

describe("npm start", () => {
  test("prints a token and a sample call on the first start only, and survives a kill -9 without data loss or blocked ports", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    const first = start(project, port);
    await first.says(ready);
    expect(first.output()).toMatch(/^Synthesising the stack .*\n\nReady in /);
    expect(first.output()).toMatch(
      new RegExp(
        `Web interface +http://127.0.0.1:${port}/\n[^]*  superuser@example.com +\\S+  Superuser\n[^]*PORT=${port} npm run days`,
      ),
    );
    const [token = ""] = /itk_\w{76,}/.exec(first.output()) ?? [];
    expect(first.output()).toContain(
      `curl -H 'Accept: application/json' -H 'X-Token: ${token}' http://127.0.0.1:${port}/api/v1/token`,
    );
    expect(await admin(port, { action: "issue", ip: "127.0.0.1", comment: "a" })).toHaveProperty("token");
    first.child.kill("SIGKILL");
    await first.ended;

    const second = start(project, port);
    expect(await second.says(ready)).toContain("node local/admin.mjs issue ip=127.0.0.1");
    expect(second.output()).not.toContain("itk_");
    const tokens = ["issued by the first local start", "a"].map((comment) => expect.objectContaining({ comment }));
    expect(await admin(port, { action: "list" })).toMatchObject({ tokens: expect.arrayContaining(tokens) });
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s lets a call in progress finish before it stops the service, unless the call never ends",
    async (signal) => {
      const [project, port] = [await projectFixture(), await freePort()];
      const ends = signal === "SIGINT";
      const service = start(project, port);
      await service.says(ready);
      const outcome = fetch(`http://127.0.0.1:${port}/slow?${ends ? "ends" : ""}`).then(
        (response) => response.text(),
        () => "none",
      );
      await service.says("[fallback] waiting");
      service.child.kill(signal);

      expect(await outcome).toBe(ends ? "done" : "none");
      expect(await service.ended).toBe(0);
      await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow();
    },
  );

  test.each(["SIGTERM", "SIGKILL"] as const)("stops when %s ends the npm process that started it", async (signal) => {
    const [project, port] = [await projectFixture(), await freePort()];
    const npm = run(project, ["--eval", startThroughShell], { PORT: String(port), npm_lifecycle_event: "start" });
    await npm.says(ready);
    npm.child.kill(signal);

    const isServing = () => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false);
    await expect.poll(isServing).toBe(false);
  });

  test.each([
    [0, "the API"],
    [1, "the Lambda Invoke API"],
    [2, "DynamoDB"],
    [3, "the login"],
  ])("PORT + %i is for %s, and the message says so if the port is in use", async (offset, use) => {
    const [dataDirectory, port] = [await temporaryDirectory(), await freePort()];
    await occupy(port + offset);
    const assembly = async () => expect.unreachable();

    const error = await startLocalService({ port, dataDirectory, assembly }).catch((error: unknown) => error);
    expect(failureText(error)).toBe(
      `Port ${port + offset}, for ${use}, is in use by another program: stop that program, or choose other ports.\nTo choose another: PORT=4000 npm start`,
    );
  });

  test("shows the error of an app that fails to synthesise, without a stack trace of the runner", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    await writeFile(join(project, "infra/app.ts"), 'console.error("no such construct"); process.exit(3);');
    const service = start(project, port);

    expect(await service.ended).toBe(1);
    expect(service.output()).toContain("no such construct");
    expect(service.output()).toContain("The stack could not be synthesised");
    expect(service.output()).not.toContain("LocalError");
  });
});
