import { requestIn } from "../../../lambdas/resources/tokens/address-request.ts";
import { type Confirmation, type ExampleCaller, exampleCaller } from "../../../tools/support/example-callers.ts";
import type { OperationExample } from "../../../tools/support/examples.ts";
import { inMs } from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import type { Call } from "./fault-proxy.ts";
import { type FaultDefinition, faults } from "./faults.ts";
import type { Lane, LaneAnswer } from "./lane.ts";

/** A call with which a client changes its own token, before or after an admin has confirmed its address. */
export interface Change {
  example: OperationExample;
  confirmation: Confirmation | undefined;
}

export const nameOfChange = ({ example, confirmation }: Change): string =>
  [example.operation.functionName, confirmation].filter(Boolean).join(", ");

/** The purpose of a call to the database: the caller's record is read or written, a request counted, or a new token stored. */
export type Step = "look-up" | "count" | "new token" | "own record";

/** The effect of a change without faults. */
export interface UsualChange extends Change {
  status: number;
  steps: Set<Step>;
}

/** One fault in one step of a change. */
export interface ChangeCell {
  usual: UsualChange;
  fault: string;
  step: Step;
  /** How many calls of the step meet the fault. */
  times: number;
}

const ip = "127.0.0.1";

const prepare = async (lane: Lane, { example, confirmation }: Change): Promise<ExampleCaller> => {
  const fields = { last_used_at: inMs(0), rate_limit: 1_000 };
  const caller = exampleCaller(example.operation.endpoint, { ip, confirmation, fields });
  await lane.tables.fill({ tokens: [], limits: [] });
  await lane.stores.tokens.insert(caller.record, noteOf("issued"));
  return caller;
};

const stepOf =
  ({ functions }: Lane, tokenId: string) =>
  ({ table, operation, body }: Call): Step => {
    if (table === functions.tableOf("limits")) return "count";
    if (operation === "GetItem") return "look-up";
    return body.includes(`"Key":{"token_id":{"S":"${tokenId}"}}`) ? "own record" : "new token";
  };

/** Makes a change without a fault. */
export const findUsual = async (lane: Lane, change: Change): Promise<UsualChange> => {
  const { text, record, from } = await prepare(lane, change);
  const steps = new Set<Step>();
  const step = stepOf(lane, record.token_id);
  const observer = lane.proxy.inject({ matches: (call) => steps.add(step(call)) && false, fault: () => {}, times: 1 });
  const { status } = await lane.call(change.example.request, text, from);
  observer.remove();
  return { ...change, status, steps };
};

/**
 * Makes a change that meets a fault, and repeats the call afterwards, as a client does. Returns everything that is wrong: the
 * response must be the usual success or a 503 within the function's time, each repetition must return the same token or the
 * same code, and there must be exactly one effect.
 */
export const meetInChange = (lane: Lane, cell: ChangeCell): Promise<string[]> =>
  // A response that does not match the description is a problem like any other.
  meetAndExamine(lane, cell).catch((error: unknown) => [String(error)]);

const meetAndExamine = async (lane: Lane, { usual, fault, step, times }: ChangeCell): Promise<string[]> => {
  const { isHarmless, fault: bring } = faults[fault] as FaultDefinition;
  const caller = await prepare(lane, usual);
  const { text, record, from } = caller;
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => holds || problems.push(`${step}, ${times} times: ${problem}`);
  const send = () => lane.call(usual.example.request, text, from);
  const isOf = stepOf(lane, record.token_id);
  const before = JSON.stringify(await lane.tables.contents());

  const injected = lane.proxy.inject({ matches: (call) => isOf(call) === step, fault: bring, times });
  const first = await send();
  expect(injected.hits() > 0, "no call met the fault");
  injected.remove();

  const isSuccess = first.status === usual.status;
  expect(isSuccess || first.status === 503, `it answered ${first.status}: ${first.text}`);
  expect(isSuccess || Number(first.headers["retry-after"]) > 0, "it has no Retry-After");
  expect(!first.log.includes("before the function's time-out"), "it did not end by itself");
  if (isHarmless) expect(isSuccess, "it gave up on an answer that came");
  if (!isSuccess && step === "look-up") {
    expect(JSON.stringify(await lane.tables.contents()) === before, "it was done although its caller was unknown");
  }

  const second = await sendUntilAvailable(send);
  expect(second.status === usual.status, `again, it answered ${second.status}: ${second.text}`);
  const third = await sendUntilAvailable(send);
  for (const [one, other] of [[second, third], ...(isSuccess ? [[first, second]] : [])] as const) {
    expect(one?.text === other?.text, `it answered ${one?.text}, and again ${other?.text}`);
  }
  problems.push(...(await problemsAfter(lane, usual, { caller, answer: second, isSuccess })));
  return problems;
};

interface Made {
  caller: ExampleCaller;
  answer: LaneAnswer;
  /** Whether the first call was a success, so that no other attempt was needed. */
  isSuccess: boolean;
}

/** The problems of the tokens after a change. */
const problemsAfter = async (lane: Lane, { status }: UsualChange, made: Made): Promise<string[]> => {
  const { text, record } = made.caller;
  const { tokens } = await lane.stores.tokens.list({ limit: 100 });
  const own = tokens.find(({ token_id }) => token_id === record.token_id);
  if (!own) return ["its record is gone"];
  if (status === 204) return (await useOf(lane, text, ip)) === "token_revoked" ? [] : ["the token is not revoked"];

  const body: Record<string, unknown> = JSON.parse(made.answer.text);
  if (status === 202) {
    const { code, attempts } = requestIn(own) ?? {};
    return code === body.code && attempts === 1 ? [] : [`the record has the request ${own.request}`];
  }
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => holds || problems.push(problem);
  expect((await useOf(lane, String(body.token), made.caller.from)) === 200, "the new token does not work");
  if (own.invitation_hash !== undefined) return problems;
  expect(own.successor_id === body.token_id, `the old token names the successor ${own.successor_id}`);
  if (made.isSuccess) expect(tokens.length === 2, `there are ${tokens.length - 1} successors`);
  const oldUse = await useOf(lane, text, ip);
  const isMoved = made.caller.from !== ip;
  expect(oldUse === (isMoved ? "token_expired" : 200), `the old token is ${oldUse}`);
  return problems;
};

/** Uses a token: the status, or the code of the error. */
const useOf = async (lane: Lane, token: string, from: string): Promise<unknown> => {
  const request = { method: "GET", path: "/api/v1/token", query: "" };
  const { status, text } = await sendUntilAvailable(() => lane.call(request, token, from));
  return status === 200 ? status : JSON.parse(text).code;
};

/** Sends a request again after a `503`, as a client does. */
const sendUntilAvailable = async (send: () => Promise<LaneAnswer>): Promise<LaneAnswer> => {
  let answer = await send();
  for (let attempts = 1; answer.status === 503 && attempts < 5; attempts += 1) answer = await send();
  return answer;
};
