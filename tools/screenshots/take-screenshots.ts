import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LocalService, type Login, startLocalService } from "cdk-local-runner";
import { signIn } from "cdk-local-runner/parts";
import type { Page } from "playwright-core";
import { helpIfAsked } from "../../local/help-if-asked.ts";
import { synthesise } from "../../local/synthesise.ts";
import { startBrowser } from "../support/browser.ts";
import { codeFont } from "./code-font.ts";
import { recordTour } from "./recording.ts";

helpIfAsked(`Usage: npm run screenshots

Writes the pictures of README.md and docs/admin.md, which show a service with a few tokens and keys that it starts for this.
`);

const folder = fileURLToPath(new URL("../../docs/images", import.meta.url));

const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();

const superuserOf = ({ logins }: LocalService): Login => {
  const superuser = logins.find(({ groups }) => groups.includes("Superuser"));
  if (!superuser) throw new Error("The service has no Superuser.");
  return superuser;
};

/** Sends a request as a client, from the client's own address. */
const callAsClient = (service: LocalService, credential: unknown, localAddress: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { accept: "application/json", "x-token": String(credential), "content-length": "0" };
    request(`${service.baseUrl}/api/v1/token`, { method: "POST", localAddress, headers })
      .once("error", reject)
      .once("response", (response) => resolve(response.resume().statusCode ?? 0))
      .end();
  });

/** Stores tokens in every state, a client that awaits confirmation, and keys. */
const fill = async (service: LocalService): Promise<void> => {
  const accessToken = await signIn(service, superuserOf(service));
  const send = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${service.baseUrl}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} got ${response.status}.`);
    return (await response.json()) as Record<string, unknown>;
  };
  await send("POST", "/tokens", { ip: "198.51.100.7", comment: "billing sync", expires_at: inAYear });
  const rotated = await send("POST", "/tokens", { ip: "2001:db8::7", comment: "warehouse", rate_limit: 600 });
  const revoked = await send("POST", "/tokens", { ip: "203.0.113.20", comment: "reporting, nightly" });
  await send("POST", `/tokens/${rotated.token_id}/rotate`, { grace_seconds: 86_400 });
  await send("DELETE", `/tokens/${revoked.token_id}`);
  await send("POST", "/invitations", { ip: "198.51.100.40", comment: "ticket system" });
  const invited = await send("POST", "/invitations", { comment: "shipping labels", expires_at: inAYear });
  const status = await callAsClient(service, invited.invitation_text, "127.0.0.2");
  if (status !== 202) throw new Error(`The client that was invited got ${status}.`);
  for (const key_id of ["1234567", "warehouse/7", "contract 2026-11"]) {
    await send("POST", "/keys", { key_id, v_code: "v".repeat(64) });
  }
};

const signInByHand = async (page: Page, service: LocalService): Promise<void> => {
  const { username, password } = superuserOf(service);
  await page.goto(service.baseUrl);
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("table").getByRole("link").first().waitFor();
};

const take = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}-wide.png`) });

const closeWithoutCopying = async (page: Page): Promise<void> => {
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Close without copying" }).click();
};

const takeAll = async (page: Page, service: LocalService): Promise<void> => {
  await signInByHand(page, service);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: /^Confirm / }).click();
  await dialog.getByRole("heading", { name: "Confirm the client's address" }).waitFor();
  await take(page, "confirmation");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Invite a client" }).first().click();
  await dialog.getByLabel(/^Comment/).fill("address book");
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await dialog.getByText("Copy the command now").waitFor();
  await take(page, "invitation");
  await closeWithoutCopying(page);
  await page.getByRole("button", { name: "Issue a token" }).first().click();
  await dialog.getByRole("button", { name: "Use my address" }).click();
  await dialog.getByRole("button", { name: "Issue token" }).click();
  await dialog.getByText("Copy the token now").waitFor();
  await take(page, "token-issued");
  await closeWithoutCopying(page);
  await page.goto(`${service.baseUrl}/keys`);
  await page.getByRole("table").getByRole("link").first().waitFor();
  await take(page, "keys");
  await page.goto(`${service.baseUrl}/history`);
  await page.getByRole("table").getByRole("link").first().waitFor();
  await take(page, "history");
};

const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-screenshots-"));
const service = await startLocalService({ port: 0, dataDirectory, assembly: () => synthesise(dataDirectory) });
const browser = await startBrowser();
const openPage = async (colorScheme: "light" | "dark"): Promise<Page> => {
  // The pages' Content-Security-Policy would block the font.
  const options = { viewport: { width: 1440, height: 800 }, reducedMotion: "reduce", bypassCSP: true } as const;
  const context = await browser.newContext({ ...options, colorScheme });
  await context.addInitScript(
    `addEventListener("DOMContentLoaded", () => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: ${JSON.stringify(codeFont)} }));
    })`,
  );
  return context.newPage();
};
try {
  await mkdir(folder, { recursive: true });
  await fill(service);
  await takeAll(await openPage("light"), service);
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await openPage(colorScheme);
    await signInByHand(page, service);
    await recordTour({ page, baseUrl: service.baseUrl, file: join(folder, `tour-${colorScheme}.svg`) });
  }
} finally {
  await browser.close();
  await service.close();
  await rm(dataDirectory, { recursive: true });
}
