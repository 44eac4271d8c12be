import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { api } from "../../../lambdas/api.ts";
import {
  connectToService,
  domainVariable,
  type SendToService,
} from "../../../lambdas/shared/aws/connect-to-service.ts";
import { startTestService } from "../../../test/kit/support/running-service.ts";
import { apiEvent } from "../../support/events.ts";
import { type Outcome, type Trial, UsageError } from "../conduct.ts";

/*
 * Measures a deployed stage from outside and by direct invocations. Writes everything to one file, so that people without an
 * account can rely on measurements instead of assumptions. `npm test` runs the same code against the local run.
 */

const file = "aws-measurements.json";

const variables = {
  BASE_URL: "the output BaseUrl of the stack",
  TOKEN: "a token for the address of this machine",
  FUNCTION: "the name or ARN of the function v1-get-token",
  AWS_REGION: "the region of the stage",
  AWS_ACCESS_KEY_ID: "of a role that may invoke and configure the function",
  AWS_SECRET_ACCESS_KEY: "the same",
};

interface Target {
  baseUrl: string;
  token: string;
  functionName: string;
  /** Sends a request to Lambda. */
  send: SendToService;
}

const readTarget = (): Target => {
  const missing = Object.entries(variables).filter(([name]) => !process.env[name]);
  if (missing.length > 0) {
    const lines = missing.map(([name, content]) => `  ${name.padEnd(22)} ${content}`);
    throw new UsageError(`These environment variables are missing:\n${lines.join("\n")}`);
  }
  process.env[domainVariable] ??= "amazonaws.com";
  const { BASE_URL = "", TOKEN = "", FUNCTION = "" } = process.env;
  return { baseUrl: BASE_URL, token: TOKEN, functionName: FUNCTION, send: connectToService("lambda", { retries: 2 }) };
};

/** How often each thing is measured. */
const counts = { calls: 200, coldStarts: 20, warmCalls: 100 };
const smokeCounts = { calls: 3, coldStarts: 2, warmCalls: 2 };
const memories = [128, 512];

/** Paths for which AWS's documentation does not say how API Gateway passes them on. */
const oddPaths = ["a+b", "a%2Bb", "a%20b", "a%5Cb", "a%3Bb", "a//b", "a/", "a/../b", "a/%2E%2E/b", "a%2Fb", "a%25b"];

export const measureAws = async ({ isSmoke, assembly, progress, say }: Trial): Promise<Outcome> => {
  if (isSmoke) {
    const service = await startTestService(api, { assemblyDirectory: await assembly() });
    const target = { ...service, token: await service.issueToken(), functionName: "v1-get-token" };
    const found = await measure({ ...target, send: localLambda(service.invokeUrl) }, smokeCounts, progress);
    await service.close();
    const lacking = found.functions.filter(({ warm, first }) => !(warm.p50 > 0) || first.p50 < 0);
    const changed = Object.entries(found.paths).filter(([, outcome]) => !/^\d{3} \w+$/.test(outcome));
    return { problems: [...lacking, ...changed].map((one) => `It was not measured: ${JSON.stringify(one)}`) };
  }
  const measurements = await measure(readTarget(), counts, progress);
  await writeFile(file, `${JSON.stringify(measurements, undefined, 2)}\n`);
  say(`Everything is in ${file}, without names and secrets. Please attach it to an issue.`);
  return { problems: [] };
};

const measure = async (
  target: Target,
  { calls, coldStarts, warmCalls }: typeof counts,
  progress: Trial["progress"],
) => {
  progress("calls of the API");
  const milliseconds: number[] = [];
  let ip = "";
  for (let call = 0; call < calls; call += 1) {
    const startedAt = performance.now();
    const { status, body } = await get(target, "/api/v1/token");
    milliseconds.push(performance.now() - startedAt);
    if (status !== 200) throw new UsageError(`GET /api/v1/token responded with ${status}: ${body}`);
    ip = tokenShape.parse(JSON.parse(body)).ip;
  }
  const paths: Record<string, string> = {};
  for (const path of oddPaths) {
    const sent = `/api/v1/key/${path}`;
    const { status, body } = await get(target, sent, { "x-sent-path": sent });
    paths[path] = `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? "other"}`;
  }
  const functions = await measureFunction(target, { ip, coldStarts, warmCalls, progress });
  const { AWS_REGION: region = "local" } = process.env;
  return { measured_at: new Date().toISOString(), region, calls: percentiles(milliseconds), functions, paths };
};

const tokenShape = z.object({ ip: z.string() });

/** Sends a path unchanged, because `fetch` would normalise it. */
const get = async ({ baseUrl, token }: Target, path: string, headers: Record<string, string> = {}) => {
  const { protocol, hostname, port } = new URL(baseUrl);
  const request = protocol === "https:" ? httpsRequest : httpRequest;
  const sent = request({ hostname, port, path, headers: { accept: "application/json", "x-token": token, ...headers } });
  sent.end();
  const [response] = await once(sent, "response");
  return { status: Number(response.statusCode), body: await text(response) };
};

const configurationShape = z.object({
  MemorySize: z.number(),
  LastUpdateStatus: z.optional(z.string()),
  Environment: z.optional(z.object({ Variables: z.record(z.string(), z.string()) })),
});

/** Measures the latest version, which receives no calls from clients, with each memory size. Then restores the settings. */
const measureFunction = async (
  { send, functionName, token, baseUrl }: Target,
  {
    ip,
    coldStarts,
    warmCalls,
    progress,
  }: { ip: string; coldStarts: number; warmCalls: number; progress: Trial["progress"] },
) => {
  const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}`;
  const configuration = async () =>
    configurationShape.parse(await (await send(`${path}/configuration`, { method: "GET" })).json());
  const configure = async (MemorySize: number, Variables: Record<string, string>) => {
    const body = JSON.stringify({ MemorySize, Environment: { Variables } });
    await send(`${path}/configuration`, { method: "PUT", body });
    while ((await configuration()).LastUpdateStatus === "InProgress") await wait(500);
  };
  const [routeKey, rawPath] = ["GET /api/v1/token", "/api/v1/token"];
  const headers = { accept: "application/json", "x-token": token };
  const event = JSON.stringify(apiEvent({ routeKey, rawPath, headers, sourceIp: ip }));
  const invoke = async () => {
    const response = await send(`${path}/invocations`, { headers: { "x-amz-log-type": "Tail" }, body: event });
    const { statusCode } = z.object({ statusCode: z.number() }).parse(await response.json());
    if (statusCode !== 200) throw new Error(`The function of ${baseUrl} responded with ${statusCode}.`);
    return readReport(Buffer.from(response.headers.get("x-amz-log-result") ?? "", "base64").toString());
  };

  const before = await configuration();
  const variables = before.Environment?.Variables ?? {};
  try {
    const measured = [];
    for (const memory of memories) {
      const [first, warm]: [Report[], Report[]] = [[], []];
      for (let start = 0; start < coldStarts; start += 1) {
        progress(`${memory} MB: cold start ${start + 1}`);
        // Changing the environment variables makes Lambda start new execution environments.
        await configure(memory, { ...variables, MEASURED: `${memory}-${start}` });
        first.push(await invoke());
      }
      for (let call = 0; call < warmCalls; call += 1) warm.push(await invoke());
      measured.push({
        memory,
        init: percentiles(first.map(({ init }) => init)),
        first: percentiles(first.map(({ duration }) => duration)),
        // Whether V8 accepted the code caches of the cold starts.
        code_cache: countsOf(first.map(({ codeCache }) => codeCache)),
        first_billed: percentiles(first.map(({ billed }) => billed)),
        warm: percentiles(warm.map(({ duration }) => duration)),
        warm_billed: percentiles(warm.map(({ billed }) => billed)),
        used_memory: Math.max(...[...first, ...warm].map(({ used }) => used)),
      });
    }
    return measured;
  } finally {
    await configure(before.MemorySize, variables);
  }
};

interface Report extends Record<"init" | "duration" | "billed" | "used", number> {
  /** `accepted`, `rejected`, or `none`. */
  codeCache: string;
}

const countsOf = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    Map.groupBy(values, (value) => value)
      .entries()
      .map(([value, all]) => [value, all.length]),
  );

/** Parses Lambda's report on an invocation, which is text or JSON. Returns milliseconds and megabytes, or 0 for missing values. */
const readReport = (log: string): Report => {
  const find = (plain: string, json: string): number =>
    Number((new RegExp(`${plain}: ([\\d.]+)`).exec(log) ?? new RegExp(`"${json}":([\\d.]+)`).exec(log))?.[1] ?? 0);
  return {
    init: find("Init Duration", "initDurationMs"),
    duration: find("\\tDuration", "durationMs"),
    billed: find("Billed Duration", "billedDurationMs"),
    used: find("Max Memory Used", "maxMemoryUsedMB"),
    codeCache: /"code_cache":"(\w+)"/.exec(log)?.[1] ?? "none",
  };
};

const percentiles = (values: readonly number[]) => {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10;
  return { count: values.length, p50: at(0.5), p99: at(0.99) };
};

/** Acts as Lambda in a local run, whose functions keep their settings. */
const localLambda =
  (url: string): SendToService =>
  async (path, request) => {
    if (!path.endsWith("/configuration")) return fetch(url + path, { method: "POST", ...request });
    return Response.json({ MemorySize: 256, LastUpdateStatus: "Successful" });
  };
