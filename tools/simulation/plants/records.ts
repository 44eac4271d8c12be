import type { Item } from "cdk-local-runner/database";
import type { DatabaseAnswer, DatabaseRequest } from "../database/database.ts";
import type { Plant } from "../functions.ts";
import { around, changing, reading, writes } from "./seams.ts";

/* Bugs in the histories of records. */

const addition = / ADD #history :entry$/;

const without = (values: Item, ...names: string[]): Item =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

const isAddition = (action: string, { UpdateExpression = "" }: DatabaseRequest): boolean =>
  action === "UpdateItem" && addition.test(UpdateExpression);

/** The same write without its entry. */
const withoutEntry = ({ UpdateExpression = "", ExpressionAttributeValues = {}, ...request }: DatabaseRequest) => ({
  ...request,
  UpdateExpression: UpdateExpression.replace(addition, ""),
  ExpressionAttributeValues: without(ExpressionAttributeValues, ":entry"),
});

const onlyEntry = ({ TableName, Key, ExpressionAttributeValues = {} }: DatabaseRequest): DatabaseRequest => ({
  TableName,
  ...(Key && { Key }),
  UpdateExpression: "ADD #history :entry",
  ExpressionAttributeNames: { "#history": "history" },
  ExpressionAttributeValues: { ":entry": ExpressionAttributeValues[":entry"] ?? { SS: [] } },
});

/** The response as the function expects it, with the entry. */
const withEntry = (answer: DatabaseAnswer, entries: readonly string[]): DatabaseAnswer => {
  const { Attributes } = answer.body as { Attributes?: Item };
  if (!Attributes) return answer;
  const history = { SS: [...(Attributes.history?.SS ?? []), ...entries] };
  return { ...answer, body: { ...answer.body, Attributes: { ...Attributes, history } } };
};

/** The entry follows in a separate write, after the response to the change. */
const inSecondWrite = (): Plant => {
  let pending: string[] = [];
  return {
    seam: {
      request(action, request) {
        if (!isAddition(action, request)) return { action, request };
        pending = request.ExpressionAttributeValues?.[":entry"]?.SS ?? [];
        return { action, request: withoutEntry(request) };
      },
      answer: (action, answer, { UpdateExpression = "", TableName }) =>
        action === "UpdateItem" && UpdateExpression.startsWith("SET") && writes.anyChange({ TableName })
          ? withEntry(answer, pending)
          : answer,
      next: (action, request) => (isAddition(action, request) ? { action, request: onlyEntry(request) } : undefined),
    },
  };
};

/** Changes the entries of a set that is written anew to make room, oldest first. */
const rewriting = (change: (entries: string[]) => string[]): Plant =>
  changing(writes.anyChange, ({ ExpressionAttributeValues: values = {}, ...request }) => {
    const entries = values[":history"]?.SS;
    const history = entries && { ":history": { SS: change(entries.toSorted()) } };
    return { ...request, ExpressionAttributeValues: { ...values, ...history } };
  });

/** A change with an unknown outcome is repeated as if it were a new change. */
const madeAgain = (functionName: string, changes: readonly string[]): Plant =>
  around(functionName, async (event, call) => {
    const { action } = event as { action: string };
    try {
      return await call();
    } catch (error) {
      if ((error as Error).name !== "unavailable" || !changes.includes(action)) throw error;
      return call();
    }
  });

export const historyPlants: Readonly<Record<string, () => Plant>> = {
  "an entry is written after its change": inSecondWrite,
  "an entry is lost when a history makes room": () => rewriting(([first = "", , ...others]) => [first, ...others]),
  "a creation is forgotten when a history makes room": () =>
    changing(writes.anyChange, ({ ExpressionAttributeValues: values = {}, ...request }) => {
      const [, ...others] = values[":history"]?.SS?.toSorted() ?? [];
      if (others.length === 0) return { ...request, ExpressionAttributeValues: values };
      const dropped = { N: String(Number(values[":history_dropped"]?.N ?? 0) + 1) };
      const changed = { ":history": { SS: others }, ":history_dropped": dropped };
      return { ...request, ExpressionAttributeValues: { ...values, ...changed } };
    }),
  "an entry is added again after a lost answer": () => madeAgain("admin", ["update"]),
  "an entry names another person": () =>
    changing(writes.update, ({ ExpressionAttributeValues: values = {}, ...request }) => {
      const entry = values[":entry"]?.SS?.map((text) => text.replace(/"invoke:[^"]*"/, '"invoke:somebody"'));
      return { ...request, ExpressionAttributeValues: { ...values, ...(entry && { ":entry": { SS: entry } }) } };
    }),
};

/* Bugs in notices. */

const valuesOf = ({ ExpressionAttributeValues = {} }: DatabaseRequest): Item => ExpressionAttributeValues;

const isNotice =
  (isMeant: (values: Item) => boolean) =>
  (request: DatabaseRequest): boolean =>
    request.TableName === "notices" && isMeant(valuesOf(request));

const withText = (name: string, value: string) => (request: DatabaseRequest) => ({
  ...request,
  ExpressionAttributeValues: { ...valuesOf(request), [name]: { S: value } },
});

/** A plant that stores another outcome of an attempt. */
const settling = (state: string, instead: string): Plant =>
  changing(
    isNotice((values) => values[":state"]?.S === state),
    withText(":state", instead),
  );

export const noticePlants: Readonly<Record<string, () => Plant>> = {
  "a notice that may have arrived is sent again": () => settling("uncertain", "pending"),
  "a notice that was refused is forgotten": () => settling("pending", "sent"),
  "nobody is told what may not have arrived": () => ({
    seam: {
      request: (action, request) =>
        valuesOf(request)[":kind"]?.S === "delivery_uncertain"
          ? { action: "GetItem", request: { TableName: "notices", Key: request.Key ?? {} } }
          : { action, request },
    },
  }),
  "a claim is not stored": () =>
    changing(
      isNotice((values) => values[":sending"] !== undefined && values[":state"] === undefined),
      withText(":sending", "pending"),
    ),
  "a notice is known by when it was found": () =>
    changing(
      isNotice((values) => values[":kind"]?.S === "token_unused"),
      ({ Key, ...request }) => ({
        ...request,
        Key: { notice_id: { S: `${Key?.notice_id?.S}:${valuesOf(request)[":found_at"]?.S}` } },
      }),
    ),
  "the last use is not read": () => reading("tokens", ({ last_used_at: _, ...item }) => item),
  "a token is taken for older than it is": () =>
    reading("tokens", (item) => ({ ...item, issued_at: { S: "2026-01-01T00:00:00.000Z" } })),
  "a rotation is not noticed": () => reading("tokens", ({ rotated_at: _, ...item }) => item),
};
