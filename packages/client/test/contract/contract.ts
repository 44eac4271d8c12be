import { afterAll, describe, test, vi } from "vitest";
import { calls } from "./calls.ts";
import { changes } from "./changes.ts";
import { commands } from "./commands.ts";
import { conditions } from "./conditions.ts";
import { expiry } from "./expiry.ts";
import { failures } from "./failures.ts";
import { interruptions } from "./interruptions.ts";
import { kept } from "./kept.ts";
import { limits } from "./limits.ts";
import { pages } from "./pages.ts";
import { tokens } from "./tokens.ts";
import { workload } from "./workload.ts";
import { type Driver, type Language, startDriver, worldOf } from "./world.ts";

const all = {
  calls,
  pages,
  changes,
  conditions,
  failures,
  limits,
  tokens,
  expiry,
  kept,
  interruptions,
  workload,
  commands,
};

/** Tests what the clients of all languages have in common, with a scripted service. */
export const testContract = (language: Language): void => {
  // Some behaviours have many steps, each of which waits for less than a minute.
  vi.setConfig({ testTimeout: 300_000 });
  let driver: Driver | undefined;
  afterAll(() => driver?.close());

  describe.each(Object.entries(all))(`the ${language} client: %s`, (_, behaviours) => {
    test.each(Object.entries(behaviours))("%s", async (_, behaviour) => {
      // Started by the first behaviour, because the program may be missing.
      driver ??= startDriver(language);
      await behaviour(worldOf(language, driver));
    });
  });
};
