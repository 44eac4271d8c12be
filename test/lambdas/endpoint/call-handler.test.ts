import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { libraryApi } from "../../fixtures/library/api.ts";
import { addBook } from "../../fixtures/library/books/add-book.ts";
import { changeBook } from "../../fixtures/library/books/change-book.ts";
import { getBook } from "../../fixtures/library/books/get-book.ts";
import { lendBook } from "../../fixtures/library/loans/lend-book.ts";
import { callHandler } from "../../kit/call-handler.ts";

const book_id = "0b8f5c5e-6c1d-4f0e-9d3a-5a3f6c1e2b7d";
const available = { books: [{ state: "available" }] };

test("returns the response of a handler, and the records that it left", async () => {
  const { status, body, location, records } = await callHandler(libraryApi, addBook);

  expect(status).toBe(201);
  expect(location).toBe(`/book/${body.book_id}`);
  expect(records).toEqual({ books: [body] });
});

test("leaves out fields that the schema of the response lacks", async () => {
  const responses = { 200: { description: "The title.", body: z.object({ title: z.string() }) } };
  const { body } = await callHandler(libraryApi, { ...getBook, responses }, { records: available });

  expect(body).toEqual({ title: "Notes on the Analytical Engine" });
});

test("makes the changes of a transaction", async () => {
  const { body, records } = await callHandler(libraryApi, lendBook, { json: { reader: "Mary" }, records: available });

  expect(body).toMatchObject({ state: "lent", reader: "Mary" });
  expect(records).toMatchObject({ books: [{ state: "lent" }], loans: [{ book_id, reader: "Mary" }] });
});

test.each([
  [
    "input that its schemas reject",
    () => callHandler(libraryApi, lendBook, { json: { reader: "" }, records: available }),
    { code: "validation_failed", status: 422, fields: { reader: [expect.any(String)] } },
  ],
  [
    "path parameters that cannot be valid",
    () => callHandler(libraryApi, lendBook, { parameters: { book_id: "x" } }),
    { code: "book_not_found", status: 404 },
  ],
  ["errors of the handler", () => callHandler(libraryApi, lendBook), { code: "book_not_found", status: 404 }],
  [
    "another version than If-Match requires",
    () => callHandler(libraryApi, changeBook, { ifMatch: "other", records: available }),
    { code: "precondition_failed", status: 412 },
  ],
])("throws the error for %s", async (_, call, error) => {
  await expect(call()).rejects.toMatchObject(error);
});

test("lets time pass between two calls", async () => {
  const first = await callHandler(libraryApi, addBook, { at: "2030-01-01T00:00:00.000Z" });
  const parameters = { book_id: first.body.book_id };
  const call = {
    parameters,
    json: { title: "Notes", subtitle: null },
    records: first.records,
    at: "2030-01-02T00:00:00.000Z",
  };
  const second = await callHandler(libraryApi, changeBook, call);

  expect(second.body).toMatchObject({
    title: "Notes",
    created_at: "2030-01-01T00:00:00.000Z",
    updated_at: "2030-01-02T00:00:00.000Z",
  });
  const { body } = await callHandler(libraryApi, getBook, { parameters, records: second.records });
  expect(body).toEqual(second.body);
  expect(Date.now()).toBeLessThan(Date.parse("2030-01-01T00:00:00.000Z"));
});

test("uses the time that a test has set", async () => {
  vi.setSystemTime("2031-01-01T00:00:00.000Z");
  const { body } = await callHandler(libraryApi, addBook, { at: "2030-01-01T00:00:00.000Z" });
  const later = await callHandler(libraryApi, addBook);
  vi.useRealTimers();

  expect(body.created_at).toBe("2030-01-01T00:00:00.000Z");
  expect(later.body.created_at).toBe("2031-01-01T00:00:00.000Z");
});

test("the caller's client is the service's, unless the endpoint's example or the call names another one", async () => {
  const { handler: _, ...declaration } = getBook;
  const whose = (example: object, caller?: { client: string | null }) => {
    const clients: unknown[] = [];
    const handler: Endpoint["handler"] = async (input) => {
      clients.push(Object(input).caller.client);
      return { status: 200, body: { title: "Notes" } };
    };
    const asked: Endpoint = { ...declaration, example, handler };
    return callHandler({ exampleClient: "acme" }, asked, caller && { caller }).then(() => clients);
  };

  expect(await whose({})).toEqual(["acme"]);
  expect(await whose({ client: "staff" })).toEqual(["staff"]);
  expect(await whose({ client: "staff" }, { client: "globex" })).toEqual(["globex"]);
  expect(await whose({ client: "staff" }, { client: null })).toEqual([undefined]);
});

test("types the input, the response and the stores", () => {
  const calls = () => [
    // @ts-expect-error The reader is a string.
    callHandler(libraryApi, lendBook, { json: { reader: 7 } }),
    // @ts-expect-error The endpoint takes no form.
    callHandler(libraryApi, lendBook, { form: {} }),
    // @ts-expect-error The endpoint does not use this store.
    callHandler(libraryApi, addBook, { records: { loans: [] } }),
    // @ts-expect-error The response has no such field.
    callHandler(libraryApi, addBook).then(({ body }) => body.colour),
  ];
  expect(calls).toBeTypeOf("function");
});
