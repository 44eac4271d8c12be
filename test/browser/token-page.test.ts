import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { type Console, openConsole } from "../support/console.ts";
import { loginOf, startService, type TestService } from "../support/service.ts";

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const open = (path = "/"): Promise<Console> => openConsole(browser, service, loginOf(service, "Admin"), { path });

const issue = async (comment: string, fields: object = {}) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", comment, ...fields });
  return { path: `/?token=${token_id}`, token_id: String(token_id), token: String(token) };
};

describe("a token that is shown once", () => {
  /** Opens the dialog with the text of a new token, on a page that was reached by a link. */
  const issued = async () => {
    const console = await open("/keys");
    const { page, dialog } = console;
    await page.getByRole("link", { name: "API settings" }).click();
    await page.getByRole("button", { name: "Issue a token" }).first().click();
    await dialog.getByRole("button", { name: "Use my address" }).click();
    await dialog.getByRole("button", { name: "Issue token" }).click();
    await dialog.getByRole("heading", { name: "The token was issued" }).waitFor();
    const token = await dialog.getByRole("region", { name: "Token" }).locator("code").innerText();
    return { ...console, token };
  };

  const asks = ({ dialog }: Console) => dialog.getByText("You have not copied the token").waitFor();

  test("survives Back, Forward, Escape, a click outside and a link, each of them twice, and is then copied", async () => {
    const console = await issued();
    const { page, dialog, token, observed } = console;
    const attempts = [
      () => page.goBack(),
      () => page.goForward(),
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(5, 500),
      () => dialog.getByRole("button", { name: "Close" }).first().click(),
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
});
