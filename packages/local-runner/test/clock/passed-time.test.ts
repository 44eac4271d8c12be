import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/folders.ts";
import { runningService, writeFunctions } from "../support/services.ts";

const day = 86_400_000;

test("after two days, what the gateway tells a function agrees with the function's own time, and time-outs keep real time", async () => {
  const code = `exports.handler = async ({ requestContext }, context) => ({
    gateway: requestContext.timeEpoch,
    shown: requestContext.time,
    own: Date.now(),
    remaining: context.getRemainingTimeInMillis(),
    parts: [new Date(0).getTime(), new Date(2026, 0, 2).getDate(), new Date() instanceof Date, Date.UTC(1970, 0, 1)],
  });`;
  const assembly = await writeFunctions(await temporaryDirectory(), { clock: code }, { "GET /time": "clock" });
  const service = await runningService({ assembly });
  await fetch(`${service.invokeUrl}/clock`, { method: "POST", body: '{"days":2}' });
  const seen = JSON.parse(await (await fetch(`${service.baseUrl}/time`)).text());

  for (const time of [seen.gateway, seen.own, service.now()])
    expect(time - Date.now()).toBeGreaterThan(2 * day - 60_000);
  expect(seen.gateway).toBeLessThanOrEqual(seen.own);
  expect(seen.shown).toContain(`${new Date(seen.gateway).getUTCDate()}`.padStart(2, "0"));
  expect(seen.remaining).toBeLessThanOrEqual(3000);
  expect(seen.parts).toEqual([0, 2, true, 0]);
});
