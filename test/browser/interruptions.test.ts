import { expect, test } from "vitest";
import { dialogTrials, openDialog } from "./dialogs.ts";
import { useInterface } from "./web-interface.ts";

const ui = useInterface();
const trials = Object.entries(dialogTrials(ui));

const nameOf = (kind: string, what: string) => `${kind}-${what}`.replaceAll(" ", "-");

test("Escape and Back close any dialog, but ask first if something was entered, and send nothing", async () => {
  const console = await ui.open();
  const { page, dialog, observed } = console;
  const leave = [() => page.keyboard.press("Escape"), () => page.goBack(), () => page.mouse.click(5, 890)];
  for (const [index, [kind, trial]] of trials.entries()) {
    await openDialog(console, trial, nameOf(kind, "left"));
    const address = page.url();
    observed.requests.length = 0;
    for (const attempt of trial.fill ? leave : leave.slice(index % 2, (index % 2) + 1)) {
      await attempt();
      if (trial.fill) await dialog.getByText("Discard what you have entered?").waitFor();
    }
    if (trial.fill) await dialog.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(page.url(), kind).toBe(address);
    expect(
      observed.requests.filter((request) => request.method() !== "GET"),
      kind,
    ).toEqual([]);
  }
});

test("without a connection, and after a reload, any dialog sends nothing, and says that nothing was sent", async () => {
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
    await page.reload();
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    expect(await dialog.count(), kind).toBe(0);
    expect(
      observed.requests.filter((request) => request.method() !== "GET" && request.failure() === null),
      kind,
    ).toEqual([]);
  }
});
