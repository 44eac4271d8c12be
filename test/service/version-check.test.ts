import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { type Application, localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { isSigned } from "../support/aws-signature.ts";
import { type AwsRequest, startAwsStub } from "../support/aws-stub.ts";

/*
 * The bundle of the version check as it is deployed, in a thread with its own environment. The local run stands in for Lambda,
 * and a stub for CodeDeploy.
 */

const secretAccessKey = "secret";
const names = functionsOf(api).flatMap(({ name, kind }) => (kind === "check" ? [] : [name]));

let folder: string;
let service: LocalService;
let functions: Application["functions"];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-version-check-"));
  const assembly = inject("assemblyDirectory");
  service = await startLocalService({ port: 0, dataDirectory: join(folder, "data"), assembly });
  const places = { environment: localAwsEnvironment(), baseUrl: service.baseUrl, loginUrl: service.baseUrl };
  ({ functions } = await readApplication(assembly, places));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});
/** The functions whose code a test has replaced. */
const broken = new Set<string>();
afterEach(() => {
  for (const name of broken) service.replaceCode(name, definitionOf(name).codeDirectory);
  broken.clear();
});

const definitionOf = (name: string) => {
  const found = functions.find((definition) => definition.name === name);
  if (!found) throw new Error(`There is no function ${name}.`);
  return found;
};

const targetOf = ({ headers }: AwsRequest) => String(headers["x-amz-target"]);

interface Verdict {
  status: unknown;
  log: Record<string, unknown>[];
  requests: AwsRequest[];
}

type Check = (deploymentGroupName: string) => Promise<Verdict>;

/** An execution environment of the check. `check` invokes it as CodeDeploy does for a deployment of this group. */
const startCheck = async (lambdaUrl: string): Promise<{ check: Check; close(): Promise<void> }> => {
  let deploymentGroupName: string;
  const codeDeploy = await startAwsStub((request) =>
    targetOf(request).endsWith(".GetDeployment") ? { body: { deploymentInfo: { deploymentGroupName } } } : { body: {} },
  );
  const event = { DeploymentId: "d-1", LifecycleEventHookExecutionId: "hook-1" };
  const { codeDirectory, environment } = definitionOf("version-check");
  const thread = new Worker(
    `const { parentPort } = require("node:worker_threads");
    const { handler } = require(${JSON.stringify(join(codeDirectory, "index.js"))});
    let output;
    process.stdout.write = (text) => Boolean((output += text));
    parentPort.on("message", async (event) => {
      output = "";
      await handler(event, { getRemainingTimeInMillis: () => 60_000 });
      parentPort.postMessage(output);
    });`,
    {
      eval: true,
      env: {
        ...environment,
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_SESSION_TOKEN: "session",
        AWS_ENDPOINT_URL_CODEDEPLOY: codeDeploy.url,
        AWS_ENDPOINT_URL_LAMBDA: lambdaUrl,
      },
    },
  );
  const ended = new AbortController();
  thread.once("exit", () => ended.abort(new Error("The check ended without an answer.")));
  return {
    async check(group) {
      deploymentGroupName = group;
      const earlier = codeDeploy.requests.length;
      thread.postMessage(event);
      const [output] = await once(thread, "message", { signal: ended.signal });
      const requests = codeDeploy.requests.slice(earlier);
      const reports = requests.filter((request) => targetOf(request).endsWith("HookExecutionStatus"));
      expect(reports.map(({ body }) => JSON.parse(body))).toEqual([
        { deploymentId: "d-1", lifecycleEventHookExecutionId: "hook-1", status: expect.any(String) },
      ]);
      return {
        status: JSON.parse(reports[0]?.body ?? "").status,
        log: String(output)
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
        requests,
      };
    },
    async close() {
      await thread.terminate();
      await codeDeploy.close();
    },
  };
};

/** Runs the check in an execution environment that the tests share. */
let check: Check;
beforeAll(async () => {
  const started = await startCheck(service.invokeUrl);
  ({ check } = started);
  return started.close;
});

/** Runs the check in a new execution environment that calls Lambda at this address. */
const checkWith = async (lambdaUrl: string, deploymentGroupName: string): Promise<Verdict> => {
  const started = await startCheck(lambdaUrl);
  onTestFinished(started.close);
  return started.check(deploymentGroupName);
};

/** Replaces a function by code in a new folder; `original` is the path of its bundle. */
const replaceCode = async (name: string, code: (original: string) => string): Promise<void> => {
  const directory = await mkdtemp(join(folder, "broken-"));
  const original = join(definitionOf(name).codeDirectory, "index.js");
  await writeFile(join(directory, "index.js"), code(JSON.stringify(original)));
  service.replaceCode(name, directory);
  broken.add(name);
};

test.each(names)("a version of %s that works gets traffic", async (name) => {
  const { status, log } = await check(name);

  expect(log).toEqual([expect.objectContaining({ level: "INFO", message: "version_checked", version: `${name}:1` })]);
  expect(status).toBe("Succeeded");
});

test("the checks read from the database, and change nothing there", async () => {
  const used = new Set((await service.usedRights()).map(({ action }) => action));

  expect(used).toEqual(new Set(["dynamodb:GetItem", "dynamodb:Scan"]));
});

/** One function of each kind. */
const examples = [...Map.groupBy(functionsOf(api), ({ kind }) => kind).values()].flatMap(([first]) =>
  first && first.kind !== "check" ? [first.name] : [],
);

describe.each(examples)("a version of %s gets no traffic", (name) => {
  test("if it does not start", async () => {
    await replaceCode(name, () => 'throw new Error("cannot start");');
    const { status, log } = await check(name);

    expect(status).toBe("Failed");
    expect(log).toEqual([
      expect.objectContaining({
        level: "ERROR",
        message: "version_check_failed",
        deployment_id: "d-1",
        cause: expect.stringContaining("cannot start"),
      }),
    ]);
  });

  test("if it gives another answer", async () => {
    await replaceCode(name, () => "exports.handler = async () => ({ statusCode: 200, headers: {}, body: '{}' });");

    expect(await check(name)).toMatchObject({ status: "Failed" });
  });
});

const withTables = functionsOf(api).filter(({ kind, uses }) => kind !== "check" && Object.keys(uses).length > 0);

test.each(withTables.map(({ name }) => name))(
  "a version of %s that lacks a variable of its environment gets no traffic",
  async (name) => {
    const variables = Object.keys(definitionOf(name).environment).filter((variable) => variable.endsWith("_TABLE"));
    expect(variables).not.toEqual([]);
    for (const variable of variables) {
      await replaceCode(name, (bundled) => `delete process.env.${variable}; module.exports = require(${bundled});`);

      expect((await check(name)).status, variable).toBe("Failed");
    }
  },
);

test("a version of site that lacks its settings gets no traffic", async () => {
  await replaceCode("site", (bundled) => `delete process.env.LOGIN_CLIENT_ID; module.exports = require(${bundled});`);

  expect((await check("site")).status).toBe("Failed");
});

describe("without the right to read the tables", () => {
  beforeAll(async () => service.reload(await withoutRights(/^dynamodb:(GetItem|Scan)$/)));
  afterAll(() => service.reload(inject("assemblyDirectory")));

  test.each(withTables.map(({ name }) => name).filter((name) => name !== "usage"))(
    "a version of %s gets no traffic",
    async (name) => {
      const { status, log } = await check(name);

      expect(status).toBe("Failed");
      expect(log[0]?.cause).toMatch(name === "notices" ? /AccessDenied/ : /internal_error/);
    },
  );
});

/** The assembly without some rights of the functions' roles. */
const withoutRights = async (rights: RegExp): Promise<string> => {
  const original = inject("assemblyDirectory");
  const assembly = await mkdtemp(join(folder, "assembly-"));
  const stack = "IntegrationApi.template.json";
  await cp(original, assembly, { recursive: true });
  const allowed = (actions: string | string[]) =>
    typeof actions === "string" && !rights.test(actions)
      ? actions
      : [actions].flat().filter((action) => !rights.test(action));
  const template = JSON.parse(await readFile(join(original, stack), "utf8"), (name, value) =>
    name === "Action" ? allowed(value) : value,
  );
  await writeFile(join(assembly, stack), JSON.stringify(template));
  return assembly;
};

test("a deployment that belongs to no function does not go on", async () => {
  const { status, log } = await check("other");

  expect(status).toBe("Failed");
  expect(log[0]?.cause).toContain('There is no check for the deployment group "other".');
});

describe("the calls to AWS", () => {
  test("are signed", async () => {
    const lambda = await startAwsStub(() => ({ body: { statusCode: 401, body: '{"code":"token_invalid"}' } }));
    onTestFinished(lambda.close);
    const { status, requests } = await checkWith(lambda.url, "v1-get-key");

    expect(status).toBe("Succeeded");
    expect(lambda.requests.map(({ method, path }) => [method, path])).toEqual([
      ["POST", "/2015-03-31/functions/v1-get-key%3A1/invocations"],
    ]);
    for (const request of [...requests, ...lambda.requests]) expect(isSigned(request, secretAccessKey)).toBe(true);
  });

  test("are repeated if Lambda has no capacity at first", async () => {
    let calls = 0;
    const lambda = await startAwsStub(() => {
      calls += 1;
      return calls < 3
        ? { status: 429, body: { Reason: "ConcurrentInvocationLimitExceeded" } }
        : { body: { statusCode: 401, body: '{"code":"token_invalid"}' } };
    });
    onTestFinished(lambda.close);

    expect((await checkWith(lambda.url, "v1-get-key")).status).toBe("Succeeded");
    expect(calls).toBe(3);
  });

  test("stop the deployment if Lambda refuses them", async () => {
    const lambda = await startAwsStub(() => ({ status: 403, body: { Message: "not authorised" } }));
    onTestFinished(lambda.close);
    const { status, log } = await checkWith(lambda.url, "v1-get-key");

    expect(status).toBe("Failed");
    expect(log[0]?.cause).toContain('lambda answered 403: {"Message":"not authorised"}');
  });
});
