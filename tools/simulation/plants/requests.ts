import type { AttributeValue, Item } from "cdk-local-runner/database";
import type { DatabaseRequest } from "../database/database.ts";
import type { Plant } from "../functions.ts";

/** The writes of the service, distinguished by their requests. */
export type Write = (request: DatabaseRequest) => boolean;

const sets = ({ UpdateExpression = "" }: DatabaseRequest, name: string): boolean =>
  new RegExp(`\\bSET\\b.*#?\\b${name} =`).test(UpdateExpression);
const about =
  (table: string, isMeant: Write): Write =>
  (request) =>
    request.TableName === table && isMeant(request);

export const writes = {
  issue: about("tokens", (request) => sets(request, "secret_hash") && !sets(request, "predecessor_id")),
  successor: about("tokens", (request) => sets(request, "predecessor_id")),
  rotation: about("tokens", (request) => sets(request, "successor_id")),
  shortening: about(
    "tokens",
    (request) => sets(request, "successor_id") && !request.ConditionExpression?.includes("successor_id"),
  ),
  update: about("tokens", (request) => sets(request, "updated_by")),
  end: about("tokens", (request) => sets(request, "updated_by") && sets(request, "expires_at")),
  dismissal: about("tokens", (request) => sets(request, "dismissed_addresses") && !sets(request, "secret_hash")),
  revocation: about("tokens", (request) => sets(request, "revoked_by")),
  redemption: about("tokens", (request) => sets(request, "redeemed_at")),
  request: about("tokens", (request) => sets(request, "request")),
  use: about("tokens", (request) => sets(request, "last_used_at")),
  creation: about("keys", (request) => sets(request, "created_at")),
  replacement: about("keys", (request) => sets(request, "v_code") && !sets(request, "created_at")),
  deletion: about("keys", (request) => sets(request, "deletion_id")),
  count: about("limits", () => true),
  usage: about("usage", ({ UpdateExpression = "" }) => UpdateExpression.startsWith("ADD")),
  anyChange: ({ TableName }: DatabaseRequest) => TableName === "tokens" || TableName === "keys",
} as const satisfies Record<string, Write>;

/** A plant that changes the requests of a write on their way to the database. */
export const changing = (isMeant: Write, change: (request: DatabaseRequest) => DatabaseRequest): Plant => ({
  seam: {
    request: (action, request) => ({
      action,
      request: action === "UpdateItem" && isMeant(request) ? change(request) : request,
    }),
  },
});

/** Replaces a part of a request's condition, and removes a left-over `AND`. */
export const replaceCondition =
  (pattern: RegExp, replacement = "") =>
  ({ ConditionExpression = "", ...request }: DatabaseRequest): DatabaseRequest => {
    const condition = ConditionExpression.replace(pattern, replacement);
    return condition === "" ? request : { ...request, ConditionExpression: condition };
  };

/** Removes the part of a condition that stops late attempts. The part about the history comes after it. */
export const withoutGuard = replaceCondition(
  / AND (\(attribute_not_exists\(#\w+\) OR #\w+ < :rested\)|#\w+ = :seen_\w+)(?=$| AND \(attribute_not_exists\(#history\))/,
);

export const withoutCondition = replaceCondition(/^.*$/);

/** The item that an update would create if there were none. */
const itemOf = ({ Key, UpdateExpression = "", ExpressionAttributeValues = {} }: DatabaseRequest): Item => {
  const names = [...UpdateExpression.matchAll(/#?(\w+) = (:\w+)/g)];
  const values = names.flatMap(([, name = "", placeholder = ""]) => {
    const value = ExpressionAttributeValues[placeholder];
    return value ? [[name, value]] : [];
  });
  return { ...Key, ...Object.fromEntries(values), ...historyIn(ExpressionAttributeValues) };
};

/** The history that a write begins. */
export const historyIn = ({ ":entry": entry }: Record<string, AttributeValue>): Item =>
  entry ? { history: entry } : {};

/** A plant that replaces an update by a write of the whole item, whatever item exists. */
export const asPut = (isMeant: Write): Plant => ({
  seam: {
    request: (action, request) =>
      action === "UpdateItem" && isMeant(request)
        ? { action: "PutItem", request: { TableName: request.TableName, Item: itemOf(request) } }
        : { action, request },
    // The functions expect the item that they have written.
    answer: (action, answer, request) =>
      action === "PutItem" ? { status: 200, body: { Attributes: request.Item } } : answer,
  },
});

/** A plant that changes a value of a write. */
export const withValue = (isMeant: Write, name: string, value: (text: string) => string): Plant =>
  changing(isMeant, (request) => {
    const { ExpressionAttributeValues: values = {} } = request;
    const old = values[name];
    if (!old) return request;
    const changed = old.S === undefined ? { N: value(old.N ?? "") } : { S: value(old.S) };
    return { ...request, ExpressionAttributeValues: { ...values, [name]: changed } };
  });

export const later =
  (milliseconds: number) =>
  (time: string): string =>
    new Date(Date.parse(time) + milliseconds).toISOString();
