import { expect, test } from "vitest";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { libraryApi } from "../../fixtures/library/api.ts";
import { mixUps } from "../../kit/test-clients.ts";

/* Every endpoint of the library ignores its caller, so clients see and change each other's books and loans. */

test.each([
  ["v1-get-book", "GET /book/{book_id} shows Ada Lovelace"],
  ["v1-get-book", "GET /book/{book_id} gets 200 instead of 404"],
  ["v1-list-books", "GET /book shows Ada Lovelace"],
  ["v1-list-loans", "GET /book/{book_id}/loan shows Charles"],
  ["v1-change-book", "PATCH /book/{book_id} gets 412 instead of 404"],
  ["v1-put-book", "PUT /book/{book_id} changes books"],
  ["v1-delete-book", "DELETE /book/{book_id} changes books"],
  ["v1-lend-book", "POST /book/{book_id}/loan changes loans"],
])("finds that %s mixes up clients: %s", async (name, problem) => {
  const operation = operationsOf(libraryApi).find(({ functionName }) => functionName === name) ?? expect.fail();
  const { problems, isProven } = await mixUps(libraryApi, operation, { field: "isbn" });

  expect(problems.filter((one) => one.startsWith(problem))).not.toEqual([]);
  expect(isProven).toBe(true);
});
