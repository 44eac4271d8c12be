import type { Browser, Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { logDelivery, requestEvent } from "../lambdas/support/log-delivery.ts";
import { type Console, openConsole, openIssueForm, useServiceInBrowser } from "../support/console.ts";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf, type TestService } from "../support/service.ts";

let service: TestService;
let browser: Browser;
useServiceInBrowser((started) => {
  ({ service, browser } = started);
});

const open = (path = "/"): Promise<Console> => openConsole(browser, service, loginOf(service, "Admin"), { path });

const issue = async (comment: string, fields: object = {}) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", comment, ...fields });
  return { path: `/?token=${token_id}`, token_id: String(token_id), token: String(token) };
};

const get = (token_id: string) => service.admin({ action: "get", token_id });

/** Counts calls with the correct secret from wrong addresses, a second apart. */
const leak = async (token_id: string, ...sources: string[]): Promise<void> => {
  const hour = Date.now() - (Date.now() % 3_600_000);
  const events = sources.map((source_ip, index) =>
    requestEvent(new Date(hour + index * 1000).toISOString(), {
      ...{ token_id, source_ip, code: "ip_not_allowed", status: 403, route: "GET /api/v1/key" },
      leak_signal: "right secret, wrong address",
    }),
  );
  await service.invoke("usage", logDelivery(events));
};

describe("a token that is shown once", () => {
  /** Opens the dialog with the text of a new token, on a page that was reached by a link. */
  const issued = async () => {
    const console = await open("/keys");
    const { page, dialog } = console;
    await page.getByRole("link", { name: "API settings" }).click();
    await openIssueForm({ page, dialog });
    await dialog.getByRole("button", { name: "Use my address" }).click();
    await dialog.getByRole("button", { name: "Issue token" }).click();
    await dialog.getByRole("heading", { name: "The token was issued" }).waitFor();
    const token = await dialog.getByRole("region", { name: "Token" }).locator("code").innerText();
    return { ...console, token };
  };

  const asks = ({ dialog }: Console) => dialog.getByText("You have not copied the token").waitFor();

  test("survives Back, Escape, a click outside, a link and the buttons, each of them twice, and is then copied", async () => {
    const console = await issued();
    const { page, dialog, token, observed } = console;
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
      expect(page.url()).toBe(`${service.baseUrl}/`);
    }
    await dialog.getByRole("button", { name: "Copy: Token" }).click();
    await dialog.getByText("You have not copied the token").waitFor({ state: "detached" });
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
    expect(observed.errors).toEqual([]);
  });

  test("is asked about by the browser before a reload", async () => {
    const { page, dialog, token } = await issued();
    const asked = page.waitForEvent("dialog");
    const reload = page.evaluate("location.reload()");
    await (await asked).dismiss();
    await reload;
    await dialog.getByText(token, { exact: true }).waitFor();
  });

  test("counts as copied with the curl line alone; Back then closes the dialog, and once more leaves the page", async () => {
    const { page, dialog } = await issued();
    await dialog.getByRole("button", { name: "Copy: Try it" }).click();
    await dialog.getByText("The token is in your clipboard.", { exact: false }).waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    expect(page.url()).toBe(`${service.baseUrl}/`);
    await page.goBack();
    await page.waitForURL(`${service.baseUrl}/keys`);
  });

  test("is gone only when that is what the admin says", async () => {
    const console = await issued();
    await console.page.keyboard.press("Escape");
    await asks(console);
    await console.dialog.getByRole("button", { name: "Close without copying" }).click();
    await console.dialog.waitFor({ state: "detached" });
  });

  test("can be selected and copied by hand if the browser refuses the clipboard, but not in part", async () => {
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

    await dialog.getByRole("button", { name: "Select the text" }).click();
    await page.keyboard.press("Control+C");
    await dialog.getByText("The token is in your clipboard.", { exact: false }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("survives Back after a rotation, too, and while the answer is awaited", async () => {
    const { path } = await issue("rotated with Back");
    const console = await open(path);
    const { page, dialog } = console;
    const { promise: held, resolve: proceed } = Promise.withResolvers<void>();
    await page.route("**/rotate", (route) => held.then(() => route.continue()));
    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByRole("button", { name: "Rotate token" }).click();
    await page.goBack();
    proceed();
    await dialog.getByRole("heading", { name: "The successor was issued" }).waitFor();
    await page.goBack();
    await asks(console);
    expect(page.url()).toBe(service.baseUrl + path);
  });
});

test("Back closes any other dialog and stays on the page", async () => {
  const { path } = await issue("closed with Back");
  const { page, dialog, observed } = await open("/");
  await page
    .getByRole("row", { name: /closed with Back/ })
    .getByRole("link")
    .click();
  for (const name of ["Edit", "Revoke"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    expect(page.url()).toBe(service.baseUrl + path);
  }
  await page.goBack();
  await page.waitForURL(`${service.baseUrl}/`);
  expect(observed.errors).toEqual([]);
});

test("a new token stays in view even if its predecessor can no longer be loaded", async () => {
  const { path, token_id } = await issue("removed meanwhile");
  const { page, dialog } = await open(path);
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.route(`**/admin/tokens/${token_id}`, (route) =>
    route.fulfill({ status: 404, json: { code: "token_not_found", message: "There is no token with this id." } }),
  );
  await dialog.getByRole("button", { name: "Rotate token" }).click();
  await page.getByRole("heading", { name: "There is no token with this id", includeHidden: true }).waitFor();
  await dialog.getByRole("heading", { name: "The successor was issued" }).waitFor();
});

test("Back puts aside the request to sign in again, and not the form below it", async () => {
  const { path } = await issue("half edited");
  const { page, dialog } = await open(path);
  await page.evaluate(`const session = JSON.parse(sessionStorage.getItem("session"));
    sessionStorage.setItem("session", JSON.stringify({ ...session, startedAt: Date.now() - 60_000 }));`);
  await page.reload();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await dialog.getByLabel(/^Comment/).fill("half of an edit");
  await page.route("**/admin/tokens/**", (route) => route.fulfill({ status: 401, json: { message: "Unauthorized" } }));
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor({ state: "detached" });
  expect(await dialog.getByLabel(/^Comment/).inputValue()).toBe("half of an edit");
  expect(page.url()).toBe(service.baseUrl + path);
});

describe("an edit of a token", () => {
  test("changes its comment, its expiry and its limit, sends only what was changed, and is in the history", async () => {
    const { path, token_id } = await issue("before", { expires_at: "2099-01-01T00:00:00Z" });
    const { page, dialog, observed } = await open(path);
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
    });

    expect(sent).toEqual([
      { comment: "after" },
      { expires_at: null, rate_limit: 600 },
      { expires_at: expect.stringMatching(/^2098-07-0/) },
    ]);
    expect(await get(token_id)).toMatchObject({ comment: "after", rate_limit: 600 });
    const edits = page.getByRole("listitem").filter({ hasText: "admin@example.com edited this token" });
    await expect.poll(() => edits.count()).toBe(3);
    expect(await edits.last().innerText()).toContain("this token: a new comment.");
    expect(await edits.nth(1).innerText()).toContain("this token: it never expires, at most 600 requests per minute.");
    expect(observed.errors).toEqual([]);
  });

  test("that is invalid is explained at the fields, in their words, and the first of them has the focus", async () => {
    const { path } = await issue("invalid edit");
    const { page, dialog } = await open(path);
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
    await service.admin({ action: "rotate", token_id, grace_seconds: 3_600 });
    const { page, dialog } = await open(path);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByText("its grace period decides when it ends", { exact: false }).waitFor();
    await dialog.getByText(/in (1 hour|5\d minutes)/).waitFor();
    expect(await dialog.getByRole("button", { name: /^Expires/ }).count()).toBe(0);
    await dialog.getByLabel(/^Comment/).fill("rotated and renamed");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { level: 1, name: "rotated and renamed" }).waitFor();
  });

  test("of a token that has ended in the meantime says so, and the page then shows it", async () => {
    const { path, token_id } = await issue("ended meanwhile");
    const { page, dialog } = await open(path);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await service.admin({ action: "revoke", token_id });
    await dialog.getByLabel(/^Comment/).fill("too late");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await dialog.getByText("The token was not edited").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("listitem").filter({ hasText: "revoked this token" }).waitFor();
  });
});

describe("a leak", () => {
  test("is dismissed address by address, is warned of again on request, and both are for good", async () => {
    const { path, token_id } = await issue("recognised");
    await leak(token_id, "192.0.2.1", "192.0.2.1", "192.0.2.2");
    const { page, dialog, observed } = await open(path);
    const alert = page.getByText("The correct secret came from a wrong address");
    const table = page.getByRole("table", { name: "Wrong addresses" });
    await alert.waitFor();
    await page.getByText("Dismiss the warning for those that it does recognise", { exact: false }).waitFor();
    await table.getByRole("row", { name: /192\.0\.2\.1\s+2\s/ }).waitFor();

    await table.getByRole("button", { name: "Dismiss the warning about 192.0.2.1" }).click();
    await dialog.getByText("You recognise this address", { exact: false }).waitFor();
    await dialog.getByText("Its calls are still refused.", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Dismiss warning" }).click();
    await table.getByRole("row", { name: /192\.0\.2\.1\s.*Dismissed.*by admin@example\.com/s }).waitFor();
    await page.getByText("One call was refused for this reason", { exact: false }).waitFor();

    await page.getByRole("button", { name: "Dismiss", exact: true }).first().click();
    await dialog.getByText("192.0.2.2").waitFor();
    await dialog.getByRole("button", { name: "Dismiss warning" }).click();
    await alert.waitFor({ state: "detached" });
    await page.reload();
    await table.getByRole("row", { name: /192\.0\.2\.2\s.*Dismissed/s }).waitFor();
    expect(await alert.count()).toBe(0);
    const history = page.getByRole("listitem").filter({ hasText: "admin@example.com dismissed the warning" });
    await expect.poll(() => history.count()).toBe(2);

    await table.getByRole("button", { name: "Warn again about 192.0.2.1" }).click();
    await dialog.getByRole("button", { name: "Warn again" }).click();
    await alert.waitFor();
    expect(await get(token_id)).toMatchObject({ dismissed_addresses: [{ ip: "192.0.2.2" }] });
    expect(observed.errors).toEqual([]);
  });

  test("leads to the revocation of the token from the warning itself", async () => {
    const { path, token_id } = await issue("leaked");
    await leak(token_id, "192.0.2.3");
    const { page, dialog } = await open(path);
    await page.getByText("revoke it and invite the client again", { exact: false }).filter({ visible: true }).waitFor();
    await page.getByRole("button", { name: "Revoke the token" }).click();
    await dialog.getByRole("button", { name: "Revoke token" }).click();
    await page.getByText("The correct secret came from a wrong address").waitFor({ state: "detached" });
    expect(await get(token_id)).toMatchObject({ state: "revoked" });
  });

  test("stays dismissed for a successor, which can still be warned of an address without calls", async () => {
    const { token_id } = await issue("handed on");
    await service.admin({ action: "dismiss_leak", token_id, ip: "192.0.2.4" });
    const successor = await service.admin({ action: "rotate", token_id, grace_seconds: 3_600 });
    const { page, dialog } = await open(`/?token=${successor.token_id}`);
    await page.getByRole("row", { name: /192\.0\.2\.4.*Dismissed/s }).waitFor();
    await page.getByRole("button", { name: "Warn again about 192.0.2.4" }).click();
    await dialog.getByRole("button", { name: "Warn again" }).click();
    await page.getByText("The service warns about 192.0.2.4 again.").waitFor();
    expect(await get(String(successor.token_id))).toMatchObject({ dismissed_addresses: [] });
  });

  test("from more addresses than can be dismissed says so in the dialog", async () => {
    const { path, token_id } = await issue("too many");
    for (let index = 1; index <= 20; index += 1) {
      await service.admin({ action: "dismiss_leak", token_id, ip: `198.51.100.${index}` });
    }
    await leak(token_id, "192.0.2.5");
    const { page, dialog } = await open(path);
    await page.getByRole("button", { name: "Dismiss", exact: true }).first().click();
    await dialog.getByRole("button", { name: "Dismiss warning" }).click();
    await dialog.getByText("The IP address cannot be dismissed", { exact: false }).waitFor();
  });
});

/** Shows a page as in another time zone. */
const openIn = async (timezoneId: string, path: string): Promise<Page> => {
  const prepare = async (page: Page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setTimezoneOverride", { timezoneId });
    onTestFinished(() => session.detach());
  };
  const { page } = await openConsole(browser, service, loginOf(service, "Admin"), { path, prepare });
  return page;
};

describe("times", () => {
  test.each([
    { timezoneId: "Asia/Kolkata", zone: /in India Standard Time \(GMT\+5:30\)/, offset: "GMT+5:30", minutes: "30" },
    { timezoneId: "America/St_Johns", zone: /in Newfoundland .* \(GMT-[23]:30\)/, offset: ":30", minutes: "30" },
    { timezoneId: "UTC", zone: /Times are in UTC\./, offset: "UTC", minutes: "00" },
  ])(
    "are in the zone of a viewer in $timezoneId, which is named, in the chart, the table and the history",
    async ({ timezoneId, zone, offset, minutes }) => {
      const { path, token_id } = await issue(`seen from ${timezoneId}`, { expires_at: "2098-11-20T21:00:00Z" });
      await leak(token_id, "192.0.2.6");
      const page = await openIn(timezoneId, path);
      const local = String(
        await page.evaluate(
          "new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' }).format(new Date('2098-11-20T21:00:00Z'))",
        ),
      );
      const expiry = page.locator("time[title='2098-11-20 21:00:00 UTC']");
      expect(await expiry.innerText()).toContain(local);
      expect(await expiry.innerText()).toContain(offset);
      const issued = page.getByRole("listitem").filter({ hasText: "issued this token" }).locator("time");
      expect(await issued.innerText()).toContain(offset);
      await page.getByText(zone).first().waitFor();
      expect(await page.getByText(zone).count()).toBe(2);

      await page.getByRole("button", { name: "Hour by hour" }).click();
      const span = new RegExp(`:${minutes}–\\d\\d:${minutes}`);
      expect(await page.getByRole("table", { name: "Calls by outcome" }).innerText()).toMatch(span);
      expect(await page.locator(".chart-ticks").innerText()).toMatch(new RegExp(`(00|06|12|18):${minutes}`));
      const bar = await page.locator(".chart-bar title").last().textContent();
      expect(bar).toMatch(span);
      expect(bar).toMatch(/:00–\d\d:00 UTC$/);
      expect(await page.getByText("each bar starts 30 minutes past the hour", { exact: false }).count()).toBe(
        minutes === "30" ? 1 : 0,
      );
    },
  );
});

describe("the page of a token", () => {
  const removed = "01J00000000000000000000000";

  test.each(["nope", removed])(
    "that does not exist, %s, says so, without a Try again and without names of fields",
    async (id) => {
      const { page, observed } = await open(`/?token=${id}`);
      await page.getByRole("heading", { level: 1, name: "There is no token with this id" }).waitFor();
      expect(await page.getByRole("main").innerText()).not.toMatch(/Try again|token_id|Correct/);
      expect(await page.title()).toBe("Token not found – API settings – Integration API");
      expect(await seriousFlaws(page)).toEqual(noFlaws);
      await page.getByRole("link", { name: "All tokens" }).click();
      await page.waitForURL(`${service.baseUrl}/`);
      expect(observed.errors).toEqual([]);
    },
  );

  test("names the token in the tab's title, and the list's title comes back with the list", async () => {
    const { path } = await issue("titled");
    const { page } = await open(path);
    await page.getByRole("heading", { level: 1, name: "titled" }).waitFor();
    await expect.poll(() => page.title()).toBe("titled – API settings – Integration API");
    await page.getByRole("link", { name: "All tokens" }).click();
    await expect.poll(() => page.title()).toBe("API settings – Integration API");
  });

  test("names the person who invoked the admin function, and the id of the invocation", async () => {
    const { path, token_id } = await issue("invoked", { invoked_by: "alice" });
    const { issued_by } = await get(token_id);
    const requestId = String(issued_by).split(":")[1];
    const { page } = await open(path);
    const issued = page.getByRole("listitem").filter({ hasText: "alice, by invocation, issued this token" });
    await issued.getByText(`Request id ${requestId}`).waitFor();
  });

  test("keeps what it shows when loading it again fails, and says so", async () => {
    const { path } = await issue("kept");
    const { page, dialog } = await open(path);
    await page.getByText("No calls in the last 24 hours.").waitFor();
    await page.route("**/admin/tokens/**", (route) => route.fulfill({ status: 503, json: { message: "No data." } }));
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

    await page.unroute("**/admin/tokens/**");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("The token could not be refreshed").waitFor({ state: "detached" });
  });
});

/** The elements that are cut off at the right of the window. */
const cutOff = (page: Page, scope: string): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(`${scope} *`)})]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
    .map(({ outerHTML }) => outerHTML.slice(0, 200))`);

describe("any width and any text", () => {
  const comment = `${"W".repeat(90)} مزامنة الفواتير 請求書 ${"ä".repeat(60)}`;
  const fits = async (page: Page, what: string, { scope = "main", widths = [320, 768] } = {}) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => cutOff(page, scope), { message: `${what} at ${width} px` }).toEqual([]);
    }
  };

  const dialogFits = async (page: Page, what: string) => {
    await fits(page, what, { scope: "[role=dialog]" });
    expect(await seriousFlaws(page, "[role=dialog]"), what).toEqual(noFlaws);
  };

  const troubled = async () => {
    const { path, token_id } = await issue(comment);
    const long = "2001:db8:85a3:1111:2222:8a2e:1370:7334";
    await leak(token_id, long, "2001:db8:85a3:1111:2222:8a2e:1370:7335");
    await service.admin({ action: "dismiss_leak", token_id, ip: long, invoked_by: "alice".repeat(20) });
    const console = await open(path);
    await console.page.getByRole("table", { name: "Wrong addresses" }).waitFor();
    return console;
  };

  test("leave the page of a token within the window, and without a serious accessibility flaw on a phone", async () => {
    const { page } = await troubled();
    await fits(page, "the page", { widths: [1440, 768, 390, 320] });
    expect(await seriousFlaws(page)).toEqual(noFlaws);
  });

  test("leave the dialogs within the window, and open when it is resized", async () => {
    const { page, dialog } = await troubled();
    for (const name of ["Edit", "Rotate", "Revoke", /^Dismiss the warning/]) {
      await page.getByRole("button", { name, exact: true }).first().click();
      await dialog.waitFor();
      await fits(page, String(name), { scope: "[role=dialog]" });
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  test("leave a new token, the end of a rotation and a dismissal within the window, and without serious flaws", async () => {
    const { page, dialog } = await troubled();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    await dialog.getByRole("button", { name: "Rotate token" }).click();
    await dialog.getByRole("heading", { name: "The successor was issued" }).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialogFits(page, "the new token");
    await dialog.getByRole("button", { name: "Close without copying" }).click();

    await page.getByRole("button", { name: "Finish the rotation" }).click();
    await dialog.waitFor();
    await dialogFits(page, "the end of the rotation");
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Dismiss", exact: true }).first().click();
    await dialog.waitFor();
    await dialogFits(page, "the dismissal");
  });
});

test("the page of a token is printed without buttons, with exact times, and with nothing cut off", async () => {
  const { path, token_id } = await issue("on paper");
  await leak(token_id, "192.0.2.1", "2001:db8:85a3:1111:2222:8a2e:1370:7335");
  const { page } = await open(path);
  await page.getByRole("table", { name: "Wrong addresses" }).waitFor();
  await page.emulateMedia({ media: "print" });
  for (const width of [700, 1000]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => cutOff(page, "main"), { message: `${width} px` }).toEqual([]);
    expect(await page.getByRole("button").filter({ visible: true }).count()).toBe(0);
  }
  const printed = await page.evaluate(`getComputedStyle(document.querySelector("table .moment"), "::after").content`);
  expect(printed).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (UTC|GMT)/);
});
