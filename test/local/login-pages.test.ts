import { startSignIn } from "cdk-local-runner/parts";
import { expect, test } from "vitest";
import { fillInLogin, sharedBrowser } from "../support/console.ts";
import { newObservedPage, noFlaws, noOverflow, overflow, seriousFlaws } from "../support/observed-page.ts";
import { sharedService } from "../support/service.ts";

test("every login page is accessible, fits a phone, and works within its content security policy", async () => {
  const service = await sharedService();
  const [page] = await newObservedPage(await sharedBrowser(), { isolated: true });
  const looksRight = async () => {
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    expect(await overflow(page)).toEqual(noOverflow);
  };

  await page.goto(startSignIn(service).address);
  await page.getByText("Integration API").waitFor();
  await looksRight();
  await fillInLogin(page, { username: "admin@example.com", password: "wrong" });
  await page.getByRole("alert").waitFor();
  await looksRight();
  await page.goto(`${service.loginUrl}/oauth2/authorize?client_id=other`);
  await page.getByRole("heading", { name: "This login cannot go on" }).waitFor();
  await looksRight();
});
