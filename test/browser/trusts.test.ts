import { expect, test } from "vitest";
import { sentences, useInterface } from "./web-interface.ts";

const ui = useInterface();

test("a workload is trusted, gets tokens that are listed separately and can be revoked one by one, and is no longer trusted", async () => {
  const { page, dialog, row, choose } = await ui.open();
  await page.getByRole("button", { name: "Trust a workload" }).click();
  await dialog.getByLabel("Organisation or user").fill("acme");
  await dialog.getByLabel("Repository").fill("trusted");
  await dialog.getByRole("button", { name: "Trust workload" }).click();
  await dialog.getByText("Fill in this field.").waitFor();
  await dialog.getByLabel("Branch", { exact: true }).fill("main");
  const subject = "repo:acme/trusted:ref:refs/heads/main";
  expect(await dialog.getByLabel("Subject in its JWT").inputValue()).toBe(subject);
  // The composed subject can be edited by hand.
  await dialog.getByRole("button", { name: /^Platform/ }).click();
  await page.getByRole("option", { name: "Other" }).click();
  expect(await dialog.getByLabel("Subject").inputValue()).toBe(subject);
  await dialog.getByLabel("Issuer").fill("http://issuer.localhost");
  await dialog.getByRole("button", { name: "Trust workload" }).click();
  await dialog.getByText("must be the iss of the workload's JWT").waitFor();
  await dialog.getByLabel("Issuer").fill("https://issuer.localhost");
  await dialog.getByRole("button", { name: "Trust workload" }).click();
  await page.getByRole("heading", { name: "What its JWT must contain" }).waitFor();
  expect(await page.getByText(ui.service.baseUrl, { exact: true }).count()).toBe(1);

  const tokens = [await ui.exchange(subject), await ui.exchange(subject)];
  const statuses = () => Promise.all(tokens.map(async (token) => (await ui.use(token)).status));
  expect(await statuses()).toEqual([200, 200]);
  await page.goto(ui.service.baseUrl);
  await page.getByRole("button", { name: /tokens of trusted workloads$/ }).click();
  expect(await row("127.0.0.1").filter({ hasText: "Workload itself" }).count()).toBe(0);
  await page.getByRole("table", { name: "Trusted workloads" }).getByRole("link", { name: subject }).click();
  await page.getByRole("link", { name: "2 tokens" }).click();
  const listed = row("Workload itself");
  await expect.poll(() => listed.count()).toBe(2);
  await choose(listed.first(), "Revoke");
  await dialog.getByRole("button", { name: "Revoke token" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await statuses()).toSorted()).toEqual([200, 401]);

  await listed.last().getByRole("link").first().click();
  await page.getByText("exchanged a JWT for this token").waitFor();
  expect(await page.getByRole("button", { name: /^(Edit|Rotate|Invite again)$/ }).count()).toBe(0);
  await page.getByRole("link", { name: subject }).first().click();
  await page.getByRole("button", { name: "End trust" }).click();
  await dialog.getByText("has 1 token now, and each is refused from its next request.").waitFor();
  await dialog.getByRole("button", { name: "End trust" }).click();
  await page.getByText("is not trusted any more.").waitFor();
  expect(await statuses()).toEqual([401, 401]);
  await expect
    .poll(() => sentences(page))
    .toEqual([expect.stringMatching(/stopped trusting this workload/), expect.stringMatching(/trusted this workload/)]);
});
