import { lastingBody, prepare, type Reference, snapshotOf, type Target, targetOf } from "./endpoint-reference.ts";
import { type FaultDefinition, faults } from "./faults.ts";
import type { Lane, LaneAnswer } from "./lane.ts";

/** One fault in one part of a request. */
export interface Cell {
  reference: Reference;
  fault: string;
  target: Target;
  /** How many calls of the request meet the fault. */
  times: number;
}

export const nameOf = ({ reference, fault, target, times }: Cell): string =>
  `${reference.example.operation.functionName}: ${fault}, on its ${target}, ${times === 1 ? "once" : "always"}`;

/**
 * Sends an example whose calls to the database meet a fault, and sends it again afterwards. Returns everything that is wrong:
 * the response must be the usual success or a 503 within the function's time, the tables must match the response, and repeating
 * the request must be safe.
 */
export const meet = (lane: Lane, cell: Cell): Promise<string[]> =>
  // A response that does not match the description is a problem like any other.
  meetAndExamine(lane, cell).catch((error: unknown) => [String(error)]);

const meetAndExamine = async (lane: Lane, { reference, fault, target, times }: Cell): Promise<string[]> => {
  const { example, state, before, after, body, repeatedStatus, afterRepeat } = reference;
  const { fault: bring, isWorkDone, isHarmless } = faults[fault] as FaultDefinition;
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => holds || problems.push(problem);

  const { text: token, record } = await prepare(lane, state, { isLimited: target === "limit" });
  const send = () => lane.call(example.request, token);
  const snapshot = async () => snapshotOf(await lane.tables.contents(), record.token_id);
  // A function only reads ahead for callers that it knows.
  if (example.operation.endpoint.readsAhead) await send();

  const partOf = targetOf(lane, record.token_id);
  const injected = lane.proxy.inject({ matches: (call) => partOf(call) === target, fault: bring, times });
  const answer = await send();
  expect(injected.hits() > 0, "no call met the fault");
  injected.remove();

  const isSuccess = answer.status < 300;
  expect(isSuccess || answer.status === 503, `it answered ${answer.status}: ${answer.text}`);
  expect(isSuccess || Number(answer.headers["retry-after"]) > 0, "it has no Retry-After");
  expect(!answer.log.includes("before the function's time-out"), "it did not end by itself");
  if (isHarmless) expect(isSuccess, "it gave up on an answer that came");
  if (isSuccess) expect(lastingBody(answer) === body, `it answered ${answer.text}`);

  const then = await snapshot();
  if (isSuccess) expect(then === after, `the tables hold ${then}`);
  // Attempts after the faulty one reach the database, too.
  else if (target === "work" && (isWorkDone || times === 1))
    expect(then === before || then === after, `the tables hold ${then}`);
  else expect(then === before, `it was done although the database was not asked to: the tables hold ${then}`);

  const again = await sendUntilAvailable(send);
  expect(
    again.status < 300 || (then === after && again.status === repeatedStatus),
    `again, it answered ${again.status}`,
  );
  const last = await snapshot();
  expect(last === afterRepeat || (then === before && last === after), `after the repetition the tables hold ${last}`);
  return problems;
};

/** Sends a request again after a `503`, as a client does. On a busy machine counting may take more than its second. */
const sendUntilAvailable = async (send: () => Promise<LaneAnswer>): Promise<LaneAnswer> => {
  let answer = await send();
  for (let attempts = 1; answer.status === 503 && attempts < 5; attempts += 1) answer = await send();
  return answer;
};
