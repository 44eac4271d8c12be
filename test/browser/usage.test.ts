import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { logDelivery, requestEvent } from "../lambdas/support/log-delivery.ts";
import { type Console, openConsole, useServiceInBrowser } from "../support/console.ts";
import { noFlaws, noOverflow, overflow, seriousFlaws } from "../support/observed-page.ts";
import { loginOf, type TestService } from "../support/service.ts";

let service: TestService;
let browser: Browser;
useServiceInBrowser((started) => {
  ({ service, browser } = started);
});

const open = (path: string, prepare?: (page: Page) => Promise<unknown>): Promise<Console> =>
  openConsole(browser, service, loginOf(service, "Admin"), { path, ...(prepare && { prepare }) });

const issue = async (comment: string) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", comment });
  return { path: `/?token=${token_id}`, token_id: String(token_id), token: String(token) };
};

const use = (token: string, from = "127.0.0.1") => service.call("GET", "/api/v1/token", { token, from });

/** Waits until this many calls of a token have been counted. */
const counted = async (tokenId: string, calls: number): Promise<void> => {
  const count = async () => {
    const { hours } = await service.admin({ action: "usage", token_id: tokenId });
    return (hours as { statuses: Record<string, number> }[])
      .flatMap(({ statuses }) => Object.values(statuses))
      .reduce((sum, number) => sum + number, 0);
  };
  await expect.poll(count).toBe(calls);
};

/** A token whose correct secret came from a wrong address, which was rotated, and which is still in use. */
const troubled = async (comment: string) => {
  const old = await issue(comment);
  await use(old.token, "127.0.0.66");
  const successor = await service.admin({ action: "rotate", token_id: old.token_id, grace_seconds: 3_600 });
  await use(old.token);
  await counted(old.token_id, 2);
  return { ...old, successor: String(successor.token) };
};

describe("the page of a token", () => {
  test("shows the outcomes of its calls, and which calls were refused from which address", async () => {
    const { path, token, token_id } = await issue("counted");
    const { page, observed } = await open(path);
    await page.getByText("No calls in the last 24 hours.").waitFor();

    for (const to of ["/api/v1/token", "/api/v1/token", "/api/v1/key?limit=0"])
      await service.call("GET", to, { token });
    await counted(token_id, 3);
    await page.getByRole("button", { name: "Refresh the usage" }).click();
    await page.getByRole("img", { name: "Calls in the last 24 hours: 2 answered, 1 refused" }).waitFor();
    const refusal = page.getByRole("table", { name: "Last refusals and failures" }).getByRole("row").nth(1);
    expect(await refusal.innerText()).toMatch(/422 validation_failed.*127\.0\.0\.1.*GET \/api\/v1\/key/s);

    await page.getByRole("button", { name: "Hour by hour" }).click();
    await page.getByRole("row", { name: /2\s+1\s+0\s+validation_failed 1/ }).waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("img", { name: "Calls in the last 7 days: 2 answered, 1 refused" }).waitFor();
    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("says that the usage could not be loaded, and shows the rest", async () => {
    const { path } = await issue("uncounted");
    const { page } = await open(path, (unopened) =>
      unopened.route("**/usage*", (route) =>
        route.fulfill({ status: 503, json: { code: "unavailable", message: "The service cannot reach its data." } }),
      ),
    );
    await page.getByText("The usage could not be loaded").waitFor();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.unroute("**/usage*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No calls in the last 24 hours.").waitFor();
  });
});

describe("a rotation", () => {
  test("is shown as unfinished while the old token is in use, and is finished only after a question", async () => {
    const { path, token, successor } = await troubled("half way");
    const { page, dialog, observed } = await open(path);
    await page.getByText("The old token is still in use").waitFor();
    await page.getByText("The successor has not been used.").waitFor();

    await page.getByRole("button", { name: "Finish the rotation" }).click();
    await dialog.getByText(/The client at 127\.0\.0\.1 last used the old token/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await use(token)).status).toBe(200);

    await page.getByRole("button", { name: "Finish the rotation" }).click();
    await dialog.getByRole("button", { name: "Revoke the old token" }).click();
    await page.getByText("The rotation is finished").waitFor();
    await page.getByText("The old token is still in use").waitFor({ state: "detached" });
    expect((await use(token)).json()).toMatchObject({ code: "token_revoked" });
    expect((await use(successor)).status).toBe(200);
    expect(observed.errors).toEqual([]);
  });

  test("is shown as complete when only the successor is in use, and still asks, because a revocation is final", async () => {
    const { path, token_id } = await issue("done");
    const { token, ...successor } = await service.admin({ action: "rotate", token_id, grace_seconds: 3_600 });
    await use(String(token));
    await counted(String(successor.token_id), 1);
    const { page, dialog } = await open(path);
    await page.getByText("The client has switched to the successor").waitFor();
    await page.getByRole("button", { name: "Finish the rotation" }).click();
    await dialog.getByText(/The client at 127\.0\.0\.1 has switched to the successor/).waitFor();
  });

  test("whose successor has not been used says which client would be refused", async () => {
    const { path, token_id } = await issue("not changed");
    await service.admin({ action: "rotate", token_id, grace_seconds: 3_600 });
    const { page, dialog } = await open(path);
    await page.getByText("The successor is not in use yet").waitFor();
    await page.getByRole("button", { name: "Finish the rotation" }).click();
    await dialog.getByText(/If the client at 127\.0\.0\.1 does not have it yet, the client will be refused/).waitFor();
  });

  test("asks on the basis of what is unknown if the stage logs no successful calls", async () => {
    const { path, token_id } = await issue("unlogged");
    await service.admin({ action: "rotate", token_id, grace_seconds: 3_600 });
    const { page, dialog } = await open(path, (unopened) =>
      unopened.route("**/usage*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), log_level: "warn" } });
      }),
    );
    await page.getByText("It is not known whether the client has switched to the successor").waitFor();
    await page.getByRole("button", { name: "Finish the rotation" }).click();
    await dialog.getByText(/it is not known whether the client at 127\.0\.0\.1 uses the successor/).waitFor();
  });

  test("that could not be finished says so, and can be finished with the keyboard", async () => {
    const { path, token } = await troubled("by keyboard");
    const { page, dialog } = await open(path);
    await page.route("**/admin/tokens/*", (route) =>
      route.request().method() === "DELETE" ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
    );
    await page.getByRole("button", { name: "Finish the rotation" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Revoke the old token" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("The old token may or may not have been revoked").waitFor();
    expect((await use(token)).status).toBe(200);

    await page.unroute("**/admin/tokens/*");
    await dialog.getByRole("button", { name: "Revoke the old token", disabled: false }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("The rotation is finished").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
  });
});

describe("a correct secret from a wrong address", () => {
  test("causes a warning above the table, in the token's row, and on its page with the address", async () => {
    const { path, token, token_id } = await issue("leaked");
    await use(token, "127.0.0.66");
    await counted(token_id, 1);
    const { page, row } = await open("/");
    await page.getByText(/The correct secret of leaked came from a wrong address/).waitFor();
    await row("leaked").getByRole("link", { name: "Wrong address" }).click();
    await page.waitForURL(service.baseUrl + path);
    await page.getByText("The correct secret came from a wrong address").last().waitFor();
    await page.getByText(/One call was refused for this reason in the last seven days.*from 127\.0\.0\.66/s).waitFor();
    await page.getByRole("row", { name: /Wrong address.*127\.0\.0\.66/s }).waitFor();

    await service.admin({ action: "revoke", token_id });
    await page.goto(service.baseUrl);
    await row("leaked").getByText("Revoked").waitFor();
    expect(await row("leaked").getByText("Wrong address").count()).toBe(0);
  });

  test("is shown with every address, however many came later, and says if there were more than it can name", async () => {
    const { path, token_id } = await issue("leaked to many");
    const hour = Date.now() - (Date.now() % 3_600_000);
    const leak = (source_ip: string, index: number) =>
      requestEvent(new Date(hour + index).toISOString(), {
        ...{ token_id, source_ip, code: "ip_not_allowed", status: 403, route: "GET /api/v1/key" },
        leak_signal: "right secret, wrong address",
      });
    const others = Array.from({ length: 30 }, (_, index) => leak(`2001:db8:85a3::8a2e:370:${index + 1000}`, index + 1));
    await service.invoke("usage", logDelivery([leak("192.0.2.66", 0)]));
    await service.invoke("usage", logDelivery(others));

    const { page } = await open(path);
    await page.getByText(/31 calls were refused .* and 17 more, listed below/s).waitFor();
    await page.getByText("11 came from further addresses, which are not listed; the log names them.").waitFor();
    const table = page.getByRole("table", { name: "Wrong addresses" });
    expect(await table.getByRole("row").count()).toBe(11);
    await page.getByRole("button", { name: "Next page" }).click();
    await table.getByRole("row", { name: /192\.0\.2\.66\s+1\s/ }).waitFor();
    expect(await overflow(page)).toEqual(noOverflow);

    await page.goto(service.baseUrl);
    await page.getByText(/leaked to many came from a wrong address: .*, 17 more and further addresses/s).waitFor();
    await page.getByText("Wrong address").first().waitFor();
    expect(await overflow(page)).toEqual(noOverflow);
    await service.admin({ action: "revoke", token_id });
  });

  test("is reported as unknown if the warnings could not be loaded", async () => {
    const { page } = await open("/keys");
    await page.route("**/admin/leaks", (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole("link", { name: "API settings" }).click();
    await page.getByText("Leak warnings could not be loaded").waitFor();
  });
});

test("the usage fits a phone and a wide window, and has no serious accessibility flaw", async () => {
  const { path, token_id } = await troubled("fits");
  const failures = Array.from({ length: 100 }, (_, index) =>
    requestEvent(new Date(Date.now() - index * 3_600_000).toISOString(), {
      ...{ token_id, source_ip: "2001:db8:85a3::8a2e:370:7334", code: "unavailable", status: 503 },
      route: "GET /api/v1/key/{key_id+}",
    }),
  );
  await service.invoke("usage", logDelivery(failures));
  const { page } = await open("/");
  const check = async () => {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await seriousFlaws(page), `${width} px`).toEqual(noFlaws);
    }
    expect(await overflow(page)).toEqual(noOverflow);
  };
  await page.getByText("Wrong address").first().waitFor();
  await check();

  await page.goto(service.baseUrl + path);
  await page.getByRole("button", { name: "Hour by hour" }).click();
  await page.getByRole("table", { name: "Calls by outcome" }).waitFor();
  await check();
});
