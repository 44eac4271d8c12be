import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { addresses } from "../../lambdas/shared/addresses.ts";
import type { Console } from "../support/console.ts";
import type { DialogTrialName } from "./dialog-names.ts";
import type { useInterface } from "./web-interface.ts";

interface DialogTrial {
  /** Creates the dialog's subject, and returns the address of its page. */
  prepare: (name: string) => Promise<string>;
  /** The button that opens it. */
  press: readonly (string | RegExp)[];
  fill?: (dialog: Locator, name: string) => Promise<void>;
  /** Changes something in another tab meanwhile. */
  elsewhere?: Elsewhere;
  /** The button that retries after a failure. By default, it is the button that was pressed first. */
  again?: string;
  requests?: number;
  result: string;
  /** The buttons that close the result. */
  close?: readonly string[];
}

interface Elsewhere {
  action: string;
  /** The action's fields other than the page's subject. */
  fields?: (name: string) => object;
  /** The resulting text in the dialog or on the page. */
  says: string;
  /** What happens to this dialog: it closes, it stays, or it stays and the next press goes ahead anyway. */
  outcome: "done" | "refused" | "asks again";
}

export const dialogTrials = (ui: ReturnType<typeof useInterface>): Record<DialogTrialName, DialogTrial> => {
  const codes = new Map<string, string>();
  const tokenIds = new Map<string, string>();
  const tokenPage = async (name: string) => (await ui.issue(name)).path;
  const waiting = async (name: string) => {
    const { path, text } = await ui.invite(name);
    codes.set(name, (await ui.redeem(text, "127.0.0.2")).code);
    return path;
  };
  const leaked = async (name: string) => {
    const { token_id, token, path } = await ui.issue(name);
    await ui.use(token, "127.0.0.3");
    const leaks = async () => (await ui.admin("usage", { token_id })).leaks;
    await expect.poll(leaks).toMatchObject({ addresses: [{}] });
    return path;
  };
  const twoTokens = async (name: string) => {
    for (let count = 0; count < 2; count += 1) tokenIds.set(name, (await ui.issue(name)).token_id);
    return `/?find=${encodeURIComponent(name)}`;
  };
  const keyPage = async (key_id: string) => {
    await ui.addKeys(key_id);
    return addresses.key(key_id);
  };
  const list = async () => addresses.tokens;
  const trustPage = async (name: string) => (await ui.trust(name)).path;
  const trustEnded = (outcome: Elsewhere["outcome"], says: string) => ({ action: "end_trust", outcome, says });
  const revoked = (outcome: Elsewhere["outcome"], says: string) => ({ action: "revoke", outcome, says });
  const rotated = (outcome: Elsewhere["outcome"], says: string) => ({
    ...{ action: "rotate", fields: () => ({ grace_seconds: 3_600 }), outcome, says },
  });
  const replaced: Elsewhere = {
    ...{ action: "replace_key", fields: () => ({ v_code: "x".repeat(64) }), outcome: "asks again" },
    says: "after this page showed the key",
  };
  const oneRevoked = (says: string): Elsewhere => ({
    ...{ action: "revoke", fields: (name) => ({ token_id: tokenIds.get(name) }), outcome: "done", says },
  });
  const notCopied = ["Done", "Close without copying"];
  const selected = ["Refresh", "Select all tokens on this page", "Selected tokens"];
  const several = {
    ...{ prepare: twoTokens, requests: 2, result: "Result", close: ["Close"], again: "Try again for 2 tokens" },
  };

  return {
    invite: {
      ...{ prepare: list, press: ["Invite a client"], close: notCopied },
      result: "Send this line to the client's operator",
      fill: (dialog, name) => dialog.getByLabel(/^Comment/).fill(name),
    },
    issue: {
      ...{ prepare: list, press: ["Issue a token"], result: "The token was issued", close: notCopied },
      fill: (dialog) => dialog.getByRole("button", { name: "Use my address (127.0.0.1)" }).click(),
    },
    edit: {
      ...{ prepare: tokenPage, press: ["Edit"], result: "was edited." },
      elsewhere: {
        ...{ action: "update", fields: () => ({ comment: "theirs" }), outcome: "asks again" },
        says: "Somebody has changed this to “theirs”.",
      },
      fill: (dialog, name) => dialog.getByLabel(/^Comment/).fill(`${name} again`),
    },
    rotate: {
      ...{ prepare: tokenPage, press: ["Rotate"], result: "The new token was issued", close: notCopied },
      fill: (dialog) => dialog.getByLabel("In 7 days").check(),
      elsewhere: rotated("refused", "This token has already been rotated."),
    },
    revoke: {
      ...{ prepare: tokenPage, press: ["Revoke"], result: "was revoked." },
      elsewhere: rotated("done", "was revoked. It has been replaced meanwhile"),
    },
    "revoke and invite": {
      ...{ prepare: leaked, press: [/^No, revoke and invite again/], result: "was revoked.", close: ["Cancel"] },
      elsewhere: revoked("done", "was revoked."),
    },
    "end old": {
      prepare: async (name) => {
        const { token_id, path } = await ui.issue(name);
        await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
        return path;
      },
      press: ["End the old token now"],
      ...{ result: "has ended.", elsewhere: revoked("done", "has ended.") },
    },
    confirm: {
      ...{ prepare: waiting, press: [/^Confirm /], result: "127.0.0.2 was confirmed." },
      elsewhere: revoked("refused", "The address was not confirmed"),
      // As read out on the phone.
      fill: (dialog, name) => dialog.getByLabel("Code").fill(`${codes.get(name)}`.toLowerCase().replace("-", " ")),
    },
    reject: {
      ...{ prepare: waiting, press: [/^Reject /], result: "The request from 127.0.0.2 was rejected." },
      elsewhere: revoked("refused", "The request was not rejected"),
    },
    dismiss: {
      ...{ prepare: leaked, press: [/^Stop warning about/], result: "There will be no more warnings about 127.0.0.3." },
      elsewhere: revoked("refused", "The warning has not stopped"),
    },
    restore: {
      prepare: async (name) => {
        const { token_id, path } = await ui.issue(name);
        await ui.admin("dismiss_leak", { token_id, ip: "127.0.0.3" });
        return path;
      },
      press: [/^Warn again/],
      result: "There will be warnings about 127.0.0.3 again.",
      elsewhere: revoked("refused", "There are still no warnings about the address"),
    },
    trust: {
      ...{ prepare: list, press: ["Trust a workload"], result: "What its JWT must contain" },
      fill: async (dialog, name) => {
        await dialog.getByLabel("Organisation or user").fill("octo-org");
        await dialog.getByLabel("Repository").fill(name);
        await dialog.getByLabel("Branch", { exact: true }).fill("main");
      },
    },
    "edit trust": {
      ...{ prepare: trustPage, press: ["Edit"], result: "was edited." },
      elsewhere: {
        ...{ action: "update_trust", fields: () => ({ comment: "theirs" }), outcome: "asks again" },
        says: "Somebody has changed this to “theirs”.",
      },
      fill: (dialog, name) => dialog.getByLabel(/^Comment/).fill(`${name} again`),
    },
    "end trust": {
      ...{ prepare: trustPage, press: ["End trust"], result: "is not trusted any more." },
      elsewhere: trustEnded("done", "is not trusted any more."),
    },
    "end trust tokens": {
      ...{ prepare: trustPage, press: ["End tokens"], result: "have ended." },
      elsewhere: trustEnded("done", "have ended."),
    },
    "several revoke": {
      ...{ ...several, press: [...selected, "Revoke…"], elsewhere: oneRevoked("2 of 2 tokens revoked") },
    },
    "several expiry": {
      ...{ ...several, press: [...selected, "Set expiry…"], elsewhere: oneRevoked("1 of 2 tokens changed") },
      fill: async (dialog) => {
        await dialog.getByRole("button", { name: /^Expires/ }).click();
        await dialog.page().getByRole("option", { name: "30 days" }).click();
      },
    },
    "key add": {
      ...{ prepare: async () => addresses.keys, press: ["Add a key"], result: "was added." },
      fill: async (dialog, name) => {
        await dialog.getByLabel("key_id").fill(name);
        await dialog.getByLabel("v_code").fill("v".repeat(64));
      },
      elsewhere: {
        ...{ action: "create_key", fields: (name) => ({ key_id: name, v_code: "x".repeat(64) }), outcome: "refused" },
        says: "The key_id has already been taken.",
      },
    },
    "key replace": {
      ...{ prepare: keyPage, press: ["Replace v_code"], result: "was replaced." },
      fill: (dialog) => dialog.getByRole("button", { name: "Generate" }).click(),
      elsewhere: replaced,
    },
    "key delete": { prepare: keyPage, press: ["Delete"], result: "was deleted.", elsewhere: replaced },
  };
};

/** Opens the page of a dialog's subject, then the dialog, and fills in its form. */
export const openDialog = async (console: Console, trial: DialogTrial, name: string): Promise<void> => {
  const { page } = console;
  const address = await trial.prepare(name);
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
  if (/[?](token|key)=/.test(address)) await page.getByRole("heading", { level: 1, name }).waitFor();
  await pressEach(console, trial.press);
  await trial.fill?.(console.dialog, name);
};

/** Presses the buttons that open a dialog. */
export const pressEach = async ({ page, dialog }: Console, labels: DialogTrial["press"]): Promise<void> => {
  for (const label of labels) {
    const named = { name: label, exact: true };
    await page
      .getByRole("button", named)
      .or(page.getByRole("checkbox", named))
      .or(page.getByRole("menuitem", named))
      .first()
      .click();
  }
  await dialog.waitFor();
};
