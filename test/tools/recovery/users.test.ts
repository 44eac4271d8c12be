import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommand, startCommand } from "./support/run-command.ts";
import { startUserPoolStub, type UserPoolStub } from "./support/user-pool-stub.ts";

let folder: string;
let lost: UserPoolStub;
let fresh: UserPoolStub;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-users-"));
  lost = await startUserPoolStub(["Admin", "Superuser", "Unused"]);
  fresh = await startUserPoolStub(["Admin", "Superuser"]);
  for (const name of ["ann", "bob", "cem", "dee", "eve"]) {
    const email = `${name}@example.com`;
    lost.users.set(email, {
      Username: email,
      Attributes: [
        { Name: "sub", Value: `sub-of-${name}` },
        { Name: "email", Value: email },
        { Name: "email_verified", Value: name === "eve" ? "false" : "true" },
      ],
      Enabled: name !== "dee",
      UserStatus: "CONFIRMED",
    });
    if (name !== "eve") lost.members.get("Admin")?.add(email);
  }
  lost.members.get("Superuser")?.add("ann@example.com");
});
afterEach(async () => {
  lost.close();
  fresh.close();
  await rm(folder, { recursive: true });
});

const users = (pool: UserPoolStub, ...words: string[]) =>
  runCommand("users.ts", words, { folder, environment: pool.environment });
const options = ["--user-pool", "us-east-1_pool", "--file", "users.jsonl"];
const file = () => join(folder, "users.jsonl");
const exportUsers = () => users(lost, "export", ...options);
const restoreUsers = () => users(fresh, "restore", ...options);

describe("npm run users -- export", () => {
  test("writes a line for each user with groups and state, and no password", async () => {
    // In a process of its own, which has to end by itself.
    const { output, exitCode } = await startCommand("users.ts", ["export", ...options], {
      folder,
      environment: lost.environment,
    }).result;
    const lines = (await readFile(file(), "utf8")).trimEnd().split("\n");

    expect(exitCode).toBe(0);
    expect(output).toBe("Exported 5 users to users.jsonl, which holds personal data: keep it in a safe place.\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { username: "ann@example.com", email_verified: true, enabled: true, groups: ["Admin", "Superuser"] },
      { username: "bob@example.com", status: "CONFIRMED", groups: ["Admin"] },
      { username: "cem@example.com", groups: ["Admin"] },
      { username: "dee@example.com", enabled: false, groups: ["Admin"] },
      { username: "eve@example.com", email: "eve@example.com", email_verified: false, groups: [] },
    ]);
  });

  test("writes a file that only its owner can read, and never over another file", async () => {
    await exportUsers();
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    const before = await readFile(file(), "utf8");
    lost.members.get("Admin")?.clear();

    expect(await exportUsers()).toMatchObject({
      exitCode: 1,
      messages: "users.jsonl exists already: move it away, or choose another name with --file.\n",
    });
    expect(await readFile(file(), "utf8")).toBe(before);
  });
});

describe("npm run users -- restore", () => {
  test("creates and invites every user, with the same groups, names and addresses", async () => {
    await exportUsers();
    const { output, exitCode } = await restoreUsers();

    expect(exitCode).toBe(0);
    expect(output).toContain("ann@example.com: invited (Admin, Superuser)\n");
    expect(output).toContain("dee@example.com: created, and disabled (Admin)\n");
    expect(output).toContain("eve@example.com: invited (in no group)\n");
    expect(output).toContain("Created 5 of 5 users.");
    expect(fresh.invitations).toEqual(["ann", "bob", "cem", "eve"].map((name) => `${name}@example.com by EMAIL`));
    expect([...fresh.users.values()].map(({ Username, Enabled }) => [Username, Enabled])).toEqual(
      [...lost.users.values()].map(({ Username, Enabled }) => [Username, Enabled]),
    );
    expect(fresh.users.get("ann@example.com")?.Attributes).toEqual([
      { Name: "email", Value: "ann@example.com" },
      { Name: "email_verified", Value: "true" },
    ]);
    for (const group of ["Admin", "Superuser"]) expect(fresh.members.get(group)).toEqual(lost.members.get(group));
  });

  test("can be repeated, and then invites nobody twice", async () => {
    await exportUsers();
    await restoreUsers();
    const { output, exitCode } = await restoreUsers();

    expect(exitCode).toBe(0);
    expect(output).toContain("ann@example.com: is there already (Admin, Superuser)\n");
    expect(output).toContain("Created 0 of 5 users.");
    expect(fresh.invitations).toHaveLength(4);
  });

  test("goes on where Cognito's daily limit of mails ended it", async () => {
    await exportUsers();
    fresh.state.invitationsLeft = 2;
    const { messages, exitCode } = await restoreUsers();
    expect(exitCode).toBe(1);
    expect(messages).toMatch(/^Cognito sends no more invitations today .* run the same command again tomorrow/);

    fresh.state.invitationsLeft = 50;
    expect((await restoreUsers()).output).toContain("Created 3 of 5 users.");
    expect(fresh.invitations).toHaveLength(4);
    expect(fresh.members.get("Admin")).toEqual(lost.members.get("Admin"));
  });

  test("completes a user whose restoration ended halfway", async () => {
    await exportUsers();
    await restoreUsers();
    fresh.members.get("Admin")?.clear();
    for (const user of fresh.users.values()) user.Enabled = true;
    await restoreUsers();

    expect(fresh.members.get("Admin")).toEqual(lost.members.get("Admin"));
    expect(fresh.users.get("dee@example.com")?.Enabled).toBe(false);
  });

  test("invites nobody if a group is missing", async () => {
    await exportUsers();
    fresh.members.delete("Superuser");
    const { messages, exitCode } = await restoreUsers();

    expect(exitCode).toBe(1);
    expect(messages).toMatch(/^The user pool has no group Superuser: check --user-pool, or create the group/);
    expect(fresh.users.size).toBe(0);
  });

  test.each([
    ["not JSON", "{", /^Line 2 of users\.jsonl is not a user/],
    ["a user without an address", '{"username":"x"}', /^Line 2 of users\.jsonl is not a user \(email: /],
  ])("creates nobody if a line is %s", async (_, line, sentence) => {
    await exportUsers();
    const [first] = (await readFile(file(), "utf8")).split("\n");
    await writeFile(file(), `${first}\n${line}\n`);
    const { messages, exitCode } = await restoreUsers();

    expect(exitCode).toBe(1);
    expect(messages).toMatch(sentence);
    expect(fresh.users.size).toBe(0);
  });
});

describe("npm run users is refused with what to do", () => {
  test.each([
    ["nothing is named", [], /^Usage: npm run users -- export/],
    ["the action does not exist", ["import", ...options], /^Usage: /],
    ["there is no such file", ["restore", ...options], /^There is no file users\.jsonl: name the exported users/],
    [
      "there is no such user pool",
      ["export", "--user-pool", "us-east-1_other", "--file", "users.jsonl", "--region", "us-east-1"],
      /^There is no user pool us-east-1_other in us-east-1: check --user-pool and --region\./,
    ],
  ])("%s", async (_, words, sentence) => {
    const { messages, exitCode } = await users(fresh, ...words);

    expect(exitCode).toBe(1);
    expect(messages).toMatch(sentence);
  });
});
