import type { Item } from "cdk-local-runner/database";
import type { DatabaseRequest } from "../database/database.ts";
import type { Plant } from "../functions.ts";
import { reading } from "./answers.ts";
import { changing } from "./requests.ts";

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
