import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { addresses } from "../../lambdas/shared/addresses.ts";
import type { Console } from "../support/console.ts";
import type { DialogTrialName } from "./dialog-names.ts";
import { chooseOption, press, type useInterface } from "./web-interface.ts";

/** What a test does with a dialog. */
interface DialogTrial {
  /** Creates the dialog's subject, and returns the address of its page. */
  prepare: (name: string) => Promise<string>;
  /** The buttons that open it. */
  press: readonly (string | RegExp)[];
  fill?: (dialog: Locator, name: string) => Promise<void>;
  /** The text on the page or in the dialog once everything was sent. */
  result: string;
  /** The buttons that close the result. */
  close?: readonly string[];
  requests?: number;
  /** The button that retries after a failure. By default, it is the button that was pressed first. */
  again?: string;
  elsewhere?: ChangeElsewhere;
}

/** A change in another tab, while the dialog is open. */
interface ChangeElsewhere {
  action: string;
  /** The action's fields other than the page's subject. */
  fields: (name: string) => object;
  /** The resulting text in the dialog or on the page. */
  says: string;
  /** What happens to this dialog: it closes, it stays, or it stays and the next press goes ahead anyway. */
  outcome: "closes" | "is refused" | "asks again";
}

const changes =
  (outcome: ChangeElsewhere["outcome"]) =>
  (action: string, says: string, fields: ChangeElsewhere["fields"] = () => ({})): ChangeElsewhere => ({
    action,
    says,
    outcome,
    fields,
  });
const closesAfter = changes("closes");
const isRefusedAfter = changes("is refused");
const asksAgainAfter = changes("asks again");

export const dialogTrials = (ui: ReturnType<typeof useInterface>): Record<DialogTrialName, DialogTrial> => {
  const codes = new Map<string, string>();
  const tokenIds = new Map<string, string>();
  const list = async () => addresses.tokens;
  const tokenPage = async (name: string) => (await ui.issue(name)).path;
  const trustPage = async (name: string) => (await ui.trust(name)).path;
  const keyPage = async (key_id: string) => {
    await ui.addKeys(key_id);
    return addresses.key(key_id);
  };
  const waitingClient = async (name: string) => {
    const { path, text } = await ui.invite(name);
    codes.set(name, (await ui.redeem(text, "127.0.0.2")).code);
    return path;
  };
  const leakedToken = async (name: string) => {
    const { token_id, token, path } = await ui.issue(name);
    await ui.use(token, "127.0.0.3");
    const leaks = async () => (await ui.admin("usage", { token_id })).leaks;
    await expect.poll(leaks, { message: "The leak has been counted." }).toMatchObject({ addresses: [{}] });
    return path;
  };
  const tokenAfter = (action: string, fields: object) => async (name: string) => {
    const { token_id, path } = await ui.issue(name);
    await ui.admin(action, { token_id, ...fields });
    return path;
  };
  const twoTokens = async (name: string) => {
    for (let count = 0; count < 2; count += 1) tokenIds.set(name, (await ui.issue(name)).token_id);
    return `/?find=${encodeURIComponent(name)}`;
  };
  const oneOfTwo = (name: string) => ({ token_id: tokenIds.get(name) });
  const anHour = { grace_seconds: 3_600 };
  const comment = (dialog: Locator, name: string) => dialog.getByLabel(/^Comment/).fill(`${name} again`);
  const theirComment = () => ({ comment: "theirs" });
  const theirValue = () => ({ v_code: "x".repeat(64) });
  const replacedElsewhere = asksAgainAfter("replace_key", "after this page showed the key", theirValue);
  const withoutCopying = ["Done", "Close without copying"];
  const selectedTokens = ["Refresh", "Select all tokens on this page", "Selected tokens"];
  const several = {
    prepare: twoTokens,
    requests: 2,
    result: "Result",
    close: ["Close"],
    again: "Try again for 2 tokens",
  };

  return {
    invite: {
      prepare: list,
      press: ["Invite a client"],
      fill: comment,
      result: "Send this command to the client's operator",
      close: withoutCopying,
    },
    issue: {
      prepare: list,
      press: ["Issue a token"],
      fill: (dialog) => press(dialog, "Use my address (127.0.0.1)"),
      result: "The token was issued",
      close: withoutCopying,
    },
    edit: {
      prepare: tokenPage,
      press: ["Edit"],
      fill: comment,
      result: "was edited.",
      elsewhere: asksAgainAfter("update", "Somebody has changed this to “theirs”.", theirComment),
    },
    rotate: {
      prepare: tokenPage,
      press: ["Rotate"],
      fill: (dialog) => dialog.getByLabel("In 7 days").check(),
      result: "The new token was issued",
      close: withoutCopying,
      elsewhere: isRefusedAfter("rotate", "This token has already been rotated.", () => anHour),
    },
    revoke: {
      prepare: tokenPage,
      press: ["Revoke"],
      result: "was revoked.",
      elsewhere: closesAfter("rotate", "was revoked. It has been replaced meanwhile", () => anHour),
    },
    "revoke and invite": {
      prepare: leakedToken,
      press: [/^No, revoke and invite again/],
      result: "was revoked.",
      close: ["Cancel"],
      elsewhere: closesAfter("revoke", "was revoked."),
    },
    "end old": {
      prepare: tokenAfter("rotate", anHour),
      press: ["End the old token now"],
      result: "has ended.",
      elsewhere: closesAfter("revoke", "has ended."),
    },
    confirm: {
      prepare: waitingClient,
      press: [/^Confirm /],
      fill: (dialog, name) => dialog.getByLabel("Code").fill(String(codes.get(name))),
      result: "127.0.0.2 was confirmed.",
      elsewhere: isRefusedAfter("revoke", "The address was not confirmed"),
    },
    reject: {
      prepare: waitingClient,
      press: [/^Reject /],
      result: "The request from 127.0.0.2 was rejected.",
      elsewhere: isRefusedAfter("revoke", "The request was not rejected"),
    },
    dismiss: {
      prepare: leakedToken,
      press: [/^Stop warning about/],
      result: "There will be no more warnings about 127.0.0.3.",
      elsewhere: isRefusedAfter("revoke", "The warning has not stopped"),
    },
    restore: {
      prepare: tokenAfter("dismiss_leak", { ip: "127.0.0.3" }),
      press: [/^Warn again/],
      result: "There will be warnings about 127.0.0.3 again.",
      elsewhere: isRefusedAfter("revoke", "There are still no warnings about the address"),
    },
    trust: {
      prepare: list,
      press: ["Trust a workload"],
      fill: async (dialog, name) => {
        const repository = name.replaceAll(" ", "-");
        await dialog.getByLabel("Repository").fill(`https://github.com/octo-org/${repository}`);
      },
      result: "Set up the workload",
    },
    "edit trust": {
      prepare: trustPage,
      press: ["Edit"],
      fill: comment,
      result: "was edited.",
      elsewhere: asksAgainAfter("update_trust", "Somebody has changed this to “theirs”.", theirComment),
    },
    "end trust": {
      prepare: trustPage,
      press: ["End trust"],
      result: "is no longer trusted.",
      elsewhere: closesAfter("end_trust", "is no longer trusted."),
    },
    "end trust tokens": {
      prepare: trustPage,
      press: ["End tokens"],
      result: "have ended.",
      elsewhere: closesAfter("end_trust", "have ended."),
    },
    "several revoke": {
      ...several,
      press: [...selectedTokens, "Revoke…"],
      elsewhere: closesAfter("revoke", "2 of 2 tokens revoked", oneOfTwo),
    },
    "several expiry": {
      ...several,
      press: [...selectedTokens, "Set expiry…"],
      fill: (dialog) => chooseOption(dialog, /^Expires/, "30 days"),
      elsewhere: closesAfter("revoke", "1 of 2 tokens changed", oneOfTwo),
    },
    "key add": {
      prepare: async () => addresses.keys,
      press: ["Add a key"],
      fill: async (dialog, name) => {
        await dialog.getByLabel("key_id").fill(name);
        await dialog.getByLabel("v_code").fill("v".repeat(64));
      },
      result: "was added.",
      elsewhere: isRefusedAfter("create_key", "The key_id has already been taken.", (key_id) => ({
        key_id,
        ...theirValue(),
      })),
    },
    "key replace": {
      prepare: keyPage,
      press: ["Replace v_code"],
      fill: (dialog) => press(dialog, "Generate"),
      result: "was replaced.",
      elsewhere: replacedElsewhere,
    },
    "key delete": { prepare: keyPage, press: ["Delete"], result: "was deleted.", elsewhere: replacedElsewhere },
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
