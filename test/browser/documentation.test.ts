import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { type DocumentationService, startDocumentationService } from "../support/documentation-service.ts";
import {
  newObservedPage,
  noFlaws,
  noOverflow,
  type Observed,
  overflow,
  seriousFlaws,
} from "../support/observed-page.ts";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

let service: DocumentationService;
let browser: Browser;
let token: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startDocumentationService(), startBrowser()]);
  token = await service.issueToken();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const openPage = async (): Promise<[Page, Observed]> => {
  const [page, observed] = await newObservedPage(browser);
  await page.goto(`${service.baseUrl}/api/documentation`);
  return [page, observed];
};

const authorize = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Authorize" }).click();
  const dialog = page.locator(".modal-ux");
  await dialog.getByRole("textbox").fill(token);
  await dialog.getByRole("button", { name: "Authorize" }).click();
  await dialog.locator(".btn-done").click();
};

/** The open operation, once Swagger UI has finished rendering it: an earlier Execute would hang. */
const openedOperation = async (page: Page, kind = ".opblock"): Promise<Locator> => {
  const operation = page.locator(`${kind}.is-open`);
  await operation.locator(".responses-table").getByText("token_missing").first().waitFor();
  return operation;
};

/** Opens an operation and fills in its form. */
const openOperation = async (page: Page, name: RegExp, fields: Record<string, string> = {}): Promise<Locator> => {
  await page.getByRole("button", { name }).first().click();
  const operation = await openedOperation(page);
  for (const [field, value] of Object.entries(fields)) {
    await operation
      .locator(`tr[data-property-name="${field}"], tr[data-param-name="${field}"]`)
      .locator("input")
      .fill(value);
  }
  return operation;
};

/** Executes an operation and returns the response that the page shows, once it shows this status. */
const execute = async (operation: Locator, status: number): Promise<string> => {
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response", {
    has: operation.page().locator(".response-col_status", { hasText: String(status) }),
  });
  return (await answer.first().textContent()) ?? "";
};

describe("the documentation page", () => {
  test("lists every endpoint of the description", async () => {
    const [page] = await openPage();
    const { paths } = JSON.parse(await readFile(service.descriptionFile, "utf8"));
    const operations = Object.values<object>(paths).flatMap((path) => Object.keys(path));
    await page.locator(".opblock").first().waitFor();

    expect(await page.locator(".opblock").count()).toBe(operations.length);
    expect(await page.title()).toBe("API documentation");
  });

  test("creates a key, shows a refusal and deletes the key with a token, as a client would", async () => {
    const [page, { requests, violations, errors }] = await openPage();
    await authorize(page);
    const create = await openOperation(page, /POST \/api\/v1\/key/, { key_id: "tried", v_code: "v".repeat(64) });
    const created = await execute(create, 201);
    expect(created).toContain('"key_id": "tried"');
    expect(created).toContain("location: /api/v1/key/tried");

    await create.locator('tr[data-property-name="v_code"] input').fill("short");
    expect(await execute(create, 422)).toContain("The v_code must be 64 characters.");

    await create.locator(".opblock-summary-control").click();
    const remove = await openOperation(page, /DELETE \/api\/v1\/key/, { key_id: "tried" });
    await execute(remove, 204);
    const deletion = requests.find((request) => request.method() === "DELETE");
    expect(deletion?.headers()).toMatchObject({
      accept: "application/json",
      "x-token": token,
      "x-sent-path": "/api/v1/key/tried",
    });

    expect(violations).toEqual([]);
    expect(errors).toEqual([]);
    const elsewhere = requests.map((request) => request.url()).filter((url) => !url.startsWith(service.baseUrl));
    expect(elsewhere.filter((url) => !url.startsWith("data:"))).toEqual([]);
  });

  test("stores the token nowhere in the browser", async () => {
    const [page] = await openPage();
    await authorize(page);

    const stored = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])";
    expect(await page.evaluate(stored)).toBe('[{},{},""]');
  });

  test("fits a phone and a wide window", async () => {
    const [page] = await openPage();
    await openOperation(page, /POST \/api\/v1\/key/);

    expect(await overflow(page)).toEqual(noOverflow);
  });

  test("can be used with the keyboard alone", async () => {
    const [page] = await openPage();
    await page
      .getByRole("button", { name: /GET \/api\/v1\/token/ })
      .first()
      .press("Enter");

    const operation = await openedOperation(page);
    await operation.getByRole("button", { name: "Execute" }).press("Enter");
    await operation.locator(".live-responses-table").getByText("token_missing").first().waitFor();
  });

  test("has no serious accessibility flaw", async () => {
    const [page] = await openPage();
    for (const method of ["post", "get", "put", "delete"]) {
      await page.locator(`.opblock-${method} .opblock-summary-control`).first().click();
    }
    await execute(await openedOperation(page, ".opblock-get"), 401);
    expect(await seriousFlaws(page)).toEqual(noFlaws);

    await page.getByRole("button", { name: "Authorize" }).click();
    await page.locator(".modal-ux").getByRole("textbox").waitFor();
    expect(await seriousFlaws(page, ".modal-ux")).toEqual(noFlaws);
  });
});

test("a missing api-docs.json is reported until npm run docs has run, without a restart", async () => {
  await rm(service.descriptionFile);
  const [page, { violations }] = await openPage();

  await page.getByRole("heading", { name: "The file api-docs.json is missing" }).waitFor();
  expect(await page.locator("main").textContent()).toContain("npm run docs");
  expect(violations).toEqual([]);

  await promisify(execFile)("npm", ["run", "docs"], { cwd: projectFolder });
  const described = async () => (await fetch(`${service.baseUrl}/api/documentation/api-docs.json`)).status;
  await expect.poll(described).toBe(200);
  await page.reload();
  await page.locator(".opblock").first().waitFor();
});
