import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { BodyFields } from "../../../lambdas/middlewares/read-body.ts";
import type { ApiEvent } from "../../../lambdas/middlewares/request.ts";
import { assertSentPath, validateInput } from "../../../lambdas/middlewares/validate-input.ts";
import { ValidationError } from "../../../lambdas/shared/errors/api-error.ts";
import { anyVersion, noVersion } from "../../../lambdas/shared/http/entity-tags.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { runBefore } from "../support/events.ts";
import { apiErrorOf } from "../support/outcomes.ts";

const short = (name: string) => z.object({ [name]: z.string().check(z.maxLength(3, "is too long.")) });
const declared = { parameters: short("id"), query: short("page"), form: short("text") };

type Options = Parameters<typeof validateInput>[0];
type Sent = Partial<ApiEvent & BodyFields>;

const run = (options: Options, event: Sent) => runBefore(validateInput(options), { ...apiEvent(), ...event });
const read = async (options: Options, event: Sent) => (await run(options, event)).input;
const errorOf = (options: Options, event: Sent) => apiErrorOf(run(options, event));

const valid = { pathParameters: { id: "1" }, queryStringParameters: { page: "2" }, fields: { text: "3" } };
const invalid = { pathParameters: { id: "long" }, queryStringParameters: { page: "long" }, fields: { text: "long" } };

test("an endpoint receives only what its schemas return for the path, the query and the form", async () => {
  const input = { parameters: { id: "1" }, query: { page: "2" }, form: { text: "3" } };
  const event = { ...valid, queryStringParameters: { page: "2", other: "x" } };
  expect(await read(declared, event)).toEqual(input);
  expect(await read({ ...declared, errors: ["key_not_found"] }, event)).toEqual(input);
});

test("ignores parts that an endpoint does not declare", async () => {
  const nothing = { parameters: undefined, query: undefined, form: undefined };
  for (const errors of [[], ["key_not_found"]] as const) expect(await read({ errors }, invalid)).toEqual(nothing);
});

const message = (name: string) => ({ [name]: [`The ${name} is too long.`] });
const all = { ...message("id"), ...message("page"), ...message("text") };
const required = { id: ["The id field is required."], text: ["The text field is required."] };

test.for<[string, Sent, object]>([
  ["every invalid field of every part", invalid, all],
  ["the field of the path", { ...valid, pathParameters: invalid.pathParameters }, message("id")],
  ["the field of the query", { ...valid, queryStringParameters: invalid.queryStringParameters }, message("page")],
  ["the field of the form", { ...valid, fields: invalid.fields }, message("text")],
  ["the fields of absent parts", { queryStringParameters: valid.queryStringParameters }, required],
])("rejects invalid input with %s", async ([, event, fields]) => {
  const error = await errorOf(declared, event);
  expect(error).toBeInstanceOf(ValidationError);
  expect(error).toHaveProperty("fields", fields);
});

test("responds with the endpoint's 404 if the path is invalid, before reporting anything else", async () => {
  const options: Options = { ...declared, errors: ["precondition_failed", "key_not_found"] };
  expect(await errorOf(options, invalid)).toMatchObject({ code: "key_not_found", status: 404 });
  const others = { ...invalid, pathParameters: valid.pathParameters };
  expect(await errorOf(options, others)).toMatchObject({ code: "validation_failed" });
});

const versionsIn = async (headers: Record<string, string>, errors: Options["errors"] = ["precondition_failed"]) =>
  (await read({ errors }, { headers }))?.ifMatch;

test("reads If-Match only for an endpoint that declares precondition_failed", async () => {
  expect(await versionsIn({ "if-match": '"a"' }, [])).toBeUndefined();
});

test.for<[headers: Record<string, string>, versions: string[] | undefined]>([
  [{}, undefined],
  [{ "if-none-match": "*" }, [noVersion]],
  [{ "if-none-match": '"a"' }, []],
  [{ "if-none-match": "*", "if-match": '"a"' }, []],
])("parses the conditions %j as %j", async ([headers, versions]) => {
  expect(await versionsIn(headers)).toEqual(versions);
});

test.for<[ifMatch: string, versions: string[]]>([
  ["*", [anyVersion]],
  [" * ", [anyVersion]],
  ['"a"', ["a"]],
  ['"a", "b"', ["a", "b"]],
  ['"a" , W/"b","c"', ["a", "c"]],
  ['"*"', ["*"]],
  ['"é"', ["é"]],
  ['W/"a"', []],
  ["a", []],
  ['"a"-gzip', []],
  ['"a", b', []],
  ["", []],
])("parses the strong tags of If-Match %j as %j", async ([ifMatch, versions]) => {
  expect(await versionsIn({ "if-match": ifMatch })).toEqual(versions);
});

interface Arrived {
  sent?: string;
  routeKey?: string;
  pathParameters?: Record<string, string>;
}
const check = async ({ sent, routeKey = "DELETE /api/v1/key/{key_id+}", pathParameters }: Arrived) =>
  assertSentPath({
    headers: sent === undefined ? {} : { "x-sent-path": sent },
    routeKey,
    ...(pathParameters && { pathParameters }),
  });
const key = (sent: string | undefined, key_id: string): Arrived => ({
  ...(sent !== undefined && { sent: sent && `/api/v1/key/${sent}` }),
  pathParameters: { key_id },
});
const usage = "GET /admin/tokens/{id}/usage";

test.each<[string, Arrived]>([
  ["the header is missing", key(undefined, "a b")],
  ["the parameters are those that were sent", key("a%2Bb%2Fc", "a+b/c")],
  ["a parameter looks like a replacement pattern", key("$%26", "$&")],
  ["a parameter is empty", { sent: "/api/v1/key/" }],
  ["there are no parameters", { sent: "/api/v1/token", routeKey: "DELETE /api/v1/token" }],
  ["one is in the middle", { sent: "/admin/tokens/7/usage", routeKey: usage, pathParameters: { id: "7" } }],
])("accepts a request that repeats its path if %s", async (_, arrived) => {
  await expect(check(arrived)).resolves.toBeUndefined();
});

test.each<[string, Arrived]>([
  ["a plus has become a space", key("a%2Bb", "a b")],
  ["it was cut off", key("a%3Fb", "a")],
  ["it was decoded once too often", key("a%252Fb", "a/b")],
  ["its last slash is gone", key("a%2F", "a")],
  ["it has come to another endpoint", { sent: "/api/v1/key/..%2Ftoken", routeKey: "DELETE /api/v1/token" }],
  ["the header was sent twice", key("a,/api/v1/key/a", "a")],
  ["the header is not percent-encoded", key("100%", "100%")],
  ["the header is empty", key("", "a")],
])("rejects a request that repeats its path if %s", async (_, arrived) => {
  expect(await apiErrorOf(check(arrived))).toMatchObject({ code: "path_changed", status: 400 });
});

test("rejects a request with another path before reading anything else", async () => {
  const event = { ...invalid, headers: { "x-sent-path": "/api/v1/another" } };
  expect(await errorOf(declared, event)).toMatchObject({ code: "path_changed" });
});
