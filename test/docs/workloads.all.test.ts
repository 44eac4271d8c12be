import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseYaml } from "@redocly/openapi-core";
import { beforeAll, expect, onTestFinished, type TestContext, test } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../lambdas/admin/actions.ts";
import { exampleTrust } from "../../lambdas/domain/tokens/tokens-table.ts";
import { readCommand } from "../../local/admin/read-command.ts";
import { requirePrograms } from "../support/programs.ts";
import { sharedService, type TestService } from "../support/service.ts";

const read = (name: string) => readFile(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
const [chapter, scripts] = await Promise.all([read("guide/workloads"), read("scripts")]);

/** Returns a document's code with the addresses of the running service. */
const blocks = (language: string, document = chapter): string[] =>
  [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = ""]) =>
    name === language
      ? code
          .replaceAll(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:3000/g, service.baseUrl)
          .replaceAll("http://127.0.0.1:3003", String(service.loginUrl))
      : [],
  );

const workflowSchema = z.object({
  permissions: z.object({ "id-token": z.literal("write") }),
  jobs: z.object({
    call: z.object({
      env: z.record(z.string(), z.string()),
      steps: z.tuple([
        z.object({ id: z.literal("exchange"), shell: z.literal("bash"), run: z.string() }),
        z.object({ env: z.object({ TOKEN: z.literal(`\${{ steps.exchange.outputs.token }}`) }), run: z.string() }),
      ]),
    }),
  }),
});
const jobSchema = z.object({
  call: z.object({
    id_tokens: z.object({ INTEGRATION_JWT: z.object({ aud: z.string() }) }),
    script: z.tuple([z.string()]),
  }),
});
const podSchema = z.object({ spec: z.object({ containers: z.tuple([z.object({ command: z.array(z.string()) })]) }) });

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
  const create = /^node local\/admin\.mjs (create_trust .*)$/m.exec(scripts)?.[1] ?? "";
  const command = readCommand(create.split(" "), actions);
  await service.admin("event" in command ? command.event : null);
});

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-workloads-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

/** Runs a script as GitHub's runner does. A failure has the output as its message. */
const run = async (context: TestContext, script: string, env: Record<string, string> = {}): Promise<string> => {
  requirePrograms(context, "bash", "curl", "jq");
  const words = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
  return promisify(execFile)("bash", words, { env: { PATH: process.env.PATH, ...env } }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)),
  );
};

test("the laptop commands exchange a JWT for a token, make the first call, and show the JWT's claims", async (context) => {
  const exchange = blocks("text", scripts).at(-1) ?? "";
  const [decode = ""] = blocks("text");
  expect(JSON.parse(await run(context, exchange))).toMatchObject({ ip: "127.0.0.1", seen_ip: "127.0.0.1" });
  const claims = await run(context, decode, { JWT: await service.workloadJwt() });
  expect(JSON.parse(claims)).toMatchObject({ iss: exampleTrust.issuer, sub: exampleTrust.subject });
});

test("the GitHub workflow exchanges a JWT for a masked token, or shows the reason for a rejection", async (context) => {
  const { env, steps } = workflowSchema.parse(parseYaml(blocks("yaml")[0] ?? "")).jobs.call;
  const [{ run: script }, call] = steps;
  const output = join(await newFolder(), "output");
  const exchange = (subject: string) =>
    run(context, script, {
      ...env,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "platform",
      ACTIONS_ID_TOKEN_REQUEST_URL: `${service.loginUrl}/workloads/token?${new URLSearchParams({ subject })}`,
      GITHUB_OUTPUT: output,
    });

  const printed = await exchange(exampleTrust.subject);
  const [, token = ""] = /^token=(itk_\w+)\n$/.exec(await readFile(output, "utf8")) ?? [];
  expect(printed).toBe(`::add-mask::${token}\n`);
  expect(await run(context, call.run, { ...env, TOKEN: token })).toContain('"seen_ip":"127.0.0.1"');

  await expect(exchange("repo:acme/other:ref:refs/heads/main")).rejects.toThrow(/^::error::.*jwt_refused/);
  await expect(run(context, script)).rejects.toThrow("id-token: write");
});

test("the GitLab job exchanges its JWT and makes a call, or shows the reason for a rejection", async (context) => {
  const { id_tokens, script } = jobSchema.parse(parseYaml(blocks("yaml")[1] ?? "")).call;
  expect(id_tokens.INTEGRATION_JWT.aud).toBe(service.baseUrl);
  const INTEGRATION_JWT = await service.workloadJwt();

  expect(await run(context, script[0], { INTEGRATION_JWT })).toContain('"seen_ip":"127.0.0.1"');
  await expect(run(context, script[0], { INTEGRATION_JWT })).rejects.toThrow("jwt_used");
});

test("the commands for AWS exchange the JWT that AWS returns, and make a call", async (context) => {
  const folder = await newFolder();
  const aws = `#!/bin/sh\n[ "$1 $2 $4" = "sts get-web-identity-token ${service.baseUrl}" ] && echo "$JWT"\n`;
  await writeFile(join(folder, "aws"), aws, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, JWT: await service.workloadJwt() };

  expect(await run(context, blocks("text").at(-1) ?? "", env)).toContain('"seen_ip":"127.0.0.1"');
});

test("the pod exchanges the JWT from its Kubernetes file, and makes a call", async (context) => {
  const pod = parseYaml(blocks("yaml").at(-1) ?? "");
  const [mountPath, path] = ["/var/run/integration", "jwt"];
  const serviceAccountToken = { path, audience: service.baseUrl, expirationSeconds: 600 };
  expect(pod).toMatchObject({
    spec: {
      containers: [{ volumeMounts: [{ name: "identity", mountPath }] }],
      volumes: [{ name: "identity", projected: { sources: [{ serviceAccountToken }] } }],
    },
  });
  const folder = await newFolder();
  await writeFile(join(folder, path), await service.workloadJwt());
  const [{ command }] = podSchema.parse(pod).spec.containers;
  expect(command.slice(0, -1)).toEqual(["sh", "-c"]);
  const script = String(command.at(-1)).replaceAll(mountPath, folder);

  expect(await run(context, script)).toContain('"seen_ip":"127.0.0.1"');
  await expect(run(context, script)).rejects.toThrow("jwt_used");
});
