import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { type OwnService, startService, type TestService } from "./service.ts";

interface ServiceInBrowser {
  service: TestService;
  browser: Browser;
}

/** Starts a service and a browser before the tests of a file, hands them over, and ends both after the tests. */
export const useServiceInBrowser = (
  onStart: (started: ServiceInBrowser) => void,
  options?: Parameters<typeof startService>[0],
): void => {
  let service: OwnService | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(options), startBrowser()]);
    onStart({ service, browser });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
};
