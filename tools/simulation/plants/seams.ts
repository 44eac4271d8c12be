import type { AttributeValue, Item } from "cdk-local-runner/database";
import type { DatabaseAnswer, DatabaseRequest } from "../database/database.ts";
import type { Handler, Plant } from "../functions.ts";
import type { Answer } from "../situation.ts";

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

/** A plant that adds or replaces values of a write. */
export const changingValues = (isMeant: Write, change: (values: Item) => Item): Plant =>
  changing(isMeant, ({ ExpressionAttributeValues: values = {}, ...request }) => ({
    ...request,
    ExpressionAttributeValues: { ...values, ...change(values) },
  }));

/** A plant that replaces a part of a write's update. */
export const changingUpdate = (isMeant: Write, pattern: RegExp, replacement = ""): Plant =>
  changing(isMeant, ({ UpdateExpression = "", ...request }) => ({
    ...request,
    UpdateExpression: UpdateExpression.replace(pattern, replacement),
  }));

/** A plant that replaces a part of a write's condition. */
export const changingCondition = (isMeant: Write, pattern: RegExp, replacement = ""): Plant =>
  changing(isMeant, ({ ConditionExpression = "", ...request }) => {
    const condition = ConditionExpression.replace(pattern, replacement);
    return condition === "" ? request : { ...request, ConditionExpression: condition };
  });

/** A plant that removes the part of a condition that stops late attempts. The part about the history comes after it. */
export const unguarded = (isMeant: Write): Plant =>
  changingCondition(
    isMeant,
    / AND (\(attribute_not_exists\(#\w+\) OR #\w+ < :rested\)|#\w+ = :seen_\w+)(?=$| AND \(attribute_not_exists\(#history\))/,
  );

/** A plant that changes the item that a write returns. */
export const returning = (isMeant: Write, change: (item: Item) => Item): Plant => ({
  seam: {
    answer(action, answer, request) {
      const { Attributes: item } = answer.body as { Attributes?: Item };
      if (action !== "UpdateItem" || !item || !isMeant(request)) return answer;
      return { ...answer, body: { Attributes: change(item) } };
    },
  },
});

/** Several plants that make the bug only together. */
export const together = (...plants: Plant[]): Plant => ({
  seam: {
    request: (action, request) =>
      plants.reduce((sent, { seam }) => seam?.request?.(sent.action, sent.request) ?? sent, { action, request }),
    answer: (action, answer, request) =>
      plants.reduce((given, { seam }) => seam?.answer?.(action, given, request) ?? given, answer),
  },
  functions: (functions) => plants.reduce((wrapped, plant) => plant.functions?.(wrapped) ?? wrapped, functions),
});

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
  changingValues(isMeant, ({ [name]: old }): Item => {
    if (!old) return {};
    return { [name]: old.S === undefined ? { N: value(old.N ?? "") } : { S: value(old.S) } };
  });

export const later =
  (milliseconds: number) =>
  (time: string): string =>
    new Date(Date.parse(time) + milliseconds).toISOString();

/** A plant that changes the items that the functions read from a table. */
export const reading = (table: string, change: (item: Item) => Item | undefined): Plant => ({
  seam: {
    answer(action, answer, { TableName }) {
      if (TableName !== table || answer.status !== 200) return answer;
      const { Item: item, Items: items } = answer.body as { Item?: Item; Items?: Item[] };
      if (action === "GetItem" && item) {
        const changed = change(item);
        return { ...answer, body: changed ? { Item: changed } : {} };
      }
      if (action !== "Scan" || !items) return answer;
      const changed = items.map(change).filter((one) => one !== undefined);
      return { ...answer, body: { ...answer.body, Items: changed } };
    },
  },
});

/** Removes attributes from an item. */
export const without =
  (...names: string[]) =>
  (item: Item): Item =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** A plant that serves all reads of a record from the first one, as a cache does. */
export const cached = (table: string): Plant => {
  const known = new Map<string, DatabaseAnswer>();
  return {
    seam: {
      answer(action, answer, { TableName, Key }) {
        if (action !== "GetItem" || TableName !== table) return answer;
        const key = JSON.stringify(Key);
        const first = known.get(key) ?? answer;
        known.set(key, first);
        return first;
      },
    },
  };
};

/** A plant that serves a read with the state before the last write, as a replica may. */
export const stale = (table: string): Plant => {
  const before = new Map<string, object>();
  return {
    seam: {
      answer(action, answer, { TableName, Key }) {
        if (TableName !== table || answer.status !== 200) return answer;
        const key = JSON.stringify(Key);
        if (action !== "GetItem") {
          before.set(key, { ...before.get(key), isStale: true });
          return answer;
        }
        const { isStale = false, body = answer.body } = (before.get(key) ?? {}) as { isStale?: boolean; body?: object };
        before.set(key, { isStale: false, body: answer.body });
        return isStale ? { ...answer, body } : answer;
      },
    },
  };
};

/** The parts of a request to the API that plants look at or change. */
export interface ApiEvent {
  headers: Record<string, string>;
  requestContext: { http: { sourceIp: string } };
}

type Intervene = (event: unknown, call: () => Promise<unknown>) => Promise<unknown>;

/** A plant around the handler of a function. */
export const around = (functionName: string, intervene: Intervene): Plant => ({
  functions: (functions) => ({
    handler(name): Handler {
      const handler = functions.handler(name);
      if (name !== functionName) return handler;
      return (event, context) => intervene(event, () => handler(event, context));
    },
  }),
});

/** A plant that reports success for a call whose outcome is unknown. */
export const swallowingFailure = (functionName: string, success: Pick<Answer, "status" | "body">): Plant =>
  around(functionName, async (_, call) => {
    const answer = await call();
    const { statusCode } = answer as { statusCode: number };
    if (statusCode !== 503) return answer;
    return { statusCode: success.status, headers: {}, body: success.body && JSON.stringify(success.body) };
  });

/** A plant that changes the first token that a function reads in a call. */
export const readingIn = (functionName: string, change: (token: Item) => Item): Plant => {
  let isMeant = false;
  return together(
    around(functionName, (_, call) => {
      isMeant = true;
      return call();
    }),
    reading("tokens", (token) => {
      if (!isMeant) return token;
      isMeant = false;
      return change(token);
    }),
  );
};
