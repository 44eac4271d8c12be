import type { Call, Operation, Schedule } from "./schedule.ts";
import { type Done, tokenIn } from "./situation.ts";

const ownCalls = ["redeem", "rotate own", "move"];

/** Repeats each call that gives a client its token, in case the response was lost. */
const repeatedCalls = ({ operations }: Schedule): Call[] => {
  const calls = operations.flatMap(({ call }) => (ownCalls.includes(call.kind) ? [call] : []));
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
};

/** Some schedules read the history of each record, some the whole history: that takes as many queries as all other calls. */
const historyCalls = ({ seed }: Schedule, issuedBy: readonly number[]): Call[] => {
  if (seed % 16 === 8) return [{ kind: "history" }];
  if (seed % 4 !== 0) return [];
  return [
    ...(["setup", ...issuedBy] as const).map((token) => ({ kind: "history", token }) as const),
    ...(["one", "two"] as const).map((key) => ({ kind: "history", key }) as const),
  ];
};

/** The final calls, made without faults: they show what is stored and which tokens are accepted. */
export const probesAfter = (schedule: Schedule, done: readonly Done[]): Operation[] => {
  const first =
    Math.max(-1, ...schedule.operations.map(({ id }) => id), ...done.map(({ operation }) => operation.id)) + 1;
  const kinds = new Set<string>(schedule.operations.map(({ call }) => call.kind));
  const issuedBy = done
    .filter(({ answer }) => tokenIn(answer?.body)?.isInvitation === false)
    .map(({ operation }) => operation.id);
  const calls: Call[] = [
    ...(["create", "replace", "delete"].some((kind) => kinds.has(kind))
      ? [
          { kind: "list", door: "admin", token: "setup" } as const,
          ...(["one", "two"] as const).map((key) => ({ kind: "get", key, door: "admin", token: "setup" }) as const),
        ]
      : []),
    ...repeatedCalls(schedule),
    ...(["issue", "update", "rotate", "revoke", ...ownCalls].some((kind) => kinds.has(kind))
      ? [
          { kind: "tokens" } as const,
          ...(["setup", ...issuedBy] as const).map((token) => ({ kind: "use", token, as: "itself" }) as const),
        ]
      : []),
    ...(kinds.has("daily run") ? [{ kind: "daily run" } as const] : []),
    ...(kinds.has("deliver") ? [{ kind: "usage", token: "setup" } as const] : []),
    ...historyCalls(schedule, issuedBy),
  ];
  return calls.map((call, index) => ({
    id: first + index,
    client: -1,
    environment: index % schedule.environments.length,
    // Attempts to send notices that have no outcome are given up after 15 minutes.
    pause: call.kind === "daily run" ? 1_000_000 : 100,
    call,
    fates: [],
  }));
};
