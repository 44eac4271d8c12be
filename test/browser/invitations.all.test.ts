import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Console, focusInForm } from "../support/console.ts";
import { copyable, pressByTab, useInterface } from "./web-interface.ts";

const ui = useInterface();
const { invite, issue, redeem, move } = ui;

/** Creates an invitation in the interface, and returns its command. The dialog stays open. */
const inviteInBrowser = async ({ page, dialog }: Console, comment: string, ip = ""): Promise<string> => {
  await page.getByRole("button", { name: "Invite a client" }).first().click();
  await dialog.getByLabel(/^Comment/).fill(comment);
  await dialog.getByLabel(/^IP address/).fill(ip);
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  return copyable(dialog, "Line");
};

const invitationIn = (line: string): string => /iti_\w+/.exec(line)?.[0] ?? "";
const statusFrom = async (token: string, from: string) => (await ui.use(token, from)).status;

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "operator-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

/** Runs the command in a folder, as the client's operator does, and returns its output. */
const runLine = async (line: string, folder: string): Promise<string> => {
  const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd: folder });
  return stdout;
};

/** Enters the code that the client's operator reads out, and confirms. */
const confirmWith = async (dialog: Locator, code: string): Promise<void> => {
  const question = dialog.filter({ hasText: "Confirm the " });
  await question.getByLabel("Code").fill(code);
  await question.getByRole("button", { name: "Confirm", exact: true }).click();
};

const historyOf = ({ page }: Console, text: RegExp) => page.getByRole("listitem").filter({ hasText: text }).waitFor();

describe("an invitation with an address", () => {
  test("becomes a token that only its client sees, and its command then becomes useless", async () => {
    const console = await ui.open();
    const { page, dialog, row } = console;
    const line = await inviteInBrowser(console, "with an address", "127.0.0.1");
    await dialog.getByText("Waiting for the client's call").waitFor();
    const folder = await newFolder();
    expect(await runLine(line, folder)).toBe("The token is in token.json.\n");
    const file = join(folder, "token.json");
    const { token } = JSON.parse(await readFile(file, "utf8"));
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await statusFrom(token, "127.0.0.1")).toBe(200);

    await dialog.getByText("The line is worthless now.", { exact: false }).waitFor();
    expect(await runLine(line, folder)).toContain('"code":"invitation_used"');
    expect(await readFile(file, "utf8")).toContain(token);
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    await row("with an address").filter({ hasText: "Active" }).getByRole("link").click();
    await historyOf(console, /The client redeemed its invitation\..*From 127\.0\.0\.1, request id/s);
    await historyOf(console, /admin@example\.com invited the client at 127\.0\.0\.1\./);
    expect(await page.content()).not.toContain(token);
    expect(await page.content()).not.toContain(invitationIn(line));
  });
});

describe("an invitation without an address", () => {
  test("is redeemed by a command that waits for the confirmation", async () => {
    const console = await ui.open();
    const { dialog } = console;
    const line = await inviteInBrowser(console, "waiting line");
    const folder = await newFolder();
    const running = runLine(line.replace("sleep 5", "sleep 1"), folder);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    const response = await readFile(join(folder, "answer.json"), "utf8");
    await confirmWith(dialog, JSON.parse(response).code);
    const shown = await running;
    expect(shown).toMatch(/The token is in token\.json\.\n$/);
    const { token } = JSON.parse(await readFile(join(folder, "token.json"), "utf8"));
    expect(await statusFrom(token, "127.0.0.1")).toBe(200);
    expect(shown).not.toContain(token);
  });

  test("is confirmed with the code that its operator reads out, which the page does not show", async () => {
    const console = await ui.open();
    const { page, dialog, row, observed } = console;
    const line = await inviteInBrowser(console, "by code");
    const invitation = invitationIn(line);
    await dialog.getByRole("button", { name: "Copy: Line" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await row("by code").filter({ hasText: "Not known yet" }).filter({ hasText: "Invited" }).waitFor();

    const asked = await redeem(invitation, "127.0.0.2");
    expect(asked.status).toBe(202);
    await page.getByRole("button", { name: "A client is waiting: show" }).click();
    const pending = page.getByRole("listitem").filter({ hasText: "by code" });
    await row("by code").filter({ hasText: "Awaiting confirmation" }).waitFor();

    await pending.getByRole("button", { name: "Confirm 127.0.0.2 for by code" }).click();
    await dialog.getByText("asked just now from 127.0.0.2").waitFor();
    expect(await page.content()).not.toContain(asked.code);
    const confirm = dialog.getByRole("button", { name: "Confirm", exact: true });
    await confirm.click();
    await dialog.getByText("Enter the code that the operator reads out.").waitFor();
    await dialog.getByLabel("Code").fill("AAA-AAA");
    await confirm.click();
    await dialog.getByText("This is not the code of this request.").waitFor();
    await dialog.getByRole("button", { name: "Reject instead" }).waitFor();
    expect(observed.requests.filter((request) => request.url().endsWith("/confirm"))).toEqual([]);
    await confirmWith(dialog, asked.code.toLowerCase().replace("-", " "));
    await page.getByText("127.0.0.2 was confirmed.", { exact: false }).waitFor();
    expect(await pending.getAttribute("inert")).not.toBeNull();

    const { status, ip, token } = await redeem(invitation, "127.0.0.2");
    expect([status, ip, await statusFrom(token, "127.0.0.2")]).toEqual([201, "127.0.0.2", 200]);
    await row("by code").filter({ hasText: "Active" }).filter({ hasText: "127.0.0.2" }).waitFor();
  });

  test("can be confirmed in the dialog that shows its command, where Escape and Back close only the question", async () => {
    const console = await ui.open();
    const { page, dialog } = console;
    const line = await inviteInBrowser(console, "on the phone");
    const invitation = invitationIn(line);
    const { code } = await redeem(invitation, "127.0.0.2");
    const question = page.getByRole("dialog", { name: "Confirm the client's address" });
    for (const leave of [() => page.keyboard.press("Escape"), () => page.goBack()]) {
      await dialog.getByRole("button", { name: "Confirm 127.0.0.2 for on the phone" }).click();
      await question.waitFor();
      await leave();
      await question.waitFor({ state: "detached" });
      await dialog.getByText(line, { exact: true }).waitFor();
    }
    await dialog.getByRole("button", { name: "Confirm 127.0.0.2 for on the phone" }).click();
    await confirmWith(dialog, code);
    await dialog.getByText("The operator now runs the same line again.", { exact: false }).waitFor();
    expect((await redeem(invitation, "127.0.0.2")).status).toBe(201);
    await dialog.getByText("The line is worthless now.", { exact: false }).waitFor();
  });

  test("is confirmed only for the request that was shown, and a new request must be compared again", async () => {
    const { text } = await invite("asked again");
    const first = await redeem(text, "127.0.0.2");
    const { page, dialog } = await ui.open();
    await page.getByRole("button", { name: "Confirm 127.0.0.2 for asked again" }).click();
    const { code } = await redeem(text, "127.0.0.3");
    await confirmWith(dialog, first.code);
    await dialog.getByRole("heading", { name: "The request has changed" }).waitFor();
    await dialog.getByText(/The client has asked again .* from 127\.0\.0\.3, with another code/).waitFor();
    expect((await redeem(text, "127.0.0.3")).code).toBe(code);

    await dialog.getByRole("button", { name: "Show the new request" }).click();
    await dialog.getByRole("heading", { name: "Confirm the client's address" }).waitFor();
    expect(await dialog.getByLabel("Code").inputValue()).toBe("");
    await confirmWith(dialog, code);
    await dialog.waitFor({ state: "detached" });
    expect((await redeem(text, "127.0.0.2")).status).toBe(403);
    expect((await redeem(text, "127.0.0.3")).status).toBe(201);
  });

  test("that another admin has decided differently shows who decided", async () => {
    const { text, token_id } = await invite("decided twice");
    const { code } = await redeem(text, "127.0.0.2");
    const { page, dialog } = await ui.open();
    await page.getByRole("button", { name: "Confirm 127.0.0.2 for decided twice" }).click();
    await ui.admin("reject", { token_id, ip: "127.0.0.2", code });
    await confirmWith(dialog, code);
    await dialog.getByText(/A command has rejected it/).waitFor();
    expect(await dialog.getByRole("button", { name: "Show the new request" }).count()).toBe(0);
    // A press in the first half second may still be meant for the button that was there before.
    const close = async () => {
      await page.keyboard.press("Escape");
      return dialog.count();
    };
    await expect.poll(close).toBe(0);
    await page.locator("li[inert]").filter({ hasText: "decided twice" }).waitFor();
  });
});

describe("a move", () => {
  test("is confirmed with two clicks and the code; then only the new address works, and both tokens show it", async () => {
    const { token: text, token_id } = await issue("on the move");
    const asked = await move(text, "127.0.0.2");
    expect(asked.status).toBe(202);
    const console = await ui.open();
    const { page, dialog, row } = console;
    const pending = page.getByRole("listitem").filter({ hasText: "on the move" });
    await pending.getByText("Wants to move from 127.0.0.1 to 127.0.0.2").waitFor();
    await pending.getByRole("button", { name: "Confirm 127.0.0.2 for on the move" }).click();
    await confirmWith(dialog, asked.code);
    await dialog.waitFor({ state: "detached" });
    await row("on the move").getByText("its move ends in 14 minutes").waitFor();

    const { status, token } = await move(text, "127.0.0.2");
    expect([status, await statusFrom(token, "127.0.0.2"), await statusFrom(text, "127.0.0.1")]).toEqual([
      201, 200, 401,
    ]);
    await page.getByRole("button", { name: "Refresh" }).click();
    await row("on the move")
      .filter({ hasText: /Moved\s*to 127\.0\.0\.2/ })
      .getByRole("link", { name: "on the move" })
      .click();
    await historyOf(console, /The client moved its token to 127\.0\.0\.2, where a new token replaces it\./);
    await page.getByRole("link", { name: "a new token" }).click();
    await historyOf(console, /The client of on the move issued this token for 127\.0\.0\.2/);
    await page.getByRole("link", { name: "an earlier token" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/?token=${token_id}`);
  });
});

describe("requests for confirmation", () => {
  test("are no longer polled after the session has ended, so the user is not reminded repeatedly", async () => {
    await invite("outstanding without a session");
    const { page, observed, row } = await ui.open("/", { isolated: true });
    await page.clock.install();
    await page.reload();
    await row("outstanding without a session").waitFor();
    await page.clock.fastForward("01:00:00");
    await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
    await page.getByRole("button", { name: "Not now" }).click();
    await page.getByText("The data on this page was loaded before that.", { exact: false }).waitFor();
    const before = observed.requests.length;
    await page.clock.runFor(600_000);
    expect(observed.requests.length).toBe(before);
    expect(await page.getByRole("heading", { name: "Your session has ended" }).count()).toBe(0);
  });
});

describe("an invitation in the list", () => {
  test("can be found by its state, offers only possible actions, and has its own wording for revoking", async () => {
    const { text } = await invite("still invited", { ip: "198.51.100.30" });
    const { page, dialog, row, choose } = await ui.open("/?state=invited");
    await row("still invited")
      .getByRole("button", { name: /^Actions on/ })
      .click();
    expect(await page.getByRole("menuitem", { name: "Edit" }).getAttribute("aria-disabled")).toBe("true");
    expect(await page.getByRole("menuitem", { name: "Rotate" }).getAttribute("aria-disabled")).toBe("true");
    // On a disabled item, Escape would only close the explanation of why it is disabled.
    await page.getByRole("menuitem", { name: "Revoke" }).press("Escape");
    // Clicking the button while the menu is open would only close it.
    await page.getByRole("menuitem", { name: "Edit" }).waitFor({ state: "hidden" });
    await choose(row("still invited"), "Revoke");
    await dialog.getByText("can no longer be used", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Revoke invitation" }).click();
    await page.getByText("The invitation for still invited was revoked.").waitFor();
    expect(await redeem(text, "127.0.0.1")).toMatchObject({ status: 401, code: "invitation_revoked" });
  });
});

test("a client can be invited and confirmed with the keyboard alone", async () => {
  const { page, dialog } = await ui.open();
  await page.getByRole("table").waitFor();
  await pressByTab(page, "Invite a client");
  await focusInForm(dialog);
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  const line = await copyable(dialog, "Line");
  await pressByTab(page, "Copy: Line");
  const { code } = await redeem(invitationIn(line), "127.0.0.2");
  await dialog.getByRole("button", { name: "Confirm 127.0.0.2 for by keyboard" }).waitFor();
  await pressByTab(page, "Confirm 127.0.0.2 for by keyboard");
  await focusInForm(page.getByRole("dialog", { name: "Confirm the client's address" }));
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
  await dialog.getByText("The operator now runs the same line again.", { exact: false }).waitFor();
});
