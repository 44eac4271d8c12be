import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cell, meet, type Outcome, subjects, warm } from "./support/endpoint-matrix.ts";
import { faults } from "./support/faults.ts";
import { type FaultyService, startFaultyService } from "./support/faulty-service.ts";

/*
 * Each endpoint, each fault: on the token's look-up, on the counter of its limit or on the endpoint's own work, met once or always. What must hold is in
 * `support/endpoint-matrix.ts`: 503 in time or the success that was stored, and nothing doubled by sending it again.
 */

// A function has four threads here, and a request that waits for one would be told as slow.
const atOnce = 4;

// The look-up and the counter are the same for all, so that what takes seconds there is waited for at one endpoint alone.
const cells = Object.keys(subjects).flatMap((subject) =>
  Object.keys(faults).flatMap((fault) =>
    (["look-up", "limit", "work"] as const)
      .filter((target) =>
        target === "work" ? subject !== "GET /token" : subject === "GET /token" || !faults[fault]?.isSlow,
      )
      .flatMap((target) => [1, Number.POSITIVE_INFINITY].map((times) => ({ subject, fault, target, times }))),
  ),
);

const nameOf = ({ subject, fault, target, times }: Cell): string =>
  `${subject}: ${fault}, on its ${target}, ${times === 1 ? "once" : "always"}`;

let faulty: FaultyService;
const outcomes = new Map<string, Outcome>();

const runAll = (subject: string): Promise<unknown> => {
  const waiting = cells.filter((cell) => cell.subject === subject);
  const work = async () => {
    for (let cell = waiting.shift(); cell; cell = waiting.shift()) outcomes.set(nameOf(cell), await meet(faulty, cell));
  };
  return Promise.all(Array.from({ length: atOnce }, work));
};

beforeAll(async () => {
  faulty = await startFaultyService();
  // The start of the functions' threads is not what is measured.
  await Promise.all(Object.keys(subjects).map((subject) => warm(faulty, { subject, atOnce })));
  await Promise.all(Object.keys(subjects).map(runAll));
  const { FAULT_TABLE } = process.env;
  if (FAULT_TABLE) await writeFile(FAULT_TABLE, [...outcomes].map(([name, { text }]) => `${name}: ${text}\n`).join(""));
}, 180_000);
afterAll(() => faulty.close());

describe.each(Object.keys(subjects))("%s", (subject) => {
  test.each(Object.keys(faults))("loses nothing and doubles nothing for %s", (fault) => {
    const told = cells
      .filter((cell) => cell.subject === subject && cell.fault === fault)
      .map((cell) => ({ name: nameOf(cell), problems: outcomes.get(nameOf(cell))?.problems }));
    expect(told).toEqual(told.map(({ name }) => ({ name, problems: [] })));
  });
});
