import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { operationExamples } from "../../tools/support/examples.ts";
import { type Cell, meet, nameOf } from "./support/endpoint-matrix.ts";
import { findReference, type Reference, type Target } from "./support/endpoint-reference.ts";
import { faultNames, faults } from "./support/faults.ts";
import { type Lane, lanesForSlowFaults, runOnLanes, startLanes } from "./support/lane.ts";

/*
 * Every endpoint that takes a token meets a fault of each kind, once or always: while its token is looked up, while its requests
 * are counted and during its own work. One that reads and one that changes something meet every fault.
 * `support/endpoint-matrix.ts` says what must hold. See `token-changes.test.ts` for the others.
 */

const examples = operationExamples().filter(({ operation }) => operation.endpoint.credential === undefined);
const endpoints = examples.map(({ operation }) => operation.functionName);

/** One of the endpoints that read ahead, and one of the others. */
const meetEveryFault = ["v1-get-key", "v1-replace-key"];
const faultsFor = (endpoint: string): string[] => faultNames(meetEveryFault.includes(endpoint));

// The look-up and the counter are the same for all endpoints that read ahead, and for all others. So only one endpoint of each
// kind meets the slow faults there, and those endpoints that do nothing else.
const meetsSlowFaults = ({ example, targets }: Reference, target: Target): boolean =>
  target === "work" || !targets.has("work") || meetEveryFault.includes(example.operation.functionName);

const cellsOf = (reference: Reference): Cell[] =>
  faultsFor(reference.example.operation.functionName).flatMap((fault) =>
    [...reference.targets]
      .filter((target) => !faults[fault]?.isSlow || meetsSlowFaults(reference, target))
      .flatMap((target) => [1, Number.POSITIVE_INFINITY].map((times) => ({ reference, fault, target, times }))),
  );

test("both a reading and a changing endpoint meet every fault", () => {
  const kinds = examples
    .filter(({ operation }) => meetEveryFault.includes(operation.functionName))
    .map(({ operation, request }) => [request.method === "GET", operation.endpoint.readsAhead ?? false]);
  expect(kinds.toSorted()).toEqual([
    [false, false],
    [true, true],
  ]);
});

let lanes: Lane[];
const references = new Map<string, Reference>();
/** The problems of each cell, by endpoint and fault. */
const problems = new Map<string, Record<string, string[]>>();

beforeAll(async () => {
  lanes = await startLanes(inject("assemblyDirectory"), lanesForSlowFaults);
  const [first] = lanes as [Lane];
  for (const example of examples) references.set(example.operation.functionName, await findReference(first, example));

  const cells = [...references.values()].flatMap(cellsOf);
  const slowFirst = cells.toSorted((one, other) => slownessOf(other) - slownessOf(one));
  await runOnLanes(lanes, slowFirst, async (lane, cell) => {
    const place = `${cell.reference.example.operation.functionName} ${cell.fault}`;
    const found = await meet(lane, cell);
    problems.set(place, { ...problems.get(place), [nameOf(cell)]: found });
  });
});
afterAll(() => Promise.all(lanes.map((lane) => lane.close())));

const slownessOf = ({ fault }: Cell): number => (faults[fault]?.isSlow ? 1 : 0);

describe.each(endpoints)("%s", (endpoint) => {
  test("looks up its caller's token, counts its requests and is safe to repeat", () => {
    const { targets, after, afterRepeat } = references.get(endpoint) ?? {};
    expect([...(targets ?? [])]).toEqual(expect.arrayContaining(["look-up", "limit"]));
    expect(afterRepeat).toBe(after);
  });

  test.each(faultsFor(endpoint))("neither loses nor duplicates anything for %s", (fault) => {
    const found = problems.get(`${endpoint} ${fault}`) ?? {};
    expect(Object.keys(found)).not.toEqual([]);
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
  });
});
