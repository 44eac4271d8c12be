import { expect, test } from "vitest";
import { dialogTrials, openDialog, pressEach } from "./dialogs.ts";
import { useInterface } from "./web-interface.ts";

const ui = useInterface();
const trials = Object.entries(dialogTrials(ui));

const nameOf = (kind: string, what: string) => `${kind}-${what}`.replaceAll(" ", "-");

test("Escape, Back and a click outside close any dialog, but ask first if something was entered, and send nothing", async () => {
  const console = await ui.open();
  const { page, dialog, observed } = console;
  const leave = [() => page.keyboard.press("Escape"), () => page.goBack(), () => page.mouse.click(5, 890)];
  for (const [index, [kind, trial]] of trials.entries()) {
    const { fill, ...untouched } = trial;
    const name = nameOf(kind, "left");
    await openDialog(console, untouched, name);
    const address = page.url();
    observed.requests.length = 0;
    await leave[index % leave.length]?.();
    await dialog.waitFor({ state: "detached" });
    if (fill) {
      await pressEach(console, trial.press.slice(-2));
      await fill(dialog, name);
      for (const attempt of leave) {
        await attempt();
        await dialog.getByText("Discard what you have entered?").waitFor();
      }
      await dialog.getByRole("button", { name: "Discard" }).click();
      await dialog.waitFor({ state: "detached" });
    }
    expect(page.url(), kind).toBe(address);
    expect(
      observed.requests.filter((request) => request.method() !== "GET"),
      kind,
    ).toEqual([]);
  }
});

test("without a connection any dialog sends nothing and says so, then tells what was done in another tab, and ends with a reload", async () => {
  const console = await ui.open("/", { isolated: true });
  const { page, dialog, observed } = console;
  for (const [kind, trial] of trials) {
    await openDialog(console, trial, nameOf(kind, "offline"));
    observed.requests.length = 0;
    await page.context().setOffline(true);
    await dialog.getByRole("button").last().click();
    await dialog.getByText("nothing was sent", { exact: false }).first().waitFor();
    // One message on the page, and the one in the dialog.
    expect(await page.getByRole("alert").filter({ hasText: "could not be" }).count(), kind).toBe(0);
    await page.context().setOffline(false);
    expect(
      observed.requests.filter((request) => request.method() !== "GET" && request.failure() === null),
      kind,
    ).toEqual([]);
    if (trial.elsewhere) {
      const { action, fields, says, canGoOn } = trial.elsewhere;
      const { token: token_id, key: key_id } = Object.fromEntries(new URL(page.url()).searchParams);
      await ui.admin(action, { ...(token_id && { token_id }), ...(key_id && { key_id }), ...fields });
      await dialog.getByRole("button").last().click();
      await page.getByText(says).first().waitFor();
      if (canGoOn) {
        await dialog.getByRole("button").last().and(page.locator(":enabled")).click();
        await page.getByText(trial.result).first().waitFor();
      }
    }
    await page.reload();
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    expect(await dialog.count(), kind).toBe(0);
  }
});
