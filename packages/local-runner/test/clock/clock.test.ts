import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openClock } from "../../src/clock/clock.ts";
import { temporaryDirectory } from "../support/folders.ts";

const day = 86_400_000;

test("the clock moves forward for good, and never back", async () => {
  const folder = await temporaryDirectory();
  const clock = await openClock(folder);
  expect(clock.aheadMilliseconds()).toBe(0);
  await clock.moveTo(clock.now() + day);
  const { now } = await openClock(folder);
  expect(now() - Date.now()).toBeGreaterThan(day - 1000);

  await clock.moveTo(Date.now());
  expect(clock.now() - Date.now()).toBeGreaterThan(day - 1000);
  expect((await stat(join(folder, "clock.json"))).mode & 0o077).toBe(0);
});

test("a damaged clock is reported by name instead of starting in the past", async () => {
  const folder = await temporaryDirectory();
  for (const text of ["", "{}", '{"aheadMilliseconds":-1}']) {
    await writeFile(join(folder, "clock.json"), text);
    await expect(openClock(folder)).rejects.toThrow(/clock\.json.*is damaged/);
  }
});
