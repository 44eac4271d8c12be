import { type Call, keyNames, type Operation, type Schedule, type TokenReference } from "./schedule.ts";
import { type Done, tokenIn } from "./situation.ts";

const ownCalls = ["redeem", "rotate own", "move", "exchange"];

/** Returns a repetition of each call that gives a client its token, in case the response was lost. */
const repeatedCalls = ({ operations }: Schedule): Call[] => {
  const calls = operations.flatMap(({ call }) => (ownCalls.includes(call.kind) ? [call] : []));
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
};

/** Returns the final calls, which are made without faults. They show what is stored and which tokens are accepted. */
export const probesAfter = (schedule: Schedule, done: readonly Done[]): Operation[] => {
  const first =
    Math.max(-1, ...schedule.operations.map(({ id }) => id), ...done.map(({ operation }) => operation.id)) + 1;
  const kinds = new Set<string>(schedule.operations.map(({ call }) => call.kind));
  const has = (...some: string[]): boolean => some.some((kind) => kinds.has(kind));
  const issued = done.filter(({ answer }) => tokenIn(answer?.body)?.isInvitation === false);
  const tokens: TokenReference[] = ["setup", ...issued.map(({ operation }) => operation.id)];
  const calls: Call[] = [];
  if (has("create", "replace", "delete")) {
    calls.push({ kind: "list", door: "admin", token: "setup" });
    calls.push(...keyNames.map((key): Call => ({ kind: "get", key, door: "admin", token: "setup" })));
  }
  calls.push(...repeatedCalls(schedule));
  if (has("issue", "update", "rotate", "revoke", ...ownCalls)) {
    calls.push({ kind: "tokens" }, ...tokens.map((token): Call => ({ kind: "use", token, as: "itself" })));
  }
  if (has("daily run")) calls.push({ kind: "daily run" });
  if (has("deliver")) calls.push({ kind: "usage", token: "setup" });
  return calls.map((call, index) => ({
    id: first + index,
    client: -1,
    environment: index % schedule.clockOffsets.length,
    // Attempts to send notices that have no outcome are given up after 15 minutes.
    pause: call.kind === "daily run" ? 1_000_000 : 100,
    call,
    fates: [],
  }));
};
