import type { Page, Response } from "playwright-core";
import { expect, test } from "vitest";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { newObservedPage } from "../support/observed-page.ts";
import { dialogTrials, openDialog } from "./dialogs.ts";
import { followContents, useInterface } from "./web-interface.ts";

const ui = useInterface();
const trials = dialogTrials(ui);

/**
 * Presses the last of the buttons, by default in the dialog, and after a delay presses whatever is then in its place. Without a
 * delay, it also presses Enter before both presses. The page makes the presses, so that their interval does not depend on the test.
 */
const pressTwice = async (page: Page, delayMs: number, buttons = "[role=dialog] button"): Promise<void> => {
  await page.evaluate(`(async () => {
    const button = [...document.querySelectorAll("${buttons}")].at(-1);
    button.scrollIntoView();
    const { x, y, width, height } = button.getBoundingClientRect();
    const press = () =>
      document
        .elementFromPoint(x + width / 2, y + height / 2)
        .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
    if (${delayMs} === 0) button.form.requestSubmit();
    press();
    if (${delayMs} > 0) await new Promise((resolve) => setTimeout(resolve, ${delayMs}));
    press();
  })()`);
};

test.each([0, 40, 100])(
  "a second press %i ms after the first sends nothing and hides nothing, in every dialog and even on a slow machine",
  async (delayMs) => {
    const console = await ui.open();
    const { page, dialog, observed } = console;
    const processor = await page.context().newCDPSession(page);
    const slowDown = (rate: number) => processor.send("Emulation.setCPUThrottlingRate", { rate });
    const responses: Response[] = [];
    const record = (response: Response) => {
      if (response.request().method() !== "GET") responses.push(response);
    };
    page.on("response", record);
    for (const [kind, trial] of Object.entries(trials)) {
      const { requests = 1, result, close = [] } = trial;
      await openDialog(console, trial, `${kind}-${delayMs}`.replace(" ", "-"));
      responses.length = 0;
      observed.requests.length = 0;

      await slowDown(6);
      await pressTwice(page, delayMs);
      await page
        .getByText(result, { exact: result === "Result" })
        .first()
        .waitFor();
      await slowDown(1);

      const sent = observed.requests.filter((request) => request.method() !== "GET").map((request) => request.url());
      expect(sent, kind).toHaveLength(requests);
      for (const response of responses) {
        expect(response.ok(), kind).toBe(true);
        const secret = /"(?:token|invitation_text)":"(\w+)"/.exec(await response.text())?.[1];
        if (secret) expect(await dialog.textContent(), kind).toContain(secret);
      }
      for (const label of close) await dialog.getByRole("button", { name: label, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    }
    page.off("response", record);
    await processor.detach();
  },
);

test("a second press of the documentation's button does not repeat the call, and keeps the response on the page", async () => {
  const [page, { requests }] = await newObservedPage(ui.browser);
  await page.goto(ui.service.baseUrl + addresses.documentation);
  for (const delayMs of [0, 40, 100]) {
    await followContents(page, "First call");
    await followContents(page, "Rotate your token");
    await page.getByLabel("Your token", { exact: true }).fill(await ui.service.issueToken());
    const before = requests.length;
    await pressTwice(page, delayMs, "button.send");
    await pressTwice(page, delayMs, "dialog[open] button");
    await page.locator(".outcome .status", { hasText: "201" }).waitFor();
    expect(requests.slice(before).map((request) => request.method())).toEqual(["POST"]);
  }
});
