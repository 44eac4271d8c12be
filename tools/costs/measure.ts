import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalService, type Outcome, startLocalService } from "cdk-local-runner";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/api.ts";
import { synthesise } from "../../local/synthesise.ts";
import { type Measured, measuredFile } from "./measured.ts";

const calls = 300;
const pageOfKeys = 100;

/** A request to each endpoint: `n` is different each time. */
const samples: Readonly<Record<string, (n: number) => { path: string; form?: Record<string, string> }>> = {
  "v1-create-key": (n) => ({ path: "/api/v1/key", form: { key_id: `new-${n}`, v_code: "v".repeat(64) } }),
  "v1-list-keys": () => ({ path: "/api/v1/key" }),
  "v1-get-key": (n) => ({ path: `/api/v1/key/${n % pageOfKeys}` }),
  "v1-replace-key": (n) => ({ path: `/api/v1/key/${n % pageOfKeys}`, form: { v_code: "w".repeat(64) } }),
  "v1-get-token": () => ({ path: "/api/v1/token" }),
  "v1-delete-key": (n) => ({ path: `/api/v1/key/new-${n}` }),
};

/** Calls every endpoint in the local run, on the bundles and in the threads that it runs there, and writes what it took. */
const measure = async (service: LocalService, token: string): Promise<Measured["endpoints"]> => {
  const call = async (name: string, method: string, n: number) => {
    const sample = samples[name];
    if (!sample) throw new Error(`There is no sample of a request to ${name}: write one in tools/costs/measure.ts.`);
    const { path, form } = sample(n);
    const outcome = await service.invoke(name, {
      version: "2.0",
      routeKey: `${method} ${path}`,
      rawPath: path,
      rawQueryString: "",
      headers: {
        accept: "application/json",
        "x-token": token,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      },
      pathParameters: { key_id: path.split("/").at(-1) },
      requestContext: {
        requestId: crypto.randomUUID(),
        http: { method, path, sourceIp: "127.0.0.1", protocol: "HTTP/1.1", userAgent: "" },
      },
      isBase64Encoded: false,
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    const { statusCode } = JSON.parse(outcome.payload);
    if (statusCode >= 300) throw new Error(`${name} answered ${statusCode}: ${outcome.payload}`);
    return outcome;
  };

  for (let n = 0; n < pageOfKeys; n += 1) {
    const form = { key_id: String(n), v_code: "v".repeat(64) };
    const headers = { accept: "application/json", "x-token": token };
    await fetch(`${service.baseUrl}/api/v1/key`, { method: "POST", headers, body: new URLSearchParams(form) });
  }

  const endpoints: Measured["endpoints"] = {};
  const order = Object.keys(samples);
  const operations = operationsOf(api).toSorted(
    (a, b) => order.indexOf(a.functionName) - order.indexOf(b.functionName),
  );
  for (const { functionName, endpoint } of operations) {
    const outcomes: Outcome[] = [];
    for (let n = 0; n < calls; n += 1) outcomes.push(await call(functionName, endpoint.method, n));
    const median = (of: (outcome: Outcome) => number) => outcomes.map(of).toSorted((a, b) => a - b)[calls / 2] ?? 0;
    endpoints[functionName] = {
      milliseconds: Number(median(({ durationMilliseconds }) => durationMilliseconds).toFixed(1)),
      logBytes: median(({ log }) => Buffer.byteLength(log)),
      answerBytes: median(({ payload }) => Buffer.byteLength(payload)),
    };
  }
  return endpoints;
};

const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-measure-"));
const service = await startLocalService({ port: 0, dataDirectory, assembly: () => synthesise(dataDirectory) });
const { payload } = await service.invoke("admin", { action: "issue", ip: "127.0.0.1" });
const endpoints = await measure(service, JSON.parse(payload).token);
await service.close();
await rm(dataDirectory, { recursive: true });

const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, embedded DynamoDB`;
await writeFile(measuredFile, `${JSON.stringify({ machine, endpoints } satisfies Measured, null, 2)}\n`);
