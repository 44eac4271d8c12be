import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { isSigned } from "../support/aws-signature.ts";
import { type AwsRequest, startAwsStub } from "../support/aws-stub.ts";

/*
 * The bundle of the version check as it is deployed, in a process of its own. The local run stands in for Lambda, and a stub
 * for CodeDeploy.
 */

const secretAccessKey = "secret";
const names = functionsOf(api).flatMap(({ name, kind }) => (kind === "check" ? [] : [name]));

let folder: string;
let service: LocalService;
let environment: Record<string, string>;
let bundle: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-version-check-"));
  const assembly = inject("assemblyDirectory");
  service = await startLocalService({ port: 0, dataDirectory: join(folder, "data"), assembly });
  const places = { environment: localAwsEnvironment(), baseUrl: service.baseUrl, loginUrl: service.baseUrl };
  const { functions } = await readApplication(assembly, places);
  environment = functions.find(({ name }) => name === "version-check")?.environment ?? {};
  bundle = join(service.codeDirectoryOf("version-check") ?? "", "index.js");
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});
/** Whether a test has replaced a function's code or rights. */
let isBroken = false;
afterEach(async () => {
  if (isBroken) await service.reload(inject("assemblyDirectory"));
  isBroken = false;
});

const targetOf = ({ headers }: AwsRequest) => String(headers["x-amz-target"]);

interface Verdict {
  status: unknown;
  log: Record<string, unknown>[];
  requests: AwsRequest[];
}

/** Runs the check as CodeDeploy does for a deployment of this group. */
const check = async (deploymentGroupName: string, more: Record<string, string> = {}): Promise<Verdict> => {
  const codeDeploy = await startAwsStub((request) =>
    targetOf(request).endsWith(".GetDeployment") ? { body: { deploymentInfo: { deploymentGroupName } } } : { body: {} },
  );
  onTestFinished(codeDeploy.close);
  const event = { DeploymentId: "d-1", LifecycleEventHookExecutionId: "hook-1" };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      "--eval",
      `require(${JSON.stringify(bundle)}).handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 60_000 })`,
    ],
    {
      env: {
        ...environment,
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_SESSION_TOKEN: "session",
        AWS_ENDPOINT_URL_CODEDEPLOY: codeDeploy.url,
        AWS_ENDPOINT_URL_LAMBDA: service.invokeUrl,
        ...more,
      },
    },
  );
  const reports = codeDeploy.requests.filter((request) => targetOf(request).endsWith("HookExecutionStatus"));
  expect(reports.map(({ body }) => JSON.parse(body))).toEqual([
    { deploymentId: "d-1", lifecycleEventHookExecutionId: "hook-1", status: expect.any(String) },
  ]);
  return {
    status: JSON.parse(reports[0]?.body ?? "").status,
    log: stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    requests: codeDeploy.requests,
  };
};

/** Replaces a function by code in a new folder; `original` is the path of its bundle. */
const replaceCode = async (name: string, code: (original: string) => string): Promise<void> => {
  const directory = await mkdtemp(join(folder, "broken-"));
  const original = join(service.codeDirectoryOf(name) ?? "", "index.js");
  await writeFile(join(directory, "index.js"), code(JSON.stringify(original)));
  service.replaceCode(name, directory);
  isBroken = true;
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
    const variables = Object.keys(await variablesOf(name)).filter((variable) => variable.endsWith("_TABLE"));
    expect(variables).not.toEqual([]);
    for (const variable of variables) {
      await replaceCode(name, (bundled) => `delete process.env.${variable}; module.exports = require(${bundled});`);

      expect((await check(name)).status, variable).toBe("Failed");
      await service.reload(inject("assemblyDirectory"));
    }
  },
);

test("a version of site that lacks its settings gets no traffic", async () => {
  await replaceCode("site", (bundled) => `delete process.env.LOGIN_CLIENT_ID; module.exports = require(${bundled});`);

  expect((await check("site")).status).toBe("Failed");
});

const variablesOf = async (name: string): Promise<Record<string, string>> => {
  const places = { environment: localAwsEnvironment(), baseUrl: service.baseUrl, loginUrl: service.baseUrl };
  const { functions } = await readApplication(inject("assemblyDirectory"), places);
  return functions.find((definition) => definition.name === name)?.environment ?? {};
};

test.each(withTables.map(({ name }) => name).filter((name) => name !== "usage"))(
  "a version of %s that may not read the tokens gets no traffic",
  async (name) => {
    await service.reload(await withoutRight(name, /^dynamodb:(GetItem|Scan)$/));
    isBroken = true;
    const { status, log } = await check(name);

    expect(status).toBe("Failed");
    expect(log[0]?.cause).toContain("internal_error");
  },
);

/** The assembly without a right of one function's role. */
const withoutRight = async (name: string, right: RegExp): Promise<string> => {
  const assembly = await mkdtemp(join(folder, "assembly-"));
  await mkdir(assembly, { recursive: true });
  await cp(inject("assemblyDirectory"), assembly, { recursive: true });
  const file = join(assembly, "IntegrationApi.template.json");
  const template = JSON.parse(await readFile(file, "utf8"));
  const policies = Object.entries<{ Properties: { PolicyDocument: { Statement: { Action: string | string[] }[] } } }>(
    template.Resources,
  ).filter(([id]) => id.startsWith(`${name.replaceAll("-", "")}roleDefaultPolicy`));
  for (const [, { Properties }] of policies) {
    Properties.PolicyDocument.Statement = Properties.PolicyDocument.Statement.flatMap((statement) => {
      const rest = [statement.Action].flat().filter((action) => !right.test(action));
      return rest.length > 0 ? [{ ...statement, Action: rest }] : [];
    });
  }
  await writeFile(file, JSON.stringify(template));
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
    const { status, requests } = await check("v1-get-key", { AWS_ENDPOINT_URL_LAMBDA: lambda.url });

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

    expect((await check("v1-get-key", { AWS_ENDPOINT_URL_LAMBDA: lambda.url })).status).toBe("Succeeded");
    expect(calls).toBe(3);
  });

  test("stop the deployment if Lambda refuses them", async () => {
    const lambda = await startAwsStub(() => ({ status: 403, body: { Message: "not authorised" } }));
    onTestFinished(lambda.close);
    const { status, log } = await check("v1-get-key", { AWS_ENDPOINT_URL_LAMBDA: lambda.url });

    expect(status).toBe("Failed");
    expect(log[0]?.cause).toContain('lambda answered 403: {"Message":"not authorised"}');
  });
});
