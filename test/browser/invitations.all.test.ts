import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Console, focusInForm } from "../support/console.ts";
import { closed, copyable, follow, press, pressByTab, shows, useInterface } from "./web-interface.ts";

const ui = useInterface();

/** Creates an invitation in the interface, and returns its command. The dialog stays open. */
const inviteInBrowser = async ({ page, dialog }: Console, comment: string, ip = ""): Promise<string> => {
  await press(page, "Invite a client");
  await dialog.getByLabel(/^Comment/).fill(comment);
  await dialog.getByLabel(/^IP address/).fill(ip);
  await press(dialog, "Create invitation");
  return copyable(dialog, "Command");
};

const invitationIn = (line: string): string => /iti_\w+/.exec(line)?.[0] ?? "";

/** Enters the code that the client's operator reads out, and confirms. */
const confirmWith = async (dialog: Locator, code: string): Promise<void> => {
  const question = dialog.filter({ hasText: "Confirm the " });
  await question.getByLabel("Code").fill(code);
  await question.getByRole("button", { name: "Confirm", exact: true }).click();
};

describe("the command of an invitation", () => {
  /** Runs the command in an empty folder, as the client's operator does. */
  const operator = async () => {
    const folder = await mkdtemp(join(tmpdir(), "operator-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "token.json");
    return {
      file,
      run: async (line: string) => (await promisify(execFile)("sh", ["-c", line], { cwd: folder })).stdout,
      // The command writes the file with each call, so it can be incomplete.
      response: () =>
        vi.waitFor(async () => JSON.parse(await readFile(join(folder, "response.json"), "utf8")), { timeout: 240_000 }),
      token: async () => String(JSON.parse(await readFile(file, "utf8")).token),
    };
  };

  test("writes a token that only the client sees to a file, and cannot be used again", async () => {
    const console = await ui.open();
    const { page, dialog, row } = console;
    const line = await inviteInBrowser(console, "with an address", "127.0.0.1");
    await shows(dialog, "Waiting for the client's call");
    const { file, run, token } = await operator();
    expect(await run(line)).toBe("The token is in token.json.\n");
    expect((await stat(file)).mode & 0o077).toBe(0);
    const redeemed = await token();
    expect((await ui.use(redeemed)).status).toBe(200);

    await shows(dialog, "The invitation can no longer be used.");
    expect(await run(line)).toContain('"code":"invitation_used"');
    expect(await token()).toBe(redeemed);
    await press(dialog, "Done");
    await closed(dialog);
    await row("with an address").filter({ hasText: "Active" }).getByRole("link").click();
    await shows(page, "The client redeemed its invitation.");
    await shows(page, "admin@example.com invited the client at 127.0.0.1.");
    for (const secret of [redeemed, invitationIn(line)]) expect(await page.content()).not.toContain(secret);
  });

  test("waits for the confirmation if the invitation has no address, and does not print the token", async () => {
    const console = await ui.open();
    const { dialog } = console;
    const line = await inviteInBrowser(console, "waiting line");
    const { run, response, token } = await operator();
    const running = run(line.replace("sleep 5", "sleep 1"));
    await press(dialog, "Confirm");
    await confirmWith(dialog, (await response()).code);
    const printed = await running;
    expect(printed).toMatch(/The token is in token\.json\.\n$/);
    expect(printed).not.toContain(await token());
    expect((await ui.use(await token())).status).toBe(200);
  });
});

test("the dialog offers the command for several environments, and remembers the last choice", async () => {
  const console = await ui.open();
  const { dialog } = console;
  const command = await inviteInBrowser(console, "first choice");
  await press(dialog, "PowerShell");
  const chosen = await copyable(dialog, "Command");
  expect(chosen).toContain("Invoke-RestMethod");
  expect(invitationIn(chosen)).toBe(invitationIn(command));
  await press(dialog, "Copy: Command");
  await press(dialog, "Done");
  await closed(dialog);
  expect(await inviteInBrowser(console, "second choice")).toContain("Invoke-RestMethod");
});

describe("a request for a confirmation", () => {
  test("can be confirmed in the dialog with the command, where Escape and Back close only the question", async () => {
    const console = await ui.open();
    const { page, dialog } = console;
    const line = await inviteInBrowser(console, "on the phone");
    const { code } = await ui.redeem(invitationIn(line), "127.0.0.2");
    const question = page.getByRole("dialog", { name: "Confirm the client's address" });
    for (const leave of [() => page.keyboard.press("Escape"), () => page.goBack()]) {
      await press(dialog, "Confirm 127.0.0.2 for on the phone");
      await question.waitFor();
      await leave();
      await closed(question);
      await dialog.getByText(line, { exact: true }).waitFor();
    }
    await press(dialog, "Confirm 127.0.0.2 for on the phone");
    await confirmWith(dialog, code);
    await shows(dialog, "The command gets the token within seconds.");
    expect((await ui.redeem(invitationIn(line), "127.0.0.2")).status).toBe(201);
    await shows(dialog, "The invitation can no longer be used.");
  });

  test("confirms only the request that was shown, so a new request must be compared again", async () => {
    const { text } = await ui.invite("asked again");
    const first = await ui.redeem(text, "127.0.0.2");
    const { page, dialog } = await ui.open();
    await press(page, "Confirm 127.0.0.2 for asked again");
    const { code } = await ui.redeem(text, "127.0.0.3");
    await confirmWith(dialog, first.code);
    await shows(dialog, "This request is no longer the current one");
    await press(dialog, "Cancel");
    await press(page, "A client is waiting: show");
    await press(page, "Confirm 127.0.0.3 for asked again");
    await confirmWith(dialog, code);
    await closed(dialog);
    expect((await ui.redeem(text, "127.0.0.2")).status).toBe(403);
    expect((await ui.redeem(text, "127.0.0.3")).status).toBe(201);
  });

  test("moves a token only to the confirmed address, and both tokens show the move", async () => {
    const { token: old, token_id } = await ui.issue("on the move");
    const { code } = await ui.move(old, "127.0.0.2");
    const { page, dialog, row } = await ui.open();
    await shows(page, "wants to move from 127.0.0.1 to 127.0.0.2");
    await press(page, "Confirm 127.0.0.2 for on the move");
    await confirmWith(dialog, code);
    await closed(dialog);

    const { status, token } = await ui.move(old, "127.0.0.2");
    const statuses = [(await ui.use(token, "127.0.0.2")).status, (await ui.use(old)).status];
    expect([status, ...statuses]).toEqual([201, 200, 401]);
    await press(page, "Refresh");
    await follow(row("on the move").filter({ hasText: "Moved" }), "on the move");
    await shows(page, "The client moved its token to 127.0.0.2, where a new token replaces it.");
    await follow(page, "a new token");
    await shows(page, "The client of on the move issued this token for 127.0.0.2");
    await follow(page, "an earlier token");
    await page.waitForURL(`${ui.service.baseUrl}/?token=${token_id}`);
  });
});

test("an invitation in the list offers only possible actions, and words its revocation accordingly", async () => {
  const { text } = await ui.invite("still invited", { ip: "198.51.100.30" });
  const { page, dialog, row, choose } = await ui.open("/?state=invited");
  const item = (name: string) => page.getByRole("menuitem", { name });
  await press(row("still invited"), /^Actions on/);
  for (const name of ["Edit", "Rotate"]) expect(await item(name).getAttribute("aria-disabled")).toBe("true");
  // On a disabled item, Escape would only close the explanation of why it is disabled.
  await item("Revoke").press("Escape");
  // Clicking the button while the menu is open would only close it.
  await item("Edit").waitFor({ state: "hidden" });
  await choose(row("still invited"), "Revoke");
  await shows(dialog, "can no longer be used");
  await press(dialog, "Revoke invitation");
  await shows(page, "The invitation for still invited was revoked.");
  expect(await ui.redeem(text, "127.0.0.1")).toMatchObject({ status: 401, code: "invitation_revoked" });
});

test("a client can be invited and confirmed with the keyboard alone", async () => {
  const { page, dialog } = await ui.open();
  await page.getByRole("table").waitFor();
  await pressByTab(page, "Invite a client");
  await focusInForm(dialog);
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  const line = await copyable(dialog, "Command");
  await pressByTab(page, "Copy: Command");
  const { code } = await ui.redeem(invitationIn(line), "127.0.0.2");
  await dialog.getByRole("button", { name: "Confirm 127.0.0.2 for by keyboard" }).waitFor();
  await pressByTab(page, "Confirm 127.0.0.2 for by keyboard");
  await focusInForm(page.getByRole("dialog", { name: "Confirm the client's address" }));
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
  await shows(dialog, "The command gets the token within seconds.");
});
