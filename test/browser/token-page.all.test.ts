import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Console } from "../support/console.ts";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { ageSession, clipboard, copyable, letFail, useInterface } from "./web-interface.ts";

const ui = useInterface();
const { issue, leak, use, counted } = ui;

const get = (token_id: string) => ui.admin("get", { token_id });

/** Runs a curl command and returns the status of the response. */
const statusOf = async (curlLine: string): Promise<string> => {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curlLine} -s -o /dev/null -w '%{http_code}'`]);
  return stdout;
};

test("a token is issued, works in the displayed curl command, is rotated, is revoked and is then rejected", async () => {
  const { page, dialog, row, choose } = await ui.open();
  const copyAndClose = async () => {
    await dialog.getByRole("button", { name: "Copy: Token" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await page.getByRole("button", { name: "Issue a token" }).first().click();
  await dialog.getByLabel(/^Comment/).fill("a token's life");
  await dialog.getByLabel("IP address").fill("10.0.0.0/8");
  await dialog.getByText("The IP address must be one address, not a CIDR range.").waitFor();
  await dialog.getByRole("button", { name: "Use my address" }).click();
  await dialog.getByLabel(/^Requests per minute/).fill("a lot");
  await dialog.getByRole("button", { name: "Issue token" }).click();
  await dialog.getByText("Enter a whole number, or leave the field empty.").waitFor();
  await dialog.getByLabel(/^Requests per minute/).fill("1200");
  await dialog.getByRole("button", { name: "Issue token" }).click();
  const curlLine = await copyable(dialog, "Try it");
  expect(await statusOf(curlLine)).toBe("200");
  const text = await copyable(dialog, "Token");
  await copyAndClose();
  expect(await page.content()).not.toContain(text);

  await choose(row("a token's life"), "Rotate");
  await dialog.getByRole("button", { name: "Rotate token" }).click();
  const successor = await copyable(dialog, "Try it");
  expect(successor).not.toBe(curlLine);
  expect([await statusOf(curlLine), await statusOf(successor)]).toEqual(["200", "200"]);
  await copyAndClose();

  await row("a token's life").filter({ hasText: "Active" }).getByRole("link").click();
  await page.getByText("1,200 requests per minute", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Revoke token" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await statusOf(successor)).toBe("401");
  const history = page.getByRole("listitem");
  await history.filter({ hasText: "admin@example.com revoked this token." }).waitFor();
  await history.filter({ hasText: /issued this token for 127\.0\.0\.1, to replace an earlier/ }).waitFor();
});

describe("a token that is shown once", () => {
  /** Opens the dialog with a new token's value, on a page that was reached by a link. */
  const issued = async () => {
    const console = await ui.open("/keys");
    const { page, dialog } = console;
    await page.getByRole("link", { name: "API settings" }).click();
    await page.getByRole("button", { name: "Issue a token" }).first().click();
    await dialog.getByRole("button", { name: "Use my address" }).click();
    await dialog.getByRole("button", { name: "Issue token" }).click();
    await dialog.getByRole("heading", { name: "The token was issued" }).waitFor();
    return { ...console, token: await copyable(dialog, "Token") };
  };

  const asks = ({ dialog }: Console) => dialog.getByText("You have not copied the token").waitFor();

  test("survives Back, Escape, a click outside, a link and the buttons, each of them twice, and is then copied", async () => {
    const console = await issued();
    const { page, dialog, token } = console;
    const attempts = [
      () => page.goBack(),
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(5, 500),
      () =>
        dialog
          .getByRole("button", { name: /^Close/ })
          .first()
          .click(),
      () => dialog.getByRole("button", { name: "Done" }).click(),
      () => page.getByRole("link", { name: "API key management", includeHidden: true }).dispatchEvent("click"),
    ];
    for (const attempt of attempts) {
      await attempt();
      await asks(console);
      await attempt();
      await dialog.getByText(token, { exact: true }).waitFor();
      expect(page.url()).toBe(`${ui.service.baseUrl}/`);
    }
    await dialog.getByRole("button", { name: "Copy: Token" }).click();
    await dialog.getByText("You have not copied the token").waitFor({ state: "detached" });
    expect(await clipboard(page)).toBe(token);
  });

  test("makes the browser ask before a reload, and disappears only if the admin confirms", async () => {
    const console = await issued();
    const { page, dialog, token } = console;
    const asked = page.waitForEvent("dialog");
    const reload = page.evaluate("location.reload()");
    await (await asked).dismiss();
    await reload;
    await dialog.getByText(token, { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await asks(console);
    await dialog.getByRole("button", { name: "Close without copying" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("counts as copied with the curl command alone; Back then closes the dialog, and once more leaves the page", async () => {
    const { page, dialog } = await issued();
    const curlLine = await copyable(dialog, "Try it");
    await dialog.getByRole("button", { name: "Copy: Try it" }).click();
    await dialog.getByText("The token is in your clipboard.", { exact: false }).waitFor();
    expect(await clipboard(page)).toBe(curlLine);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    expect(page.url()).toBe(`${ui.service.baseUrl}/`);
    await page.goBack();
    await page.waitForURL(`${ui.service.baseUrl}/keys`);
  });

  test("can be selected and copied by hand only as a whole if the browser denies access to the clipboard", async () => {
    const console = await issued();
    const { page, dialog, token } = console;
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
    await dialog.getByRole("button", { name: "Copy: Token" }).click();
    await dialog.getByText("The browser did not allow copying.", { exact: false }).first().waitFor();
    await page.evaluate(
      `getSelection().setBaseAndExtent(...(({ firstChild }) => [firstChild, 0, firstChild, 9])(document.querySelector("[role=dialog] code")))`,
    );
    await page.keyboard.press("Control+C");
    await dialog.getByRole("button", { name: "Done" }).click();
    await asks(console);

    await dialog.getByRole("button", { name: "Copy: Token" }).click();
    await page.keyboard.press("Control+C");
    await dialog.getByText("The token is in your clipboard.", { exact: false }).waitFor();
    expect(await clipboard(page)).toBe(token);
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("survives Back while the response is pending, and a predecessor that can no longer be loaded", async () => {
    const { path, token_id } = await issue("rotated with Back");
    const console = await ui.open(path);
    const { page, dialog } = console;
    const { promise: held, resolve: proceed } = Promise.withResolvers<void>();
    await page.route("**/rotate", (route) => held.then(() => route.continue()));
    await page.getByRole("button", { name: "Rotate" }).click();
    await letFail(page, `tokens/${token_id}`, { status: 404 });
    await dialog.getByRole("button", { name: "Rotate token" }).click();
    await page.goBack();
    proceed();
    await page.getByRole("heading", { name: "There is no token with this id", includeHidden: true }).waitFor();
    await dialog.getByRole("heading", { name: "The new token was issued" }).waitFor();
    await page.goBack();
    await asks(console);
    expect(page.url()).toBe(ui.service.baseUrl + path);
  });
});

test("Back dismisses the request to sign in again, but not the form below it", async () => {
  const { path } = await issue("half edited");
  const { page, dialog } = await ui.open(path);
  await ageSession(page);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await dialog.getByLabel(/^Comment/).fill("half of an edit");
  await letFail(page, "tokens/**", { status: 401 });
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor({ state: "detached" });
  expect(await dialog.getByLabel(/^Comment/).inputValue()).toBe("half of an edit");
  expect(page.url()).toBe(ui.service.baseUrl + path);
});

describe("an edit of a token", () => {
  test("changes its comment, its expiry and its limit, sends only the changed fields, and appears in the history", async () => {
    const { path, token_id } = await issue("before", { expires_at: "2099-01-01T00:00:00Z" });
    const { page, dialog } = await ui.open(path);
    const sent: unknown[] = [];
    page.on("request", (request) => request.method() === "PUT" && sent.push(request.postDataJSON()));
    const edit = async (change: () => Promise<void>) => {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await change();
      await dialog.getByRole("button", { name: "Save changes" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await edit(async () => {});
    await edit(() => dialog.getByLabel(/^Comment/).fill("after"));
    await page.getByRole("heading", { level: 1, name: "after" }).waitFor();
    await edit(async () => {
      await dialog.getByText("Ends 2099-01-01").waitFor();
      await dialog.getByRole("button", { name: /^Expires/ }).click();
      await page.getByRole("option", { name: "Never expires" }).click();
      await dialog.getByLabel(/^Requests per minute/).fill("600");
    });
    await page.getByText("600 requests per minute", { exact: true }).waitFor();
    await edit(async () => {
      await dialog.getByRole("button", { name: /^Expires/ }).click();
      await page.getByRole("option", { name: "On a date" }).click();
      await dialog.getByLabel("Date", { exact: true }).fill("2098-07-01");
      await dialog.getByLabel(/^Requests per minute/).fill("");
    });

    expect(sent).toEqual([
      { comment: "after" },
      { expires_at: null, rate_limit: 600 },
      { expires_at: expect.stringMatching(/^2098-07-0/), rate_limit: null },
    ]);
    expect(await get(token_id)).toMatchObject({ comment: "after", rate_limit: null });
    const edits = page.getByRole("listitem").filter({ hasText: "admin@example.com edited this token" });
    await expect.poll(() => edits.count()).toBe(3);
    expect(await edits.last().innerText()).toContain("this token: a new comment.");
    expect(await edits.nth(1).innerText()).toContain("this token: it never expires, at most 600 requests per minute.");
  });

  test("that is invalid is explained at the fields, with their labels, and the first invalid one gets the focus", async () => {
    const { path } = await issue("invalid edit");
    const { page, dialog } = await ui.open(path);
    const focused = () =>
      page.evaluate("document.activeElement.labels?.[0]?.innerText ?? document.activeElement.ariaLabel");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel(/^Comment/).fill("c".repeat(256));
    await dialog.getByLabel(/^Requests per minute/).fill("many");
    await page.keyboard.press("Enter");
    await dialog.getByText("The comment must be at most 255 characters; it has 256.").waitFor();
    await dialog.getByText("Enter a whole number, or leave the field empty.").waitFor();
    expect(await focused()).toMatch(/^Comment/);

    await dialog.getByLabel(/^Comment/).fill("short");
    await dialog.getByLabel(/^Requests per minute/).fill("0");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await dialog.getByText("Requests per minute must be a whole number from 1 to 100000.").waitFor();
    await expect.poll(focused).toMatch(/^Requests per minute/);
  });

  test("shows when a rotated token ends and why that cannot be edited, and changes the rest", async () => {
    const { path, token_id } = await issue("rotated");
    await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
    const { page, dialog } = await ui.open(path);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByText("its grace period decides when it ends", { exact: false }).waitFor();
    await dialog.getByText(/in (1 hour|5\d minutes)/).waitFor();
    expect(await dialog.getByRole("button", { name: /^Expires/ }).count()).toBe(0);
    await dialog.getByLabel(/^Comment/).fill("rotated and renamed");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { level: 1, name: "rotated and renamed" }).waitFor();
  });
});

describe("a leak", () => {
  test("is dismissed address by address, can be restored, and both survive a reload", async () => {
    const { path, token_id } = await issue("recognised");
    await leak(token_id, "192.0.2.1", "192.0.2.1", "192.0.2.2");
    const { page, dialog } = await ui.open(path);
    const alert = page.getByText(/^Somebody used this token from/);
    const table = page.getByRole("table", { name: "Wrong addresses" });
    await alert.waitFor();
    await page.getByText("You can stop the warning for each address below.", { exact: false }).waitFor();
    await table.getByRole("row", { name: /192\.0\.2\.1\s+2\s/ }).waitFor();

    await table.getByRole("button", { name: "Stop warning about 192.0.2.1" }).click();
    await dialog.getByText("You know this address", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Stop warning" }).click();
    await table.getByRole("row", { name: /192\.0\.2\.1\s.*No warnings since.*by admin@example\.com/s }).waitFor();
    await page.getByText("The call was refused", { exact: false }).waitFor();

    await page.getByRole("button", { name: /^Yes, stop warning/ }).click();
    await dialog.getByText("192.0.2.2").waitFor();
    await dialog.getByRole("button", { name: "Stop warning" }).click();
    await alert.waitFor({ state: "detached" });
    await page.reload();
    await table.getByRole("row", { name: /192\.0\.2\.2\s.*No warnings since/s }).waitFor();
    expect(await alert.count()).toBe(0);
    const history = page.getByRole("listitem").filter({ hasText: "admin@example.com dismissed the warning" });
    await expect.poll(() => history.count()).toBe(2);

    await table.getByRole("button", { name: "Warn again about 192.0.2.1" }).click();
    await dialog.getByRole("button", { name: "Warn again" }).click();
    await alert.waitFor();
    expect(await get(token_id)).toMatchObject({ dismissed_addresses: [{ ip: "192.0.2.2" }] });
  });

  test("shows every address, however many followed, and says if there were more than it can name", async () => {
    const { path, token_id } = await issue("leaked to many");
    await leak(token_id, "192.0.2.66");
    await leak(token_id, ...Array.from({ length: 30 }, (_, index) => `2001:db8:85a3::8a2e:370:${index + 1000}`));
    const { page } = await ui.open(path);
    await page.getByText(/31 calls were refused .* and 17 more, listed below/s).waitFor();
    await page.getByText("11 came from further addresses, which are not listed; the log names them.").waitFor();
    const table = page.getByRole("table", { name: "Wrong addresses" });
    await table.getByRole("row", { name: /192\.0\.2\.66\s+1\s/ }).waitFor();
    await page.getByRole("link", { name: "All tokens" }).click();
    await page.getByText(/Somebody used the token of leaked to many from .*, 17 more and further addresses/s).waitFor();
    await ui.admin("revoke", { token_id });
  });
});

test("the usage shows the outcomes of a token's calls, and the addresses from which calls were rejected", async () => {
  const { path, token, token_id } = await issue("counted");
  const { page } = await ui.open(path);
  await page.getByText("No calls in the last 24 hours.").waitFor();
  for (const to of ["/api/v1/token", "/api/v1/token", "/api/v1/key?limit=0"]) {
    await ui.service.call("GET", to, { token });
  }
  await counted(token_id, 3);
  await page.getByRole("button", { name: "Refresh the usage" }).click();
  await page.getByRole("img", { name: "Calls in the last 24 hours: 2 answered, 1 refused" }).waitFor();
  const refusal = page.getByRole("table", { name: "Last refusals and failures" }).getByRole("row").nth(1);
  expect(await refusal.innerText()).toMatch(/422 validation_failed.*127\.0\.0\.1.*GET \/api\/v1\/key/s);
  await page.getByRole("button", { name: "Hour by hour" }).click();
  await page.getByRole("row", { name: /2\s+1\s+0\s+validation_failed 1/ }).waitFor();
  await page.getByRole("button", { name: "7 days" }).click();
  await page.getByRole("img", { name: "Calls in the last 7 days: 2 answered, 1 refused" }).waitFor();
});

describe("a rotation", () => {
  test("is shown as unfinished while the old token is in use, and finishing it requires a confirmation", async () => {
    const { path, token, token_id } = await issue("half way");
    const successor = await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
    await use(token);
    await counted(token_id, 1);
    const { page, dialog } = await ui.open(path);
    await page.getByText("The old token is still in use").waitFor();
    await page.getByText("The new token has not been used.").waitFor();
    const repair = await letFail(page, "tokens/*", { method: "DELETE" });
    await page.getByRole("button", { name: "End the old token now" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText(/The client at 127\.0\.0\.1 last used the old token/).waitFor();
    await dialog.getByRole("button", { name: "End the old token now" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("The old token may or may not have ended").waitFor();
    expect((await use(token)).status).toBe(200);

    await repair();
    await dialog.getByRole("button", { name: "End the old token now", disabled: false }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("has ended.", { exact: false }).waitFor();
    await page.getByText("The old token is still in use").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
    expect((await use(token)).json()).toMatchObject({ code: "token_revoked" });
    expect((await use(String(successor.token))).status).toBe(200);
  });
});

test("times are in the viewer's time zone, which is named, in the chart, the table and the history", async () => {
  const { path, token_id } = await issue("seen from India", { expires_at: "2098-11-20T21:00:00Z" });
  await leak(token_id, "192.0.2.6");
  const prepare = async (page: Page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Kolkata" });
    onTestFinished(() => session.detach());
  };
  const { page } = await ui.open(path, { prepare });
  const expiry = page.locator("time[title='2098-11-20 21:00:00 UTC']");
  expect(await expiry.innerText()).toContain("2098-11-21 02:30:00 GMT+5:30");
  const issued = page.getByRole("listitem").filter({ hasText: "issued this token" }).locator("time");
  expect(await issued.innerText()).toContain("GMT+5:30");
  const zone = page.getByText(/in India Standard Time \(GMT\+5:30\)/);
  await expect.poll(() => zone.count()).toBe(2);

  await page.getByRole("button", { name: "Hour by hour" }).click();
  expect(await page.getByRole("table", { name: "Calls by outcome" }).innerText()).toMatch(/:30–\d\d:30/);
  expect(await page.locator(".chart-ticks").innerText()).toMatch(/(00|06|12|18):30/);
  expect(await page.locator(".chart-bar title").last().textContent()).toMatch(/:30–\d\d:30.*:00–\d\d:00 UTC$/s);
  expect(await page.getByText("each bar starts 30 minutes past the hour", { exact: false }).count()).toBe(1);
});

describe("the page of a token", () => {
  test("that does not exist says so, without offering to try again and without field names", async () => {
    const { page } = await ui.open();
    for (const id of ["nope", "01J00000000000000000000000"]) {
      await page.evaluate(`history.pushState(null, "", "/?token=${id}")`);
      await page.getByRole("heading", { level: 1, name: "There is no token with this id" }).waitFor();
      expect(await page.getByRole("main").innerText()).not.toMatch(/Try again|token_id|Correct/);
      expect(await page.title()).toBe("Token not found – API settings – Integration API");
      expect(await seriousFlaws(page)).toEqual(noFlaws);
      await page.getByRole("link", { name: "All tokens" }).click();
      await page.waitForURL(`${ui.service.baseUrl}/`);
    }
  });

  test("names the token in the tab's title, and who invoked the admin function; the list's title comes back", async () => {
    const { path, token_id } = await issue("titled", { invoked_by: "alice" });
    const requestId = String((await get(token_id)).issued_by).split(":")[1];
    const { page } = await ui.open(path);
    const issued = page.getByRole("listitem").filter({ hasText: "alice, by command, issued this token" });
    await issued.getByText(`Request id ${requestId}`).waitFor();
    await expect.poll(() => page.title()).toBe("titled – API settings – Integration API");
    await page.getByRole("link", { name: "All tokens" }).click();
    await expect.poll(() => page.title()).toBe("API settings – Integration API");
  });

  test("keeps its contents and reports the failure when reloading fails", async () => {
    const { path } = await issue("kept");
    let repair = async () => {};
    const prepare = async (page: Page) => {
      repair = await letFail(page, "tokens/*/usage*");
    };
    const { page, dialog } = await ui.open(path, { prepare });
    await page.getByText("The usage could not be loaded").waitFor();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await repair();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No calls in the last 24 hours.").waitFor();

    repair = await letFail(page, "tokens/**");
    await page.getByRole("button", { name: "Refresh the usage" }).click();
    await page.getByText("The usage could not be refreshed").waitFor();
    await page.getByText("What you see was loaded").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel(/^Comment/).fill("lost");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await dialog.getByText("The changes may or may not have been saved.", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("The token could not be refreshed").waitFor();
    await page.getByRole("heading", { level: 1, name: "kept" }).waitFor();
    await page.getByText("No calls in the last 24 hours.").waitFor();
    await repair();
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("The token could not be refreshed").waitFor({ state: "detached" });
  });
});
