import type { Item } from "cdk-local-runner/database";
import { requestIdOf } from "../calls.ts";
import type { Run } from "../execute.ts";
import { type Answer, addressOf, type Done } from "../situation.ts";

/** Checks whether the response leaves it unknown if the operation took effect. */
export const isUnknown = ({ answer }: Done): boolean => answer === undefined || answer.status >= 500;

/** Checks whether the operation was reported as done. */
export const isSuccess = ({ answer }: Done): boolean => answer !== undefined && answer.status < 400;

/** Returns the latest moment at which an operation can take effect, judging only by the responses. */
export const endOf = (done: Done): number => (isUnknown(done) ? Number.POSITIVE_INFINITY : done.answeredAt);

/** Returns the actor of an action as the record names it: an admin, or the client that has the token. */
export const actorOf = ({ operation: { id, call }, token }: Done): string =>
  "from" in call && token ? `token:${token.token_id}:${addressOf(call.from)}` : `invoke:${requestIdOf(id)}`;

/** Less than 15 minutes, because clocks differ by up to five seconds each, and a call takes time. */
export const surelyRepeatableMilliseconds = 14 * 60 * 1_000;

/** Returns a field of a response's body. */
export const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;

/** Returns the items of a list in a response: the body itself, or one of its fields. */
export const listOf = ({ body }: Pick<Answer, "body">, name: string): unknown[] => {
  const list = Array.isArray(body) ? body : fieldOf(body, name);
  return Array.isArray(list) ? list : [];
};

/** Returns an item as it was stored at a moment of a run. The key is given as text. */
export const itemAt = ({ initial, chronicle }: Run, table: string, key: string, moment: number): Item | undefined => {
  const last = chronicle.applied.findLast(
    ({ appliedAt, change }) => change.table === table && change.key === key && appliedAt < moment,
  );
  return last ? last.change.after : initial.itemsOf(table).get(key);
};
