import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { oncePerWorker } from "./once-per-worker.ts";
import { type OwnService, sharedService, startService, type TestService } from "./service.ts";

interface ServiceInBrowser {
  service: TestService;
  browser: Browser;
}

/** The browser that the test files of a worker share. It ends with the worker. */
export const sharedBrowser = (): Promise<Browser> => oncePerWorker("browser", () => startBrowser());

/** Hands over a browser and a service before the tests of a file: the worker's shared service, or a separate one with options. */
export const useServiceInBrowser = (
  onStart: (started: ServiceInBrowser) => void,
  options?: Parameters<typeof startService>[0],
): void => {
  let ownService: OwnService | undefined;
  beforeAll(async () => {
    if (options) ownService = await startService(options);
    onStart({ service: ownService ?? (await sharedService()), browser: await sharedBrowser() });
  });
  afterAll(() => ownService?.close());
};
