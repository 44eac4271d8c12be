import type { Item } from "cdk-local-runner/database";
import type { DatabaseRequest } from "../database/database.ts";
import type { Plant } from "../open-functions.ts";
import { reading } from "../plants/answers.ts";

/* Bugs in notices that a simulated year must find. */

const changing = (
  isMeant: (request: DatabaseRequest) => boolean,
  change: (request: DatabaseRequest) => DatabaseRequest,
): Plant => ({
  seam: {
    request: (action, request) => ({
      action,
      request: request.TableName === "notices" && isMeant(request) ? change(request) : request,
    }),
  },
});

const valuesOf = ({ ExpressionAttributeValues = {} }: DatabaseRequest): Item => ExpressionAttributeValues;

const withValue = (request: DatabaseRequest, name: string, value: string): DatabaseRequest => ({
  ...request,
  ExpressionAttributeValues: { ...valuesOf(request), [name]: { S: value } },
});

/** Stores the outcome of an attempt. */
const isSettling = (state: string) => (request: DatabaseRequest) => valuesOf(request)[":state"]?.S === state;

/** Changes a field of the tokens that are read. */
const readingTokens = (change: (item: Item) => Item): Plant => reading("tokens", change);

export const yearPlants: Readonly<Record<string, () => Plant>> = {
  "a notice that may have arrived is sent again": () => {
    const { seam } = changing(isSettling("uncertain"), (request) => withValue(request, ":state", "pending"));
    return { ...(seam && { seam }) };
  },
  "a notice that was refused is forgotten": () =>
    changing(isSettling("pending"), (request) => withValue(request, ":state", "sent")),
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
      (request) => valuesOf(request)[":sending"] !== undefined && valuesOf(request)[":state"] === undefined,
      (request) => withValue(request, ":sending", "pending"),
    ),
  "a notice is known by when it was found": () =>
    changing(
      (request) => valuesOf(request)[":kind"]?.S === "token_unused",
      (request) => ({
        ...request,
        Key: { notice_id: { S: `${request.Key?.notice_id?.S}:${valuesOf(request)[":found_at"]?.S}` } },
      }),
    ),
  "the last use is not read": () => readingTokens(({ last_used_at: _, ...item }) => item),
  "a token is taken for older than it is": () =>
    readingTokens((item) => ({ ...item, issued_at: { S: "2026-01-01T00:00:00.000Z" } })),
  "a rotation is not noticed": () => readingTokens(({ rotated_at: _, ...item }) => item),
};
