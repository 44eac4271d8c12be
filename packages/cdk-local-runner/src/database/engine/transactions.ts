import { hash } from "node:crypto";
import { isRecord } from "../../support/json.ts";
import { checkCondition } from "./conditions.ts";
import { assertValid, DatabaseError, failure } from "./errors.ts";
import { deletionOf, putOf, type TableWrite, updateOf, writeAll, writeOf } from "./items.ts";
import { placeAfter, placeOfItem } from "./keys.ts";
import type { Parameters } from "./parameters.ts";
import { placeholdersOf } from "./placeholders.ts";
import type { Change, Context, Storage } from "./storage.ts";
import { type Item, itemBytes } from "./values.ts";

// DynamoDB documents these limits.
const tokenMilliseconds = 10 * 60 * 1000;
const maximumBytes = 4 * 1024 * 1024;

/** The prefix of the rows with completed transactions. No table's name begins like this. */
const prefix = "\x01";

/** Reads the completed transactions, the oldest first. */
export const readTransactions = (storage: Storage): Context["transactions"] => {
  const rows = [...storage.range(prefix, placeAfter(prefix))].map(
    ([place, { digest, time }]) => [place, { digest: digest?.S ?? "", time: Number(time?.N) }] as const,
  );
  return new Map(rows.toSorted(([, one], [, other]) => one.time - other.time));
};

type Request = Parameters["TransactWriteItems"];
type Part = Request["TransactItems"][number];

/** Performs up to 100 actions on different items atomically. */
export const transactWrite = (context: Context, request: Request): object => {
  const { TransactItems, ClientRequestToken: token } = request;
  const parts = TransactItems.map(readPart);
  for (const part of parts) checkExpressions(part);
  // Observed: the size of the request counts, rather than that of the stored items.
  const sizes = parts.flatMap((part) => [part.item, part.request.ExpressionAttributeValues ?? {}].map(itemBytes));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assertValid(bytes <= maximumBytes, "Transaction payload size cannot exceed 4 MB");
  const repetition =
    token === undefined ? undefined : { place: `${prefix}${digestOf(token)}`, digest: digestOf(TransactItems) };
  if (repetition && isRepeated(context, repetition)) return {};

  const actions = parts.map(({ open }) => open(context));
  const problems = actions.map((action) => attempt(action.check).reason);
  // Observed: the first invalid action is the only one with a reason, and no condition is tested.
  const first = problems.findIndex((reason) => reason !== undefined);
  if (first >= 0) throw cancelled(problems.map((reason, place) => (place === first ? reason : undefined)));
  const places = actions.map(({ table, key }) => placeOfItem(table, key));
  assertValid(
    new Set(places).size === places.length,
    "Transaction request cannot include multiple operations on one item",
  );
  const outcomes = actions.map((action) => attempt(() => writeOf(context, action)));
  if (outcomes.some(({ reason }) => reason)) throw cancelled(outcomes.map(({ reason }) => reason));
  const writes = outcomes.flatMap(({ result }) => (result && result.before !== result.after ? [result] : []));
  complete(context, writes, repetition);
  return {};
};

const readPart = ({ Put, Update, Delete, ConditionCheck }: Part) => {
  if (Put) return { request: Put, item: Put.Item, open: (context: Context) => putOf(context, Put) };
  if (Update) {
    const { Key: item, UpdateExpression } = Update;
    return {
      request: Update,
      item,
      updates: { UpdateExpression },
      open: (context: Context) => updateOf(context, Update),
    };
  }
  const request = Delete ?? ConditionCheck;
  if (request === undefined) throw new Error("An action was not checked");
  return { request, item: request.Key, open: (context: Context) => deletionOf(context, request, Delete === undefined) };
};

/** Rejects expressions that are wrong for any tables. Observed: DynamoDB does so before it looks at a table. */
const checkExpressions = ({ request, updates }: ReturnType<typeof readPart>): void => {
  const { ConditionExpression } = request;
  const placeholders = placeholdersOf(request, { ...updates, ConditionExpression });
  if (ConditionExpression) checkCondition("ConditionExpression", ConditionExpression.expression, placeholders);
};

interface Reason {
  Code: string;
  Item?: Item;
  Message?: string;
}

// Observed: DynamoDB rejects the whole request for these.
const concernsRequest = /^(Invalid \w+Expression:|One or more parameter values are not valid\.|Item size has)/;

/** Returns the result, or the reason why an action cancels its transaction. */
const attempt = <Result>(use: () => Result): { result?: Result; reason?: Reason } => {
  try {
    return { result: use() };
  } catch (error) {
    if (!(error instanceof DatabaseError) || concernsRequest.test(error.message)) throw error;
    const Code = error.type.endsWith("#ConditionalCheckFailedException") ? "ConditionalCheckFailed" : "ValidationError";
    return { reason: { Code, ...error.more, Message: error.message } };
  }
};

const cancelled = (reasons: (Reason | undefined)[]): DatabaseError => {
  const CancellationReasons = reasons.map((reason) => reason ?? { Code: "None" });
  const codes = CancellationReasons.map(({ Code }) => Code).join(", ");
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return failure("TransactionCanceledException", message, { CancellationReasons, Message: message });
};

/** A transaction that has a token. */
interface Repetition {
  place: string;
  digest: string;
}

// Observed: the order of parameters and attributes doesn't matter.
const digestOf = (value: unknown): string =>
  hash(
    "sha256",
    JSON.stringify(value, (_, part) => (isRecord(part) ? Object.fromEntries(Object.entries(part).sort()) : part)),
  );

const isRepeated = ({ transactions, now }: Context, { place, digest }: Repetition): boolean => {
  const earlier = transactions.get(place);
  if (earlier === undefined || earlier.time + tokenMilliseconds <= now()) return false;
  if (earlier.digest === digest) return true;
  const Message = "The request has the token of an earlier request, but other parameters";
  throw failure("IdempotentParameterMismatchException", Message, { Message });
};

/** Stores all writes, remembers the transaction in the same step, and forgets expired ones. */
const complete = (context: Context, writes: TableWrite[], repetition: Repetition | undefined): void => {
  if (repetition === undefined) {
    writeAll(context, writes);
    return;
  }
  const { transactions, now } = context;
  const { place, digest } = repetition;
  const time = now();
  const expired: string[] = [];
  for (const [old, earlier] of transactions) {
    if (earlier.time + tokenMilliseconds > time) break;
    expired.push(old);
  }
  writeAll(context, writes, [
    ...expired.map((old): Change => [old, undefined]),
    [place, { digest: { S: digest }, time: { N: String(time) } }],
  ]);
  for (const old of expired) transactions.delete(old);
  transactions.set(place, { digest, time });
};
