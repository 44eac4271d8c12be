import { afterAll, beforeAll, beforeEach, describe, test, vi } from "vitest";
import { requirePython } from "../support/programs.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { calls } from "./behaviours/calls.ts";
import { conditions } from "./behaviours/conditions.ts";
import { expiry } from "./behaviours/expiry.ts";
import { failures } from "./behaviours/failures.ts";
import { kept } from "./behaviours/kept.ts";
import { keptInterruptions } from "./behaviours/kept-interruptions.ts";
import { limits } from "./behaviours/limits.ts";
import { pages } from "./behaviours/pages.ts";
import { tokens } from "./behaviours/tokens.ts";
import { workload } from "./behaviours/workload.ts";
import { type Driver, startDriver, worldOf } from "./support/world.ts";

// Many steps, each of which waits for less than a minute.
vi.setConfig({ testTimeout: 300_000 });

/*
 * Tests that the clients of all languages behave the same: with the running service, and with a scripted one for situations
 * that the service does not produce on demand.
 */

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await sharedService();
  token = await service.issueToken();
});

const all = { calls, pages, conditions, failures, limits, tokens, expiry, kept, keptInterruptions, workload };

describe.each(["TypeScript", "Python"] as const)("the %s client", (language) => {
  if (language === "Python") beforeEach((context) => requirePython(context));

  let driver: Driver | undefined;
  afterAll(() => driver?.close());

  describe.each(Object.entries(all))("%s", (_, behaviours) => {
    test.each(Object.entries(behaviours))("%s", async (_, behaviour) => {
      // Checked before the first behaviour, because the program may be missing.
      driver ??= startDriver(language);
      await behaviour(worldOf(language, driver, service, token));
    });
  });
});
