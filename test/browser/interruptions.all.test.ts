import { expect, test } from "vitest";
import { isTrustId } from "../../lambdas/domain/tokens/trust-id.ts";
import { dialogTrials, openDialog, pressEach } from "./dialogs.ts";
import { useInterface } from "./web-interface.ts";

const ui = useInterface();
const trials = Object.entries(dialogTrials(ui));

const nameOf = (kind: string, what: string) => `${kind}-${what}`.replaceAll(" ", "-");

test("Escape, Back and a click outside close any dialog, ask first if something was entered, and send nothing", async () => {
  const console = await ui.open();
  const { page, dialog, observed } = console;
  const leave = [() => page.keyboard.press("Escape"), () => page.goBack(), () => page.mouse.click(5, 890)];
  for (const [index, [kind, trial]] of trials.entries()) {
    const { fill, ...untouched } = trial;
    const name = nameOf(kind, "left");
    await openDialog(console, untouched, name);
    const address = page.url();
    observed.requests.length = 0;
    // A code is quickly entered again.
    const asks = fill && kind !== "confirm";
    // Forms are tested in all these ways below.
    for (const [count, attempt] of leave.entries()) {
      if (asks && count !== index % leave.length) continue;
      if (!(await dialog.count())) await pressEach(console, trial.press.slice(-2));
      if (!asks) await fill?.(dialog, name);
      await attempt();
      await dialog.waitFor({ state: "detached" });
    }
    if (asks) {
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

test("a reload closes any dialog; an offline dialog sends nothing, and later sends or reports another tab's change", async () => {
  const console = await ui.open("/", { isolated: true });
  const { page, dialog, observed } = console;
  for (const [kind, trial] of trials) {
    const { press, fill, elsewhere, again, result, close = [] } = trial;
    const name = nameOf(kind, "offline");
    await openDialog(console, trial, name);
    observed.requests.length = 0;
    await page.reload();
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    expect(await dialog.count(), kind).toBe(0);

    await pressEach(console, press);
    await fill?.(dialog, name);
    await page.context().setOffline(true);
    await dialog.getByRole("button").last().click();
    await dialog.getByText("nothing was sent", { exact: false }).first().waitFor();
    // One message is on the page, and one in the dialog.
    expect(await page.getByRole("alert").filter({ hasText: "could not be" }).count(), kind).toBe(0);
    await page.context().setOffline(false);
    expect(
      observed.requests.filter((request) => request.method() !== "GET" && request.failure() === null),
      kind,
    ).toEqual([]);

    if (elsewhere) {
      const { token: token_id, key: key_id } = Object.fromEntries(new URL(page.url()).searchParams);
      const subject = {
        ...(token_id && { [isTrustId(token_id) ? "trust_id" : "token_id"]: token_id }),
        ...(key_id && { key_id }),
      };
      await ui.admin(elsewhere.action, { ...subject, ...elsewhere.fields(name) });
    }
    const pressAgain = () =>
      dialog
        .getByRole("button", again ? { name: again } : {})
        .last()
        .and(page.locator(":enabled"))
        .click();
    await pressAgain();
    await page
      .getByText(elsewhere?.says ?? result)
      .first()
      .waitFor();
    if (elsewhere?.outcome === "asks again") {
      await pressAgain();
      await page.getByText(result).first().waitFor();
    }
    for (const label of elsewhere?.outcome === "is refused" ? ["Cancel"] : close) {
      await dialog.getByRole("button", { name: label, exact: true }).click();
    }
    await dialog.waitFor({ state: "detached" });
  }
});
