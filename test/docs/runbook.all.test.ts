import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requirePrograms } from "../support/programs.ts";
import { sharedService, type TestService } from "../support/service.ts";

/** The operator's variables. */
const operator = {
  AWS_REGION: "us-east-1",
  AWS_DEFAULT_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "operator",
  AWS_SECRET_ACCESS_KEY: "operator",
  ADMIN: "admin:live",
  KEYS: "KeysTable",
  TOKENS: "TokensTable",
};

/** This project's commands, for use in another folder. */
const npm = `npm() { command npm --silent --prefix "${fileURLToPath(new URL("../..", import.meta.url))}" "$@"; }`;

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await sharedService();
  folder = await mkdtemp(join(tmpdir(), "integration-api-runbook-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach((context) => requirePrograms(context, "aws", "jq", "bash"));

describe("the runbook", () => {
  const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");
  /** Returns the commands of a section, or those before the first section. */
  const commandsOf = (section: string): string => {
    const text = runbook.split(/^(?:#{2,3} |# (?=Runbook))/m).find((part) => part.startsWith(`${section}\n`)) ?? "";
    return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join("\n");
  };
  const shared = () => /^admin\(\).*^}$/ms.exec(commandsOf("Runbook"))?.[0] ?? "";

  const run = async (script: string): Promise<string> => {
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", `${npm}\n${script}`], {
      cwd: folder,
      env: {
        ...process.env,
        AWS_ENDPOINT_URL_LAMBDA: service.invokeUrl,
        AWS_ENDPOINT_URL_DYNAMODB: service.dynamodbUrl,
        ...operator,
      },
    });
    return stdout;
  };
  const statesOf = async (ip: string) => {
    const { tokens } = (await service.admin({ action: "list" })) as { tokens: { ip: string; state: string }[] };
    return tokens.filter((token) => token.ip === ip).map(({ state }) => state);
  };

  test("revokes all tokens of one address, and no others", async () => {
    for (const ip of ["198.51.100.7", "198.51.100.7", "198.51.100.8"]) await service.issueToken(ip);
    await run(`${shared()}\n${commandsOf("Revoke all tokens of one address")}`);

    expect(await statesOf("198.51.100.7")).toEqual(["revoked", "revoked"]);
    expect(await statesOf("198.51.100.8")).toEqual(["active"]);
  });

  test("creates a successor for every active token, and prints each successor's value", async () => {
    await service.issueToken("198.51.100.9", { comment: "a client" });
    const script = commandsOf("Rotate everything after a leak").replace(">>new-tokens.txt", "");
    const lines = (await run(`${shared()}\n${script}`)).trim().split("\n");

    expect(lines).toContainEqual(expect.stringMatching(/^198\.51\.100\.9\ta client\titk_\w+$/));
    expect(await statesOf("198.51.100.9")).toEqual(["active", "active"]);
  });

  test("restores a pool's users in another pool and invites each once, even after repeated failures", async () => {
    const user = (name: string, Enabled = true) => {
      const attributes = { sub: "s", email: `${name}@example.com`, email_verified: "true" };
      const Attributes = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
      return { Username: name, Enabled, Attributes };
    };
    const users = { Users: [user("ann"), user("bob", false), user("cem")] };
    // Replaces commands that only AWS can serve. Records the commands that created users.
    const aws = `aws() {
      case "$2 $*" in
        list-users*--query*) sed -n 's/.*--username \\([^ ]*\\) .*/\\1/p' created.txt | jq -R . | jq -cs . ;;
        list-users*) echo '${JSON.stringify(users)}' ;;
        admin-list-groups-for-user*) echo '["Admin"]' ;;
        get-group*) test ! -e no-groups ;;
        admin-create-user*"--username cem"*) test -e next-day && echo "$*" >>created.txt ;;
        admin-create-user*) echo "$*" >>created.txt ;;
        admin-disable-user*) echo "disable $6" >>others.txt ;;
        admin-add-user-to-group*) echo "add $6 $8" >>others.txt ;;
      esac
    }
    touch created.txt
    output() { echo pool; }`;
    const functionIn = (section: string, name: string) =>
      new RegExp(`^${name}\\(\\) [({]\n.*?^[)}]$`, "ms").exec(commandsOf(section))?.[0] ?? "";
    const restore = functionIn("Region loss", "restore_users");
    const script = `${aws}\n${functionIn("Prepare for the loss of the region", "export_users")}\n${restore}`;
    const created = async () => (await readFile(join(folder, "created.txt"), "utf8")).trim().split("\n");

    await run(`${script}\nexport_users pool users.jsonl`);
    await expect(run(`${script}\nexport_users pool users.jsonl`)).rejects.toThrow("cannot overwrite existing file");
    expect((await stat(join(folder, "users.jsonl"))).mode & 0o777).toBe(0o600);
    await expect(run(`${script}\ntouch no-groups\nrestore_users pool users.jsonl`)).rejects.toThrow();
    await run("rm no-groups && test ! -s created.txt");
    await expect(run(`${script}\nrestore_users pool users.jsonl`)).rejects.toThrow();
    expect(await created()).toHaveLength(2);
    await run(`${script}\ntouch next-day\nrestore_users pool users.jsonl\nrestore_users pool users.jsonl`);

    expect(await created()).toEqual(
      [
        ["ann", "--desired-delivery-mediums EMAIL"],
        ["bob", "--message-action SUPPRESS"],
        ["cem", "--desired-delivery-mediums EMAIL"],
      ].map(([name, delivery]) =>
        expect.stringMatching(new RegExp(`--username ${name} .*"${name}@example.com".*"true".* ${delivery}`)),
      ),
    );
    const others = (await readFile(join(folder, "others.txt"), "utf8")).trim().split("\n");
    expect([...new Set(others)]).toEqual(["add ann Admin", "disable bob", "add bob Admin", "add cem Admin"]);
  });

  test("reports a rejected action as an error with the reason", async () => {
    const refused = run(`${shared()}\nadmin '{"action":"get","token_id":"01J00000000000000000000000"}'`);

    await expect(refused).rejects.toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(/not_found: .+/),
    });
  });

  /** Returns a section's commands from one to another. */
  const commandsBetween = (section: string, first: string, last: string): string => {
    const commands = commandsOf(section);
    const end = commands.indexOf(last);
    expect(end).toBeGreaterThan(commands.indexOf(first));
    return commands.slice(commands.indexOf(first), commands.indexOf("\n", end));
  };
  /** Creates a table with the current items of another, like a backup that is restored later. */
  const restoreNow = (from: string, to: string, key: string) =>
    run(`
      aws dynamodb create-table --table-name ${to} --billing-mode PAY_PER_REQUEST \\
        --attribute-definitions AttributeName=${key},AttributeType=S --key-schema AttributeName=${key},KeyType=HASH >/dev/null
      npm run copy-table -- --from ${from} --to ${to}`);

  test("restores deleted keys from a restored table, and keeps newer keys", async () => {
    const put = (key_id: string, letter: string) =>
      service.call("POST", "/api/v1/key", { form: { key_id, v_code: letter.repeat(64) } });
    await put("deleted", "a");
    await put("replaced", "a");
    await restoreNow("KeysTable", "restored-keys", "key_id");
    await service.call("DELETE", "/api/v1/key/deleted");
    await service.call("PUT", "/api/v1/key/replaced", { form: { v_code: "b".repeat(64) } });
    await put("newer", "b");
    const copies = commandsOf("Restore a table").match(/^npm run copy-table -- --from restored-keys .*$/gm) ?? [];
    const keys = async () => {
      const stored = (await service.call("GET", "/api/v1/key")).json() as { key_id: string; v_code: string }[];
      return Object.fromEntries(stored.map(({ key_id, v_code }) => [key_id, v_code[0]]));
    };

    await run(copies[0] ?? "");
    expect(await keys()).toEqual({ deleted: "a", replaced: "b", newer: "b" });
    await run(copies[1] ?? "");
    expect(await keys()).toEqual({ deleted: "a", replaced: "a", newer: "b" });
  });

  test("keeps ended tokens ended when an older copy overwrites them", async () => {
    const ips = {
      revoked: "198.51.100.20",
      rotated: "198.51.100.21",
      limited: "198.51.100.22",
      other: "198.51.100.23",
    };
    for (const ip of Object.values(ips)) await service.issueToken(ip);
    await restoreNow("TokensTable", "restored-tokens", "token_id");
    const { tokens } = (await service.admin({ action: "list" })) as { tokens: { ip: string; token_id: string }[] };
    const idOf = (ip: string) => tokens.find((token) => token.ip === ip)?.token_id;
    await service.admin({ action: "revoke", token_id: idOf(ips.revoked) });
    await service.admin({ action: "rotate", token_id: idOf(ips.rotated), grace_seconds: 0 });
    await service.admin({ action: "update", token_id: idOf(ips.limited), rate_limit: 7 });
    const script = commandsBetween("Restore a table", 'npm run copy-table -- --from "$TOKENS"', "<revoked.txt");
    await run(`${shared()}\n${script}`);

    expect(await statesOf(ips.revoked)).toEqual(["revoked"]);
    expect((await statesOf(ips.rotated)).toSorted()).toEqual(["active", "expired"]);
    expect(await service.admin({ action: "get", token_id: idOf(ips.limited) })).toMatchObject({ rate_limit: 7 });
    expect(await statesOf(ips.other)).toEqual(["active"]);
  });
});
