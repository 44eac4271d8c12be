import type { Browser, Locator, Page, Response } from "playwright-core";
import { expect, test } from "vitest";
import { addresses } from "../../lambdas/addresses.ts";
import type { SeveralAction } from "../../web/pages/api-settings/list/several/several-plan.ts";
import type { OpenDialog as TokenDialog } from "../../web/pages/api-settings/token/open-dialog.ts";
import type { OpenDialog as KeyDialog } from "../../web/pages/keys/key-changes.ts";
import { openConsole, useServiceInBrowser } from "../support/console.ts";
import { newObservedPage } from "../support/observed-page.ts";
import { loginOf, type TestService } from "../support/service.ts";

let service: TestService;
let browser: Browser;
useServiceInBrowser((started) => {
  ({ service, browser } = started);
});

/** Every dialog that sends something. The types are those of the product, so that none can be left out. */
type DialogName = TokenDialog["name"] | `several ${SeveralAction}` | `key ${KeyDialog["name"]}` | "issue";

interface Trial {
  /** Creates the dialog's subject, and returns the address of the page that it is opened on. */
  prepare: (name: string) => Promise<string>;
  /** The button that opens it. */
  press: readonly (string | RegExp)[];
  fill?: (dialog: Locator, name: string) => Promise<void>;
  requests?: number;
  result: string;
  /** The button that closes the result. */
  close?: readonly string[];
}

const issue = async (comment: string) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", comment });
  return { token_id: String(token_id), token: String(token) };
};
const tokenPage = async (name: string) => addresses.token((await issue(name)).token_id);
const waiting = async (comment: string) => {
  const { token_id, invitation_text } = await service.admin({ action: "invite", comment });
  await service.call("POST", "/api/v1/token", { from: "127.0.0.2", token: String(invitation_text) });
  return addresses.token(String(token_id));
};
const twoTokens = async (name: string) => {
  for (let count = 0; count < 2; count += 1) await issue(name);
  return `/?find=${name}`;
};
const keyPage = async (key_id: string) => {
  await service.admin({ action: "create_key", key_id, v_code: "v".repeat(64) });
  return addresses.key(key_id);
};

const notCopied = ["Done", "Close without copying"];
const selected = ["Refresh", "Select all tokens on this page"];

const trials: Record<DialogName, Trial> = {
  invite: {
    prepare: async () => addresses.tokens,
    press: ["Invite a client"],
    result: "Send this line to the client's operator",
    close: notCopied,
  },
  issue: {
    prepare: async () => addresses.tokens,
    press: ["Invite a client"],
    fill: async (dialog) => {
      await dialog.getByText("Show me the token").click();
      await dialog.getByLabel(/^IP address/).fill("127.0.0.1");
    },
    result: "The token was issued",
    close: notCopied,
  },
  edit: {
    prepare: tokenPage,
    press: ["Edit"],
    fill: (dialog, name) => dialog.getByLabel(/^Comment/).fill(`${name} again`),
    result: "was edited.",
  },
  rotate: { prepare: tokenPage, press: ["Rotate"], result: "The successor was issued", close: notCopied },
  revoke: { prepare: tokenPage, press: ["Revoke"], result: "was revoked." },
  finish: {
    prepare: async (name) => {
      const { token_id } = await issue(name);
      await service.admin({ action: "rotate", token_id, grace_seconds: 3_600 });
      return addresses.token(token_id);
    },
    press: ["Finish the rotation"],
    result: "The rotation is finished",
  },
  confirm: { prepare: waiting, press: [/^Confirm /], result: "127.0.0.2 was confirmed." },
  reject: { prepare: waiting, press: [/^Reject /], result: "The request from 127.0.0.2 was rejected." },
  dismiss: {
    prepare: async (name) => {
      const { token_id, token } = await issue(name);
      await service.call("GET", "/api/v1/token", { from: "127.0.0.3", token });
      await expect
        .poll(async () => (await service.admin({ action: "usage", token_id })).leaks)
        .toMatchObject({ addresses: [{}] });
      return addresses.token(token_id);
    },
    press: [/^Dismiss the warning/],
    result: "The warning about 127.0.0.3 was dismissed.",
  },
  restore: {
    prepare: async (name) => {
      const { token_id } = await issue(name);
      await service.admin({ action: "dismiss_leak", token_id, ip: "127.0.0.3" });
      return addresses.token(token_id);
    },
    press: [/^Warn again/],
    result: "The service warns about 127.0.0.3 again.",
  },
  "several revoke": {
    prepare: twoTokens,
    press: [...selected, "Revoke…"],
    requests: 2,
    result: "Result",
    close: ["Close"],
  },
  "several expiry": {
    prepare: twoTokens,
    press: [...selected, "Set expiry…"],
    requests: 2,
    result: "Result",
    close: ["Close"],
  },
  "key add": {
    prepare: async () => addresses.keys,
    press: ["Add a key"],
    fill: async (dialog, name) => {
      await dialog.getByLabel("key_id").fill(name);
      await dialog.getByLabel("v_code").fill("v".repeat(64));
    },
    result: "was added.",
  },
  "key replace": {
    prepare: keyPage,
    press: ["Replace v_code"],
    fill: (dialog) => dialog.getByLabel("v_code").fill("w".repeat(64)),
    result: "was replaced.",
  },
  "key delete": { prepare: keyPage, press: ["Delete"], result: "was deleted." },
};

/**
 * Presses the last of the buttons, by default of the dialog, and after a delay presses whatever is then in its place. Without a
 * delay, there is also an Enter before both. The presses come from the page, so that their distance does not depend on the
 * test.
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
  "a second press %i ms after the first sends nothing and hides nothing, in any dialog and on a slow machine",
  async (delayMs) => {
    const { page, dialog, observed } = await openConsole(browser, service, loginOf(service, "Admin"));
    const processor = await page.context().newCDPSession(page);
    const slowDown = (rate: number) => processor.send("Emulation.setCPUThrottlingRate", { rate });
    const responses: Response[] = [];
    const record = (response: Response) => {
      if (response.request().method() !== "GET") responses.push(response);
    };
    page.on("response", record);
    for (const [kind, { prepare, press, fill, requests = 1, result, close = [] }] of Object.entries(trials)) {
      const name = `${kind}-${delayMs}`.replace(" ", "-");
      const address = await prepare(name);
      await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
      if (/[?](token|key)=/.test(address)) await page.getByRole("heading", { level: 1, name }).waitFor();
      for (const label of press) {
        const button = page.getByRole("button", { name: label, exact: true });
        await button
          .or(page.getByRole("checkbox", { name: label, exact: true }))
          .first()
          .click();
      }
      await fill?.(dialog, name);
      responses.length = 0;
      observed.requests.length = 0;

      await slowDown(6);
      await pressTwice(page, delayMs);
      await page
        .getByText(result, { exact: result === "Result" })
        .first()
        .waitFor();
      await slowDown(1);

      const sent = observed.requests.filter((request) => request.method() !== "GET");
      expect(
        sent.map((request) => request.url()),
        kind,
      ).toHaveLength(requests);
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
    expect(observed.errors).toEqual([]);
  },
);

test("a second press of the documentation's button repeats no call, and leaves its response on the page", async () => {
  const [page, { requests }] = await newObservedPage(browser);
  await page.goto(service.baseUrl + addresses.documentation);
  for (const delayMs of [0, 40, 100]) {
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "First call" }).click();
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Rotate your token" }).click();
    await page.getByLabel("Your token").fill(await service.issueToken());
    const before = requests.length;
    await pressTwice(page, delayMs, "button.send");
    await page.locator(".outcome .status", { hasText: "201" }).waitFor();
    expect(requests.slice(before).map((request) => request.method())).toEqual(["POST"]);
  }
});
