import { afterAll, beforeAll, beforeEach, describe, onTestFinished, test } from "vitest";
import { requirePython } from "../support/programs.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { calls } from "./behaviours/calls.ts";
import { conditions } from "./behaviours/conditions.ts";
import { expiry } from "./behaviours/expiry.ts";
import { failures } from "./behaviours/failures.ts";
import { kept } from "./behaviours/kept.ts";
import { keptCrashes } from "./behaviours/kept-crashes.ts";
import { keptPauses } from "./behaviours/kept-pauses.ts";
import { keptRenewals } from "./behaviours/kept-renewals.ts";
import { pages } from "./behaviours/pages.ts";
import { retries } from "./behaviours/retries.ts";
import { texts } from "./behaviours/texts.ts";
import { tokens } from "./behaviours/tokens.ts";
import type { World } from "./support/behaviour.ts";
import { type Driver, driverNames, startDriver } from "./support/drivers.ts";

/*
 * Holds the clients of all languages to the same behaviour: against the running service, and against a scripted one for
 * situations that the service does not produce on command.
 */

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await sharedService();
  token = await service.issueToken();
});

describe.each(driverNames)("the %s client", (name) => {
  if (name === "Python") beforeEach((context) => requirePython(context));

  // Started by the first behaviour, because the program may be missing.
  let driver: Driver | undefined;
  afterAll(() => driver?.close());

  const start: World["start"] = async (options) => {
    const program = startDriver(name);
    onTestFinished(() => program.kill());
    await program.run({ call: "open", client: "started", base_url: service.baseUrl, token, ...options });
    return { ...program, client: (call) => program.run({ ...call, client: "started" }) };
  };

  let opened = 0;
  const open: World["open"] = async (options) => {
    driver ??= startDriver(name);
    const running = driver;
    const client = `client ${++opened}`;
    const outcome = await running.run({ call: "open", client, base_url: service.baseUrl, token, ...options });
    return outcome.failure ? async () => outcome : (call) => running.run({ ...call, client });
  };

  const all = {
    calls,
    texts,
    pages,
    conditions,
    failures,
    retries,
    tokens,
    expiry,
    kept,
    keptRenewals,
    keptCrashes,
    keptPauses,
  };
  describe.each(Object.entries(all))("%s", (_, behaviours) => {
    test.each(Object.entries(behaviours))("%s", (_, behaviour) => behaviour({ service, token, open, start }));
  });
});
