import { afterAll, beforeAll, expect, test } from "vitest";
import { libraryApi } from "../fixtures/library/api.ts";
import { printed } from "../fixtures/library/books/print-books.ts";
import { tablesOf } from "../kit/support/running-service.ts";
import { recordsIn } from "../kit/support/table-states.ts";
import { type OwnService, startService } from "../support/service.ts";
import { synthesiseLibrary } from "../support/stages.ts";

let service: OwnService;
beforeAll(async () => {
  service = await startService({ assemblyDirectory: await synthesiseLibrary(), described: libraryApi });
});
afterAll(() => service.close());

const csv = { "content-type": "text/csv; charset=utf-8", etag: '"2026"' };
const download = { "content-disposition": 'attachment; filename="books.csv"', "x-content-type-options": "nosniff" };
const sandboxed = { "content-security-policy": "default-src 'none'; sandbox", "cache-control": "no-cache" };

test("a redirect leads to a declared origin, and caches do not store its address", async () => {
  const { status, headers } = await service.call("GET", "/api/v1/book-export/2025");
  expect({ status, location: headers.location }).toEqual({ status: 303, location: "https://archive.example/2025.csv" });
  expect(headers["cache-control"]).toBe("no-cache, no-store");
});

test("a download has its type, its name and its headers, and is compressed", async () => {
  await tablesOf(service, libraryApi.tables).fill({ books: recordsIn("filled", libraryApi.tables).books ?? [] });
  const headers = { "accept-encoding": "br" };
  const answer = await service.call("GET", "/api/v1/book-export/2026", { headers });
  expect(answer.headers).toMatchObject({ ...csv, ...download, ...sandboxed, "x-total": "1000" });
  expect(answer.headers).not.toHaveProperty("x-author");
  expect(answer.headers["content-encoding"]).toBe("br");
  expect(answer.text).toBe("1,Käse\n2,Milch\n".repeat(500));
});

test("a download that the client already has is a 304 of the same type", async () => {
  const headers = { "if-none-match": '"2026"' };
  const answer = await service.call("GET", "/api/v1/book-export/2026", { headers });
  expect(answer).toMatchObject({ status: 304, text: "", headers: csv });
});

test("bytes arrive unchanged", async () => {
  const headers = { accept: "application/json", "x-token": await service.issueToken() };
  const response = await fetch(`${service.baseUrl}/api/v1/book-print`, { headers });
  expect(response.headers.get("content-type")).toBe("application/pdf");
  expect(await response.bytes()).toEqual(printed);
});
