import type { Item } from "cdk-local-runner/database";
import type { DatabaseAnswer, DatabaseRequest } from "../database/database.ts";
import type { Plant } from "../functions.ts";
import { around, changing, changingValues, reading, without, withValue, writes } from "./seams.ts";

/* Bugs in the histories of records. */

const addition = / ADD #history :entry$/;

const isAddition = (action: string, { UpdateExpression = "" }: DatabaseRequest): boolean =>
  action === "UpdateItem" && addition.test(UpdateExpression);

/** The same write without its entry. */
const withoutEntry = ({ UpdateExpression = "", ExpressionAttributeValues = {}, ...request }: DatabaseRequest) => ({
  ...request,
  UpdateExpression: UpdateExpression.replace(addition, ""),
  ExpressionAttributeValues: without(":entry")(ExpressionAttributeValues),
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

/** Changes what is written when a set of entries, here the oldest first, is written anew to make room. */
const makingRoom = (change: (entries: string[], dropped: number) => Item): Plant =>
  changingValues(writes.anyChange, ({ ":history": history, ":history_dropped": dropped }) =>
    history?.SS ? change(history.SS.toSorted(), Number(dropped?.N ?? 0)) : {},
  );

export const historyPlants: Readonly<Record<string, () => Plant>> = {
  "an entry is written after its change": inSecondWrite,
  "an entry is lost when a history makes room": () =>
    makingRoom(([first = "", , ...others]) => ({ ":history": { SS: [first, ...others] } })),
  "a creation is forgotten when a history makes room": () =>
    makingRoom(([, ...others], dropped) => {
      if (others.length === 0) return {};
      return { ":history": { SS: others }, ":history_dropped": { N: String(dropped + 1) } };
    }),
  "an entry is added again after a lost answer": () => madeAgain("admin", ["update"]),
  "an entry names another person": () =>
    changingValues(writes.update, ({ ":entry": entry }): Item => {
      const texts = entry?.SS?.map((text) => text.replace(/"invoke:[^"]*"/, '"invoke:somebody"'));
      return texts ? { ":entry": { SS: texts } } : {};
    }),
};

/* Bugs in notices. */

const valuesOf = ({ ExpressionAttributeValues = {} }: DatabaseRequest): Item => ExpressionAttributeValues;

const isNotice =
  (isMeant: (values: Item) => boolean) =>
  (request: DatabaseRequest): boolean =>
    request.TableName === "notices" && isMeant(valuesOf(request));

/** A plant that stores another outcome of an attempt. */
const settling = (state: string, instead: string): Plant =>
  withValue(
    isNotice((values) => values[":state"]?.S === state),
    ":state",
    () => instead,
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
    withValue(
      isNotice((values) => values[":state"] === undefined),
      ":sending",
      () => "pending",
    ),
  "a notice is known by when it was found": () =>
    changing(
      isNotice((values) => values[":kind"]?.S === "token_unused"),
      ({ Key, ...request }) => ({
        ...request,
        Key: { notice_id: { S: `${Key?.notice_id?.S}:${valuesOf(request)[":found_at"]?.S}` } },
      }),
    ),
  "the last use is not read": () => reading("tokens", without("last_used_at")),
  "a token is taken for older than it is": () =>
    reading("tokens", (item) => ({ ...item, issued_at: { S: "2026-01-01T00:00:00.000Z" } })),
  "a rotation is not noticed": () => reading("tokens", without("rotated_at")),
};
