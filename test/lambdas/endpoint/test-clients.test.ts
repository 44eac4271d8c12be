import { expect, test } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { libraryApi } from "../../fixtures/library/api.ts";
import { mixUps } from "../../kit/test-clients.ts";

/* The endpoints of these services ignore their callers, so clients see and change each other's records. */
const library = [libraryApi, "isbn"] as const;
const keys = [api, "key_id"] as const;

test.each([
  ["v1-get-book", "GET /book/{book_id} shows Ada Lovelace", library],
  ["v1-get-book", "GET /book/{book_id} gets 200 instead of 404", library],
  ["v1-list-books", "GET /book shows Ada Lovelace", library],
  ["v1-list-loans", "GET /book/{book_id}/loan shows Charles", library],
  ["v1-change-book", "PATCH /book/{book_id} gets 412 instead of 404", library],
  ["v1-put-book", "PUT /book/{book_id} changes books", library],
  ["v1-delete-book", "DELETE /book/{book_id} changes books", library],
  ["v1-lend-book", "POST /book/{book_id}/loan changes loans", library],
  ["v1-list-key-changes", "GET /key/changes shows 1234567", keys],
])("finds that %s mixes up clients: %s", async (name, problem, [service, field]) => {
  const operation = operationsOf(service).find(({ functionName }) => functionName === name) ?? expect.fail();
  const { problems, isProven } = await mixUps(service, operation, { field });

  expect(problems.filter((one) => one.startsWith(problem))).not.toEqual([]);
  expect(isProven).toBe(true);
});
