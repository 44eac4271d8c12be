/* Programs that make the same calls with the clients that are generated for the library. Each prints what it got as JSON. */

const book = `{
  title: "Notes", isbn: "978-3161484100", genre: "science", language: "en", pages: 66, price: "9.50", weight: 0.5, printed: true,
  published: "1843-09-01", shelved_at: null, publisher: { name: "Taylor", country: "GB" }, authors: [{ name: "Ada" }], tags: [], ratings: { Times: 5 },
}`;

export const typescriptProgram = `
import { ApiFailure, type components, createIntegrationClient, type ErrorCode, PreconditionFailed, ValidationFailed } from "library-client";

const { BASE_URL = "", TOKEN = "" } = process.env;
const retry = { wait: async () => {} };
const client = createIntegrationClient({ baseUrl: BASE_URL, token: TOKEN, retry });
const failureOf = async (call: Promise<unknown>) => call.then(() => undefined, (error: unknown) => error);
const codeOf = async (call: Promise<unknown>): Promise<ApiFailure["code"] | undefined> => {
  const failure = await failureOf(call);
  return failure instanceof ApiFailure ? failure.code : undefined;
};
const unavailable: ErrorCode = "book_not_available";

const archive = await client.GET("/api/v1/book-export/{year}", { params: { path: { year: "2026" } } });
const body: components["schemas"]["AddBookBody"] = ${book};
const first = await client.POST("/api/v1/book", { body });
const params = { path: { book_id: first.book_id } };
const changed = await client.PATCH("/api/v1/book/{book_id}", { params, body: { subtitle: "With a table" }, ifUnchanged: first });
const stale = await failureOf(client.PATCH("/api/v1/book/{book_id}", { params, body: { pages: 1 }, ifUnchanged: first }));
const statuses: number[] = [];
const onResponse = ({ status }: { status: number }) => void statuses.push(status);
const lost = { path: { book_id: "0b8f5c5e-6c1d-4f0e-9d3a-5a3f6c1e2b7d" } };
await client.PUT("/api/v1/book/{book_id}", { params: lost, body, onResponse });
const invalid = await failureOf(client.POST("/api/v1/book", { body: { ...body, authors: [{ name: "" }] } }));
const pages: string[][] = [];
const query = { limit: 1 };
for await (const page of client.pages("/api/v1/genre/{genre}/book", { params: { path: { genre: "science" }, query } })) {
  if (page.length > 0) pages.push(page.map(({ title }) => title));
}
let total: string | null = null;
const file = await client.GET("/api/v1/book-export/{year}", {
  params: { path: { year: "2026" } },
  onResponse: ({ headers }) => { total = headers.get("X-Total"); },
});
const print: Uint8Array = await client.GET("/api/v1/book-print");
await client.POST("/api/v1/book/{book_id}/loan", { params, body: { reader: "Charles" } });
const refused = await codeOf(client.DELETE("/api/v1/book/{book_id}", { params }));
const newer = createIntegrationClient({ baseUrl: BASE_URL + "/newer", token: TOKEN, retry });
const later = await newer.GET("/api/v1/book/{book_id}", { params });
const laterCode = await codeOf(newer.DELETE("/api/v1/book/{book_id}", { params }));
await client.DELETE("/api/v1/book/{book_id}/loan", { params });
const deleted = await client.DELETE("/api/v1/book/{book_id}", { params, ifUnchanged: await client.GET("/api/v1/book/{book_id}", { params }) });
console.log(JSON.stringify({
  archive, copies: first.copies, subtitle: changed.subtitle, stale: stale instanceof PreconditionFailed, statuses,
  invalid: invalid instanceof ValidationFailed && invalid.fields, pages, lines: file.split("\\n").length, total,
  bytes: [...print], refused: refused === unavailable, later: [later.state, "added_later" in later], laterCode, deleted: deleted ?? null,
}));
`;

/** Mistakes that the compiler must report. */
export const wrongCalls = `
import { ApiFailure, createIntegrationClient } from "library-client";
const client = createIntegrationClient({ baseUrl: "", token: "" });
const path = { book_id: "1" };
// @ts-expect-error: a nested field has another type
client.PATCH("/api/v1/book/{book_id}", { params: { path }, body: { authors: [{ name: 1 }] } });
// @ts-expect-error: there is no such field
client.PATCH("/api/v1/book/{book_id}", { params: { path }, body: { titel: "Notes" } });
// @ts-expect-error: there is no such genre
client.pages("/api/v1/genre/{genre}/book", { params: { path: { genre: "crime" } } });
// @ts-expect-error: a loan is not created with a patch
client.PATCH("/api/v1/book/{book_id}/loan", { params: { path }, body: { reader: "Charles" } });
// @ts-expect-error: the file is not a list
client.pages("/api/v1/book-print");
// @ts-expect-error: there is no such error
if (new Error() instanceof ApiFailure && new ApiFailure({} as never).code === "book_not_fund") path.book_id = "2";
`;

export const pythonProgram = `
import json
import os

from library_client import ApiFailure, ErrorCode, IntegrationClient, PreconditionFailed, ResponseHead, RetryOptions, ValidationFailed
from library_client.operations import AddBookBody

base_url, token = os.environ["BASE_URL"], os.environ["TOKEN"]
retry = RetryOptions(wait=lambda seconds: None)
client = IntegrationClient(base_url, token, retry=retry)
unavailable: ErrorCode = "book_not_available"
heads: list[ResponseHead] = []

archive = client.export_books("2026")
body: AddBookBody = ${book
  .replaceAll(/(\w+): /g, '"$1": ')
  .replaceAll("true", "True")
  .replaceAll("null", "None")}
first = client.add_book(body)
book_id = first["book_id"]
changed = client.change_book(book_id, {"subtitle": "With a table"}, if_unchanged=first)
try:
    client.change_book(book_id, {"pages": 1}, if_unchanged=first)
except PreconditionFailed:
    stale = True
client.put_book("0b8f5c5e-6c1d-4f0e-9d3a-5a3f6c1e2b7d", body, on_response=heads.append)
statuses = [head.status for head in heads]
try:
    client.add_book({**body, "authors": [{"name": ""}]})
except ValidationFailed as failure:
    invalid = failure.fields
pages = [[book["title"]] for book in client.newest_books("science", limit=1)]
file = client.export_books("2026", on_response=heads.append)
printed = client.print_books()
client.lend_book(book_id, {"reader": "Charles"})
try:
    client.delete_book(book_id)
except ApiFailure as failure:
    refused = failure.code == unavailable
newer = IntegrationClient(base_url + "/newer", token, retry=retry)
later = newer.get_book(book_id)
try:
    newer.delete_book(book_id)
except ApiFailure as failure:
    later_code = failure.code
client.return_book(book_id)
client.delete_book(book_id, if_unchanged=client.get_book(book_id))
print(json.dumps({
    "archive": archive, "copies": first["copies"], "subtitle": changed["subtitle"], "stale": stale, "statuses": statuses,
    "invalid": invalid, "pages": pages, "lines": len(file.split("\\n")), "total": heads[-1].headers["X-Total"],
    "bytes": list(printed), "refused": refused, "later": [later["state"], "added_later" in later], "laterCode": later_code,
    "deleted": None,
}))
`;
