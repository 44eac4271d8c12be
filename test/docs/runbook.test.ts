import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requirePrograms } from "../support/programs.ts";
import { startService, type TestService } from "../support/service.ts";

describe("the commands of the runbook do what they promise", { timeout: 60_000 }, () => {
  let service: TestService;
  let runbook: string;
  beforeAll(async () => {
    service = await startService();
    runbook = await readFile(new URL("../../docs/runbook.md", import.meta.url), "utf8");
  });
  afterAll(() => service.close());
  beforeEach((context) => requirePrograms(context, "aws", "jq", "bash"));

  /** The commands of a section, or those before the first section. */
  const commandsOf = (section: string): string => {
    const text = runbook.split(/^(?:#{2,3} |# (?=Runbook))/m).find((part) => part.startsWith(`${section}\n`)) ?? "";
    return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join("\n");
  };
  const shared = () => /^# One action.*?^}\n# Every.*?^}$/ms.exec(commandsOf("Runbook"))?.[0] ?? "";

  const run = async (script: string): Promise<string> => {
    const isVersion1 = /aws-cli\/1\./.test(spawnSync("aws", ["--version"], { encoding: "utf8" }).stdout);
    // Version 1 of the AWS command line takes payloads unencoded, and does not have the option for that.
    const commands = isVersion1 ? script.replaceAll("--cli-binary-format raw-in-base64-out", "") : script;
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], {
      cwd: tmpdir(),
      env: {
        ...process.env,
        AWS_ENDPOINT_URL_LAMBDA: service.invokeUrl,
        AWS_ENDPOINT_URL_DYNAMODB: service.dynamodbUrl,
        AWS_DEFAULT_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "operator",
        AWS_SECRET_ACCESS_KEY: "operator",
        ADMIN: "admin:live",
        KEYS: "KeysTable",
        TOKENS: "TokensTable",
      },
    });
    return stdout;
  };
  const statesOf = async (ip: string) => {
    const { tokens } = (await service.admin({ action: "list" })) as { tokens: { ip: string; state: string }[] };
    return tokens.filter((token) => token.ip === ip).map(({ state }) => state);
  };

  test("all tokens of one address are revoked, and no others", async () => {
    for (const ip of ["198.51.100.7", "198.51.100.7", "198.51.100.8"]) await service.issueToken(ip);
    await run(`${shared()}\n${commandsOf("Revoke all tokens of one address")}`);

    expect(await statesOf("198.51.100.7")).toEqual(["revoked", "revoked"]);
    expect(await statesOf("198.51.100.8")).toEqual(["active"]);
  });

  test("every active token gets a successor, and the text of each successor is printed", async () => {
    await service.issueToken("198.51.100.9", { comment: "a client" });
    const script = commandsOf("Rotate everything after a leak").replace(">new-tokens.txt", "");
    const lines = (await run(`${shared()}\n${script}`)).trim().split("\n");

    expect(lines).toContainEqual(expect.stringMatching(/^198\.51\.100\.9\ta client\titk_\w+$/));
    expect(await statesOf("198.51.100.9")).toEqual(["active", "active"]);
  });

  test("a key with a percent sign, which version 1.0 stored, is found and deleted, and no other key is", async () => {
    const form = { key_id: "100", v_code: "v".repeat(64) };
    await service.call("POST", "/api/v1/key", { form });
    const item = `{"key_id": {"S": "100%"}, "v_code": {"S": "${form.v_code}"}, "created_at": {"S": "2026-11-21T10:15:30.123Z"}, "updated_at": {"S": "2026-11-21T10:15:30.123Z"}}`;
    await run(`aws dynamodb put-item --table-name "$KEYS" --item '${item}'`);
    const printed = await run(commandsOf("Delete a key with a percent sign"));

    expect(printed.trim()).toBe("100%");
    const { keys } = (await service.admin({ action: "list_keys", limit: 1000 })) as { keys: { key_id: string }[] };
    expect(keys.map(({ key_id }) => key_id)).toEqual(["100"]);
  });

  test("a restored table is copied into the one in use", async () => {
    for (let count = 0; count < 30; count += 1) {
      await service.call("POST", "/api/v1/key", { form: { key_id: `key-${count}`, v_code: "v".repeat(64) } });
    }
    const keys = await run("aws dynamodb scan --table-name KeysTable --select COUNT --query Count");
    const [definition = ""] = /^copy\(\) \{.*?^\}$/ms.exec(commandsOf("Restore a table")) ?? [];
    const createTable = `aws dynamodb create-table --table-name restored-keys --billing-mode PAY_PER_REQUEST
      --attribute-definitions AttributeName=key_id,AttributeType=S --key-schema AttributeName=key_id,KeyType=HASH`;
    const printed = await run(`
      ${createTable.replaceAll("\n", " ")} >/dev/null
      aws dynamodb wait table-exists --table-name restored-keys
      ${definition}
      copy "$KEYS" restored-keys`);

    expect(printed.trim().split("\n")).toEqual(["0", "0"]);
    expect(await run("aws dynamodb scan --table-name restored-keys --select COUNT --query Count")).toBe(keys);
  });
});

test("the runbook mentions every saved query", async () => {
  const runbook = await readFile(new URL("../../docs/runbook.md", import.meta.url), "utf8");
  const queries = await readFile(new URL("../../infra/monitoring/queries.ts", import.meta.url), "utf8");

  for (const [, name] of queries.matchAll(/query\("(.+?)"/g)) expect(runbook.replaceAll("\n", " ")).toContain(name);
});
