import { beforeAll, describe, expect, inject, test } from "vitest";
import { confirmationsOf } from "../../tools/support/example-callers.ts";
import { operationExamples } from "../../tools/support/examples.ts";
import { faultNames, faults } from "./support/faults.ts";
import { type Lane, lanesForSlowFaults, runOnLanes, startLanes } from "./support/lane.ts";
import {
  type Change,
  type ChangeCell,
  findUsual,
  meetInChange,
  nameOfChange,
  type UsualChange,
} from "./support/token-changes.ts";

/*
 * Each call with which a client changes its own token meets a fault of each kind in each of its steps, and the rotation, which
 * makes all kinds of writes, every fault, once or always. `support/token-changes.ts` says what must hold.
 */

const changes: Change[] = operationExamples()
  .filter(({ operation }) => operation.endpoint.credential !== undefined)
  .flatMap((example) => confirmationsOf(example.operation.endpoint).map((confirmation) => ({ example, confirmation })));

const isRotation = ({ example }: Change): boolean => example.operation.operationId === "rotateToken";
const faultsFor = (change: Change): string[] => faultNames(isRotation(change));

// A fault that lasts is the same for all writes of a store, so only the rotation meets it. Callers are looked up and requests
// counted as for other endpoints, which meet the slow faults there.
const isMet = ({ usual, fault, step, times }: ChangeCell): boolean =>
  (times === 1 || isRotation(usual)) && (!faults[fault]?.isSlow || step === "new token" || step === "own record");

const cellsOf = (usual: UsualChange): ChangeCell[] =>
  faultsFor(usual)
    .flatMap((fault) =>
      [...usual.steps].flatMap((step) => [1, Number.POSITIVE_INFINITY].map((times) => ({ usual, fault, step, times }))),
    )
    .filter(isMet);

/** What each change usually does, and the problems with each fault, by the name of the change. */
const usualChanges = new Map<string, UsualChange>();
const problems = new Map<string, Record<string, string[]>>();

beforeAll(async () => {
  const lanes = await startLanes(inject("assemblyDirectory"), lanesForSlowFaults);
  const [first] = lanes as [Lane];
  for (const change of changes) usualChanges.set(nameOfChange(change), await findUsual(first, change));

  const isSlow = ({ fault }: ChangeCell) => Number(faults[fault]?.isSlow ?? false);
  const cells = [...usualChanges.values()].flatMap(cellsOf).toSorted((one, other) => isSlow(other) - isSlow(one));
  await runOnLanes(lanes, cells, async (lane, cell) => {
    const name = nameOfChange(cell.usual);
    const found = await meetInChange(lane, cell);
    const all = problems.get(name) ?? {};
    problems.set(name, { ...all, [cell.fault]: [...(all[cell.fault] ?? []), ...found] });
  });
  await Promise.all(lanes.map((lane) => lane.close()));
});

describe.each(changes.map((change) => [nameOfChange(change), change] as const))("%s", (name, change) => {
  test("succeeds in the usual case, and writes", () => {
    const { status, steps } = usualChanges.get(name) ?? {};
    expect([201, 202, 204]).toContain(status);
    expect([...(steps ?? [])]).toEqual(expect.arrayContaining(["look-up", "own record"]));
  });

  test.each(faultsFor(change))("has one effect, and repeats its answer, for %s", (fault) => {
    expect(problems.get(name)?.[fault]).toEqual([]);
  });
});

test("an unconfirmed address is asked for, and a confirmed one gets its token", () => {
  const statuses = changes
    .filter(({ confirmation }) => confirmation !== undefined)
    .map((change) => [change.confirmation, usualChanges.get(nameOfChange(change))?.status]);
  expect(new Map(statuses.map(([confirmation, status]) => [confirmation, status]))).toEqual(
    new Map([
      ["unconfirmed", 202],
      ["confirmed", 201],
    ]),
  );
});
