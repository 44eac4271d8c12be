import type { Answer, Done } from "../answers.ts";
import { requestIdOf } from "../calls.ts";
import { addressOf } from "../situation.ts";

/** Whether the answer leaves open if the operation took effect. */
export const isUnknown = ({ answer }: Done): boolean => answer === undefined || answer.status >= 500;

/** Whether the operation was reported as done. */
export const isSuccess = ({ answer }: Done): boolean => answer !== undefined && answer.status < 400;

/** The latest moment at which an operation can take effect, judging by the answers alone. */
export const endOf = (done: Done): number => (isUnknown(done) ? Number.POSITIVE_INFINITY : done.answeredAt);

/** Who performed an action, as the record names them: an admin, or the client that has the token. */
export const actorOf = ({ operation: { id, call }, token }: Done): string =>
  "from" in call && token ? `token:${token.token_id}:${addressOf(call.from)}` : `invoke:${requestIdOf(id)}`;

/** A field of an answer's body. */
export const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;

/** The items of a list in an answer's body: of the list itself, or of its field. */
export const listOf = ({ body }: Pick<Answer, "body">, name: string): unknown[] => {
  const list = Array.isArray(body) ? body : fieldOf(body, name);
  return Array.isArray(list) ? list : [];
};
