import { expect, test } from "vitest";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import {
  clipboard,
  closed,
  copyable,
  follow,
  followContents,
  press,
  sentences,
  shownRows,
  shows,
  titled,
  useInterface,
} from "./web-interface.ts";

/* One way through each page. The files *.all.test.ts contain all other ways. */

const ui = useInterface();

test("a double press issues one token, which is shown until it is copied, works, is edited and is revoked", async () => {
  const { page, dialog, row, observed } = await ui.open();
  await press(page, "Issue a token");
  await dialog.getByLabel(/^Comment/).fill("a token's life");
  await dialog.getByLabel(/^Client/).fill("ACME");
  await press(dialog, "Use my address");
  await dialog.getByRole("button", { name: "Issue token" }).evaluate((button: { click: () => void }) => {
    button.click();
    button.click();
  });
  const token = await copyable(dialog, "Token");
  expect(observed.requests.filter((request) => request.method() === "POST")).toHaveLength(1);
  expect((await ui.use(token)).status).toBe(200);

  await page.goBack();
  await shows(dialog, "You have not copied the token");
  expect(await seriousFlaws(page, "[role=dialog]")).toEqual(noFlaws);
  await page.keyboard.press("Escape");
  await press(dialog, "Copy: Token");
  await press(dialog, "Done");
  await closed(dialog);
  expect(await page.content()).not.toContain(token);

  await shows(row("a token's life"), "ACME");
  await follow(row("a token's life"), "a token's life");
  await follow(page, "ACME");
  await expect.poll(() => shownRows(page)).toEqual(["a token's life"]);
  await follow(row("a token's life"), "a token's life");
  await titled(page, "a token's life");
  await press(page, "Edit");
  await dialog.getByLabel(/^Requests per minute/).fill("1200");
  await press(dialog, "Save changes");
  await shows(page, "1,200 requests per minute");
  await press(page, "Revoke");
  await press(dialog, "Revoke token");
  await closed(dialog);
  expect((await ui.use(token)).status).toBe(401);
  await shows(page, "admin@example.com revoked this token.");
  await shows(page, "admin@example.com edited this token: at most 1,200 requests per minute.");
  expect(await seriousFlaws(page)).toEqual(noFlaws);
});

test("a client is invited, and gets its token after an admin has entered the code that only the client sees", async () => {
  const { page, dialog, row, observed } = await ui.open();
  await press(page, "Invite a client");
  await dialog.getByLabel(/^Comment/).fill("by code");
  await press(dialog, "Create invitation");
  const invitation = /iti_\w+/.exec(await copyable(dialog, "Command"))?.[0] ?? "";
  await press(dialog, "Copy: Command");
  await press(dialog, "Done");
  await closed(dialog);
  const { status, code } = await ui.redeem(invitation, "127.0.0.2");
  expect(status).toBe(202);

  await press(page, "A client is waiting: show");
  await press(page, "Confirm 127.0.0.2 for by code");
  await shows(dialog, /asked .* from 127\.0\.0\.2/);
  expect(await page.content()).not.toContain(code);
  await dialog.getByLabel("Code").fill("AAA-AAA");
  await press(dialog, "Confirm");
  await shows(dialog, "This is not the code of this request.");
  expect(observed.requests.filter((request) => request.url().endsWith("/confirm"))).toEqual([]);
  // As it is read out on the phone.
  await dialog.getByLabel("Code").fill(code.toLowerCase().replace("-", " "));
  await press(dialog, "Confirm");
  await shows(page, "127.0.0.2 was confirmed.");

  const { token } = await ui.redeem(invitation, "127.0.0.2");
  expect((await ui.use(token, "127.0.0.2")).status).toBe(200);
  await row("by code").filter({ hasText: "Active" }).filter({ hasText: "127.0.0.2" }).waitFor();
  for (const secret of [token, invitation]) expect(await page.content()).not.toContain(secret);
  expect(await seriousFlaws(page)).toEqual(noFlaws);
});

test("a repository is trusted with two presses and its address, and the page shows its workflow", async () => {
  const { page, dialog } = await ui.open();
  await press(page, "Trust a workload");
  await dialog.getByLabel("Repository").fill("git@github.com:acme/web.git");
  await press(dialog, "Trust workload");
  await titled(page, "Set up the workload");
  await shows(page, "Never used");
  await press(page, "Copy: .github/workflows/integration.yml");
  await shows(page, "Copied");
  expect(await clipboard(page)).toMatch(new RegExp(`branches: \\["main"\\].*BASE_URL: ${ui.service.baseUrl}\n`, "s"));
  expect(await seriousFlaws(page)).toEqual(noFlaws);
});

test("a workload is trusted, its page shows its exchanges, and its tokens work until an admin ends the trust", async () => {
  const subject = "repo:acme/trusted:ref:refs/heads/main";
  const { trust_id } = await ui.trust(subject);
  const token = await ui.exchange(subject);
  expect((await ui.use(token)).status).toBe(200);
  await ui.refuseExchange(trust_id, "aud");

  const { page, dialog } = await ui.open("/");
  await follow(page, /^Trusted workloads/);
  await follow(page.getByRole("table", { name: "Trusted workloads" }), subject);
  await page.getByRole("link", { name: "1 token", exact: true }).waitFor();
  await shows(page, "The claim aud was wrong.");
  expect(await page.getByText(ui.service.baseUrl, { exact: true }).count()).toBe(1);
  expect(await page.getByText("Never used").filter({ visible: true }).count()).toBe(0);
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await press(page, "End trust");
  await shows(dialog, "has 1 token now. It is rejected from the next request.");
  await press(dialog, "End trust");
  await shows(page, "is no longer trusted.");
  expect((await ui.use(token)).status).toBe(401);
  await shows(page, "stopped trusting this workload");
});

test("an added key shows its v_code only on request, is replaced and deleted, and leaves its history", async () => {
  const [keyId, vCode] = ["browser/key 1", "😀".repeat(64)];
  const stored = async () => (await ui.service.call("GET", `/api/v1/key/${encodeURIComponent(keyId)}`)).json();
  await ui.addKeys("taken");
  const { page, dialog, row, choose, observed } = await ui.open(addresses.keys);
  const isInPage = async () => (await page.content()).includes(vCode);
  const views = () => observed.requests.filter((request) => request.url().includes("/v_codes/"));
  await press(page, "Add a key");
  await dialog.getByLabel("key_id").fill("taken");
  await dialog.getByLabel("v_code").fill(vCode);
  await press(dialog, "Add key");
  await shows(dialog, "The key_id has already been taken.");
  await dialog.getByLabel("key_id").fill(keyId);
  await dialog.getByRole("button", { name: "Add key", disabled: false }).click();
  await closed(dialog);
  expect(await stored()).toMatchObject({ v_code: vCode });

  await titled(page, keyId);
  await follow(page, "All keys");
  await row(keyId).waitFor();
  expect([await isInPage(), views()]).toEqual([false, []]);
  await press(page, `Show the v_code of ${keyId}`);
  await shows(page, vCode);
  await press(page, `Hide the v_code of ${keyId}`);
  await page.getByText(vCode).waitFor({ state: "detached" });
  expect([await isInPage(), views().length]).toEqual([false, 1]);
  expect(await seriousFlaws(page)).toEqual(noFlaws);

  await choose(row(keyId), "Replace v_code");
  await press(dialog, "Generate");
  await press(dialog, "Replace v_code");
  await closed(dialog);
  expect(await stored()).not.toMatchObject({ v_code: vCode });
  await follow(row(keyId), keyId);
  await press(page, "Delete");
  await press(dialog, "Delete key");
  await closed(dialog);
  expect(await stored()).toMatchObject({ code: "key_not_found" });
  await shows(page, "This key was deleted");
  const told = ["deleted this key", "replaced the v_code of this key", "the v_code of this key", "created this key"];
  await expect.poll(() => sentences(page)).toEqual(told.map((text) => expect.stringContaining(text)));
  expect(await seriousFlaws(page)).toEqual(noFlaws);
});

test("the history shows what admins, commands and clients did, with links to each person, token and key", async () => {
  const { token_id, token } = await ui.issue("billing sync", { invoked_by: "alice" });
  await ui.service.call("POST", "/api/v1/key", { form: { key_id: "contract 1", v_code: "v".repeat(64) }, token });
  const { page } = await ui.open(addresses.history);
  const told = [
    "The client of billing sync created the key contract 1.",
    "alice, by command, issued billing sync for 127.0.0.1.",
  ];
  await expect.poll(async () => (await sentences(page)).slice(0, 2)).toEqual(told);
  expect(await page.getByRole("row").nth(1).innerText()).toMatch(/UTC.*From 127\.0\.0\.1$/s);
  expect(await seriousFlaws(page)).toEqual(noFlaws);

  await follow(page, "alice");
  await page.waitForURL(`${ui.service.baseUrl}/history?person=alice`);
  await expect.poll(() => sentences(page)).toEqual(told.slice(1));
  await follow(page, "billing sync");
  await titled(page, "billing sync");
  await follow(page, "Changes by this client");
  await page.waitForURL(`${ui.service.baseUrl}/history?person=${token_id}`);
  await expect.poll(() => sentences(page)).toEqual(told.slice(0, 1));
  await follow(page, "contract 1");
  await titled(page, "contract 1");
});

test("the list shows leaks first, and hides a token that does not match the search", async () => {
  const { token_id } = await ui.issue("leaked");
  await ui.issue("other");
  await ui.leak(token_id, "192.0.2.1");
  const { page, dialog } = await ui.open();
  await shows(page, /Somebody used the token of leaked from 192\.0\.2\.1/);
  await page.getByRole("searchbox", { name: "Find tokens" }).fill("leaked");
  await expect.poll(async () => (await shownRows(page)).map((name) => name.trim())).toEqual(["leaked"]);
  await press(page, /^Yes, stop warning/);
  await press(dialog, "Stop warning");
  await closed(dialog);
  expect(await ui.admin("get", { token_id })).toMatchObject({ dismissed_addresses: [{ ip: "192.0.2.1" }] });
});

test("the documentation makes calls with a token, asks before deletions, and sends the token nowhere else", async () => {
  const token = await ui.service.issueToken();
  const [page, { requests }] = await newObservedPage(ui.browser);
  const main = page.getByRole("main");
  const deletions = () => requests.filter((request) => request.method() === "DELETE");
  const sends = async (status: number) => {
    await press(page, "Send this call");
    await page.locator(".outcome .status", { hasText: String(status) }).waitFor();
  };
  await page.goto(`${ui.service.baseUrl}/api/documentation`);
  await followContents(page, "Create a key");
  await page.getByLabel("Your token").fill(token);
  await main.getByLabel("key_id", { exact: true }).fill("tried");
  await main.getByLabel("v_code", { exact: true }).fill("short");
  await sends(422);
  const marked = page.locator(".field", { has: page.locator("[aria-invalid=true]") });
  expect(await marked.textContent()).toMatch(/v_code.*The v_code must be 64 characters\./s);
  await main.getByLabel("v_code", { exact: true }).fill("v".repeat(64));
  await sends(201);
  expect(await page.locator(".outcome").textContent()).toContain("location: /api/v1/key/tried");
  expect(await seriousFlaws(page)).toEqual(noFlaws);

  await followContents(page, "Delete a key");
  await main.getByLabel("key_id", { exact: true }).fill("tried");
  await press(page, "Send this call");
  await shows(page.getByRole("dialog", { name: "Delete a key?" }), "cannot be undone");
  expect(deletions()).toEqual([]);
  await press(page.getByRole("dialog"), "Delete a key");
  await page.locator(".outcome .status", { hasText: "204" }).waitFor();
  expect(deletions()[0]?.headers()).toMatchObject({ "x-token": token, "x-sent-path": "/api/v1/key/tried" });

  const stored = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
  expect(stored).toBe('[{},{},""]');
  expect(page.url()).not.toContain(token);
  const elsewhere = requests.map((request) => request.url()).filter((url) => !url.startsWith(ui.service.baseUrl));
  expect(elsewhere.filter((url) => !url.startsWith("data:"))).toEqual([]);
});
