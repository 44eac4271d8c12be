import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Console } from "../support/console.ts";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import {
  chooseOption,
  clipboard,
  closed,
  copyable,
  follow,
  hides,
  letFail,
  press,
  shows,
  titled,
  useInterface,
} from "./web-interface.ts";

const ui = useInterface();

const get = (token_id: string) => ui.admin("get", { token_id });

describe("a token that is shown once", () => {
  /** Opens the dialog with a new token's value, on a page that was reached by a link. */
  const issued = async () => {
    const console = await ui.open("/keys");
    const { page, dialog } = console;
    await follow(page, "API settings");
    await press(page, "Issue a token");
    await press(dialog, "Use my address");
    await press(dialog, "Issue token");
    await titled(dialog, "The token was issued");
    return { ...console, token: await copyable(dialog, "Token") };
  };

  const asks = ({ dialog }: Console) => shows(dialog, "You have not copied the token");

  test("survives Back, Escape, a click outside, a link and the buttons, each twice, and can then be copied", async () => {
    const console = await issued();
    const { page, dialog, token } = console;
    const linkBehind = page.getByRole("link", { name: "API key management", includeHidden: true });
    const attempts = [
      () => page.goBack(),
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(5, 500),
      () => press(dialog, /^Close/),
      () => press(dialog, "Done"),
      () => linkBehind.dispatchEvent("click"),
    ];
    for (const attempt of attempts) {
      await attempt();
      await asks(console);
      await attempt();
      await dialog.getByText(token, { exact: true }).waitFor();
      expect(page.url()).toBe(`${ui.service.baseUrl}/`);
    }
    await press(dialog, "Copy: Token");
    await hides(dialog, "You have not copied the token");
    expect(await clipboard(page)).toBe(token);
  });

  test("triggers the browser's warning before a reload, and counts as copied with its curl command, which works", async () => {
    const { page, dialog, token } = await issued();
    const asked = page.waitForEvent("dialog");
    const reload = page.evaluate("location.reload()");
    await (await asked).dismiss();
    await reload;
    await dialog.getByText(token, { exact: true }).waitFor();
    await press(dialog, "Copy: Try it");
    await shows(dialog, "The token is in your clipboard.");
    const command = `${await clipboard(page)} -s -o /dev/null -w '%{http_code}'`;
    expect(await promisify(execFile)("sh", ["-c", command])).toMatchObject({ stdout: "200" });
    await page.goBack();
    await closed(dialog);
    expect(page.url()).toBe(`${ui.service.baseUrl}/`);
    await page.goBack();
    await page.waitForURL(`${ui.service.baseUrl}/keys`);
  });

  test("can be selected and copied manually only as a whole if the browser denies access to the clipboard", async () => {
    const console = await issued();
    const { page, dialog, token } = console;
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
    await press(dialog, "Copy: Token");
    await shows(dialog, "The browser did not allow copying.");
    await page.evaluate(`(() => {
      const [text] = document.querySelector("[role=dialog] code").childNodes;
      getSelection().setBaseAndExtent(text, 0, text, 9);
    })()`);
    await page.keyboard.press("Control+C");
    await press(dialog, "Done");
    await asks(console);

    await press(dialog, "Copy: Token");
    await page.keyboard.press("Control+C");
    await shows(dialog, "The token is in your clipboard.");
    expect(await clipboard(page)).toBe(token);
    await press(dialog, "Done");
    await closed(dialog);
  });

  test("survives Back while the response is pending, even if the predecessor can no longer be loaded", async () => {
    const { path, token_id } = await ui.issue("rotated with Back");
    const console = await ui.open(path);
    const { page, dialog } = console;
    const { promise: held, resolve: proceed } = Promise.withResolvers<void>();
    await page.route("**/rotate", (route) => held.then(() => route.continue()));
    await press(page, "Rotate");
    await letFail(page, `tokens/${token_id}`, { status: 404 });
    await press(dialog, "Rotate token");
    await page.goBack();
    proceed();
    await page.getByRole("heading", { name: "There is no token with this id", includeHidden: true }).waitFor();
    await titled(dialog, "The new token was issued");
    await page.goBack();
    await asks(console);
    expect(page.url()).toBe(ui.service.baseUrl + path);
  });
});

describe("an edit of a token", () => {
  test("sends only the changed fields, and appears in the history", async () => {
    const { path, token_id } = await ui.issue("before", { expires_at: "2099-01-01T00:00:00Z", rate_limit: 60 });
    const { page, dialog } = await ui.open(path);
    const sent: unknown[] = [];
    page.on("request", (request) => request.method() === "PUT" && sent.push(request.postDataJSON()));
    const edit = async (change: () => Promise<void>) => {
      await press(page, "Edit");
      await change();
      await press(dialog, "Save changes");
      await closed(dialog);
    };
    await edit(async () => {});
    await edit(async () => {
      await shows(dialog, "Ends 2099-01-01");
      await chooseOption(dialog, /^Expires/, "Never expires");
      await dialog.getByLabel(/^Requests per minute/).fill("600");
    });
    await edit(async () => {
      await chooseOption(dialog, /^Expires/, "On a date");
      await dialog.getByLabel("Date", { exact: true }).fill("2098-07-01");
      await dialog.getByLabel(/^Requests per minute/).fill("");
    });
    expect(sent).toEqual([
      { expires_at: null, rate_limit: 600 },
      { expires_at: expect.stringMatching(/^2098-07-0/), rate_limit: null },
    ]);
    expect(await get(token_id)).toMatchObject({ comment: "before", rate_limit: null });
    await shows(page, "edited this token: it never expires, at most 600 requests per minute.");
  });

  test("explains invalid fields, and moves the focus to the first one", async () => {
    const { path } = await ui.issue("invalid edit");
    const { page, dialog } = await ui.open(path);
    await press(page, "Edit");
    await dialog.getByLabel(/^Comment/).fill("c".repeat(256));
    await dialog.getByLabel(/^Requests per minute/).fill("many");
    await page.keyboard.press("Enter");
    await shows(dialog, "The comment must be at most 255 characters; it has 256.");
    await shows(dialog, "Enter a whole number, or leave the field empty.");
    await expect.poll(() => page.evaluate("document.activeElement.ariaInvalid")).toBe("true");
    expect(await page.evaluate("document.activeElement.value.length")).toBe(256);

    await dialog.getByLabel(/^Comment/).fill("short");
    await dialog.getByLabel(/^Requests per minute/).fill("0");
    await press(dialog, "Save changes");
    await shows(dialog, "Requests per minute must be a whole number from 1 to 100000.");
    await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("0");
  });

  test("shows when a rotated token ends and why this cannot be edited, and lets the admin change the rest", async () => {
    const { path, token_id } = await ui.issue("rotated");
    await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
    const { page, dialog } = await ui.open(path);
    await press(page, "Edit");
    await shows(dialog, "its grace period decides when it ends");
    await shows(dialog, /in (1 hour|\d+ minutes)/);
    expect(await dialog.getByRole("button", { name: /^Expires/ }).count()).toBe(0);
    await dialog.getByLabel(/^Comment/).fill("rotated and renamed");
    await press(dialog, "Save changes");
    await titled(page, "rotated and renamed");
  });
});

test("leak warnings stop and return for each address separately", async () => {
  const { path, token_id } = await ui.issue("recognised");
  await ui.leak(token_id, "192.0.2.1", "192.0.2.1", "192.0.2.2");
  const { page, dialog } = await ui.open(path);
  const warning = page.getByText(/^Somebody used this token from/);
  const table = page.getByRole("table", { name: "Wrong addresses" });
  await warning.waitFor();
  await table.getByRole("row", { name: /192\.0\.2\.1\s+2\s/ }).waitFor();

  await press(table, "Stop warning about 192.0.2.1");
  await press(dialog, "Stop warning");
  await table.getByRole("row", { name: /192\.0\.2\.1\s.*No warnings since.*by admin@example\.com/s }).waitFor();
  await press(page, /^Yes, stop warning/);
  await shows(dialog, "192.0.2.2");
  await press(dialog, "Stop warning");
  await warning.waitFor({ state: "detached" });
  await press(table, "Warn again about 192.0.2.1");
  await press(dialog, "Warn again");
  await warning.waitFor();
  expect(await get(token_id)).toMatchObject({ dismissed_addresses: [{ ip: "192.0.2.2" }] });
});

test("the usage shows the outcomes of a token's calls, and the addresses from which calls were rejected", async () => {
  const { path, token, token_id } = await ui.issue("counted");
  const { page } = await ui.open(path);
  await shows(page, "No calls in the last 24 hours.");
  await ui.use(token);
  await ui.service.call("GET", "/api/v1/key?limit=0", { token });
  await ui.counted(token_id, 2);
  await press(page, "Refresh the usage");
  await page.getByRole("img", { name: "Calls in the last 24 hours: 1 answered, 1 refused" }).waitFor();
  const refusal = page.getByRole("table", { name: "Last rejections and failures" }).getByRole("row").nth(1);
  expect(await refusal.innerText()).toMatch(/422 validation_failed.*127\.0\.0\.1.*GET \/api\/v1\/key/s);
  await press(page, "Hour by hour");
  // The two calls may be in different hours.
  await page.getByRole("row", { name: /\s[01]\s+1\s+0\s+validation_failed 1/ }).waitFor();
  await press(page, "7 days");
  await page.getByRole("img", { name: "Calls in the last 7 days: 1 answered, 1 refused" }).waitFor();
});

test("a rotation is unfinished while the old token is in use, until an admin ends the old token", async () => {
  const { path, token, token_id } = await ui.issue("half way");
  const successor = await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
  await ui.use(token);
  await ui.counted(token_id, 1);
  const { page, dialog } = await ui.open(path);
  await shows(page, "The old token is still in use");
  await shows(page, "The new token has not been used.");
  await page.getByRole("button", { name: "End the old token now" }).press("Enter");
  await shows(dialog, "The old token is still in use");
  await dialog.getByRole("button", { name: "End the old token now" }).press("Enter");
  await hides(page, "The old token is still in use");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
  expect((await ui.use(token)).json()).toMatchObject({ code: "token_revoked" });
  expect((await ui.use(String(successor.token))).status).toBe(200);
});

test("times use the viewer's time zone and name it, in the table and in the history", async () => {
  const { path, token_id } = await ui.issue("seen from India", { expires_at: "2098-11-20T21:00:00Z" });
  await ui.leak(token_id, "192.0.2.6");
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
  await expect.poll(() => page.getByText(/in India Standard Time \(GMT\+5:30\)/).count()).toBe(2);

  await press(page, "Hour by hour");
  expect(await page.getByRole("table", { name: "Calls by outcome" }).innerText()).toMatch(/:30–\d\d:30/);
});

describe("the page of a token", () => {
  test("reports that the token does not exist, without a retry button and without field names", async () => {
    const { page } = await ui.open("/?token=01J00000000000000000000000");
    await titled(page, "There is no token with this id");
    expect(await page.getByRole("main").innerText()).not.toMatch(/Try again|token_id|Correct/);
    expect(await page.title()).toBe("Token not found – API settings – Integration API");
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await follow(page, "All tokens");
    await page.waitForURL(`${ui.service.baseUrl}/`);
    await expect.poll(() => page.title()).toBe("API settings – Integration API");
  });

  test("keeps its contents and reports the failure if reloading fails", async () => {
    const { path } = await ui.issue("kept");
    const { page } = await ui.open(path);
    await shows(page, "No calls in the last 24 hours.");
    expect(await page.title()).toBe("kept – API settings – Integration API");
    const repair = await letFail(page, "tokens/**");
    await press(page, "Refresh the usage");
    await shows(page, "The usage could not be refreshed");
    await shows(page, "What you see was loaded");
    await titled(page, "kept");
    await shows(page, "No calls in the last 24 hours.");
    await repair();
    await press(page, "Try again");
    await hides(page, "The usage could not be refreshed");
  });
});
