import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePort, projectFixture, run, start } from "./project-fixture.ts";

const timeout = 20_000;

const admin = (project: string, port: number, words: string[]) =>
  run(project, ["local/admin.ts", ...words], { PORT: String(port) });

// As npm does: a shell in between, which passes no signal on.
const startThroughShell = `require("node:child_process").spawn("sh", ["-c", "'${process.execPath}' local/start.mjs; :"], { stdio: "inherit" })`;

describe("npm start", { timeout }, () => {
  test("issues a token and prints a call that works, on the first start only", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    const first = start(project, port);
    await first.says("Stop: Ctrl-C");

    expect(first.output()).toMatch(/^Synthesising the stack/);
    expect(first.output()).toContain(
      `curl -H 'Accept: application/json' -H 'X-Token: itk_example' http://127.0.0.1:${port}/api/v1/key`,
    );
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(0);

    const second = start(project, port);
    expect(await second.says("Stop: Ctrl-C")).toContain("npm run admin issue ip=127.0.0.1");
    expect(second.output()).not.toContain("itk_example");
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s answers what is running and stops within a second", async (signal) => {
    const [project, port] = [await projectFixture(), await freePort()];
    const service = start(project, port);
    await service.says("Stop: Ctrl-C");
    const answer = fetch(`http://127.0.0.1:${port}/slow`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const since = performance.now();
    service.child.kill(signal);

    expect(await (await answer).text()).toBe("done");
    expect(await service.ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(1000);
    await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow();
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("stops when the npm that started it is ended by %s", async (signal) => {
    const [project, port] = [await projectFixture(), await freePort()];
    const npm = run(project, ["--eval", startThroughShell], { PORT: String(port), npm_lifecycle_event: "start" });
    await npm.says("Stop: Ctrl-C");
    npm.child.kill(signal);

    const isServing = () => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false);
    await expect.poll(isServing).toBe(false);
  });

  test("kill -9 leaves no port held and loses nothing that was acknowledged", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    const service = start(project, port);
    await service.says("Stop: Ctrl-C");
    for (const id of ["a", "b", "c"]) {
      expect(await admin(project, port, ["issue", `id=${id}`, "ip=127.0.0.1"]).ended).toBe(0);
    }
    service.child.kill("SIGKILL");
    await service.ended;

    const again = start(project, port);
    await again.says("Stop: Ctrl-C");
    const list = admin(project, port, ["list"]);
    await list.ended;
    expect(JSON.parse(list.output()).tokens.toSorted()).toEqual(["a", "b", "c", "first"]);
  });

  test.each([
    [0, "the API"],
    [1, "the Lambda Invoke API"],
    [2, "DynamoDB"],
    [3, "the login"],
  ])("a port in use is named with what it was for (PORT + %i)", async (offset, use) => {
    const [project, port] = [await projectFixture(), await freePort()];
    const other = createServer().listen(port + offset, "127.0.0.1");
    await once(other, "listening");
    const service = start(project, port);

    expect(await service.ended).toBe(1);
    expect(service.output()).toContain(`Port ${port + offset}, for ${use}, is in use by another program`);
    expect(service.output()).toContain("PORT=4000 npm start");
    other.close();
  });

  test.each(["http", "65533", "0", "3000.5"])("PORT=%s is refused in a sentence", async (PORT) => {
    const service = run(await projectFixture(), ["local/start.mjs"], { PORT });
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(/^PORT is .* from 1 to 65532: choose one, such as PORT=4000 npm start\.\n$/);
  });

  test("a data folder that another run uses is told from a damaged one", async () => {
    const [project, port, otherPort] = [await projectFixture(), await freePort(), await freePort()];
    const service = start(project, port);
    await service.says("Stop: Ctrl-C");
    const other = start(project, otherPort);

    expect(await other.ended).toBe(1);
    expect(other.output()).toContain("Another local run uses the data folder");
  });

  test("a damaged data folder is named, with what to do", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    await mkdir(join(project, ".local/dynamodb"), { recursive: true });
    await writeFile(join(project, ".local/dynamodb/CURRENT"), "MANIFEST-999999\n");
    const service = start(project, port);

    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(/The data in .*\.local\/dynamodb is damaged \(.+\): move that folder away/);
  });

  test("a data folder that cannot be written is named, with what to do", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    await writeFile(join(project, "a-file"), "");
    const service = start(project, port, { DATA_DIR: "a-file/data" });

    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(/The data folder .*a-file\/data.* cannot be written \(.+\): mend it/);
  });

  test.skipIf(process.getuid?.() === 0)("a read-only data folder is no damaged one", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    await mkdir(join(project, ".local/dynamodb"), { recursive: true });
    await chmod(join(project, ".local/dynamodb"), 0o500);
    const service = start(project, port);

    expect(await service.ended).toBe(1);
    expect(service.output()).toContain("cannot be written");
  });

  test("an app that does not synthesise shows its own complaint, and no stack trace of the runner", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    await writeFile(join(project, "infra/app.ts"), 'console.error("no such construct"); process.exit(3);');
    const service = start(project, port);

    expect(await service.ended).toBe(1);
    expect(service.output()).toContain("no such construct");
    expect(service.output()).toContain("The stack could not be synthesised");
    expect(service.output()).not.toContain("LocalError");
  });

  test("a DynamoDB that does not answer is named", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    const service = start(project, port, { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port + 2}` });

    expect(await service.ended).toBe(1);
    expect(service.output()).toContain(`The DynamoDB at http://127.0.0.1:${port + 2} did not`);
    expect(service.output()).toContain("ECONNREFUSED");
  });
});

describe("npm run admin", { timeout }, () => {
  test("sends fields as texts, and grace_seconds and limit as numbers", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    await start(project, port).says("Stop: Ctrl-C");
    const echo = admin(project, port, ["echo", "ip=10.0.0.1", "comment=billing = sync", "grace_seconds=60", "limit=5"]);
    const refused = admin(project, port, ["refuse"]);

    expect(await echo.ended).toBe(0);
    expect(JSON.parse(echo.output())).toEqual({
      ip: "10.0.0.1",
      comment: "billing = sync",
      grace_seconds: 60,
      limit: 5,
    });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toBe("The ip field is required.\n");
  });

  test("says so when the service does not run, and shows its usage without words", async () => {
    const [project, port] = [await projectFixture(), await freePort()];
    const alone = admin(project, port, ["list"]);
    const usage = admin(project, port, []);

    expect(await alone.ended).toBe(1);
    expect(alone.output()).toMatch(/^No service answers at http:\S+: start it with npm start/);
    expect(await usage.ended).toBe(0);
    expect(usage.output()).toMatch(/^Usage: npm run admin/);
  });
});
