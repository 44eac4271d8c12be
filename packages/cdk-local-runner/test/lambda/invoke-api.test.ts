import { once } from "node:events";
import { request } from "node:http";
import { expect, test } from "vitest";
import { aliasOf } from "../support/assemblies.ts";
import { sharedService, writeFunctions } from "../support/services.ts";

// Unless a test says otherwise, the errors and the log's last lines were recorded on AWS by LocalStack's tests (November 2025:
// https://github.com/localstack/localstack, tests/aws/services/lambda_/test_lambda*.snapshot.json).

const echo =
  "exports.handler = async (event) => { console.log('heard'); if (event.fail) throw new TypeError('no'); return event }";

const code = {
  echo,
  large: "exports.handler = async (length) => 'a'.repeat(length - 2)",
  quitter: "exports.handler = async (code) => (typeof code === 'number' ? process.exit(code) : code)",
};

const service = sharedService(async (directory) => ({
  assembly: await writeFunctions(directory, code, aliasOf("echo")),
}));

const arn = "arn:aws:lambda:us-east-1:000000000000:function:echo";

const invoke = (name: string, body: string, headers: Record<string, string> = {}, query = "") =>
  fetch(`${service().invokeUrl}/2015-03-31/functions/${name}/invocations${query}`, { method: "POST", body, headers });

test("accepts function names in the form of the AWS CLI", async () => {
  const names = ["echo", "echo:$LATEST", "echo:live", "echo:1", arn, `${arn}:$LATEST`, "000000000000:function:echo"];
  for (const name of names) {
    const response = await invoke(encodeURIComponent(name), '{"a":1}');
    expect(response.status).toBe(200);
    expect(response.headers.get("x-amz-executed-version")).toBe("$LATEST");
    expect(response.headers.has("x-amz-function-error")).toBe(false);
    expect(await response.json()).toEqual({ a: 1 });
  }
});

test("returns the end of the log on request", async () => {
  const response = await invoke("echo", "{}", { "x-amz-log-type": "Tail" });
  const log = Buffer.from(response.headers.get("x-amz-log-result") ?? "", "base64").toString();

  expect(log).toMatch(/^START RequestId: (\S+) Version: \$LATEST\nheard\nEND RequestId: \1\nREPORT RequestId: \1\t/);
  expect(log).toMatch(/\tDuration: \d+\.\d\d ms\tBilled Duration: \d+ ms\tMemory Size: 128 MB\t\n$/);
  expect((await invoke("echo", "{}")).headers.has("x-amz-log-result")).toBe(false);
});

test.each([
  ["the query alone", "echo", "live"],
  ["the query and the name", "echo:live", "live"],
])("accepts a version or an alias named by %s", async (_, name, qualifier) => {
  expect((await invoke(name, "{}", {}, `?Qualifier=${qualifier}`)).status).toBe(200);
});

const tooLarge = `"${"a".repeat(6 * 1024 * 1024)}"`;
const qualifierMismatch = "The derived qualifier from the function name does not match the specified qualifier.";
const unparsed = "Could not parse request body into json: Could not parse payload into json: ";
// This message is known from users' quotes. No test recorded it on AWS.
const tooLargeMessage = "Request must be smaller than 6291456 bytes for the InvokeFunction operation";

interface Refused {
  name?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}

const event = { headers: { "x-amz-invocation-type": "Event" } };
const mismatch = { name: "echo:live", query: "?Qualifier=$LATEST" };

test.each<[string, Refused, number, string, string]>([
  ["two different qualifiers", mismatch, 400, "InvalidParameterValueException", qualifierMismatch],
  ["a payload that is not JSON", { body: "{" }, 400, "InvalidRequestContentException", unparsed],
  ["a payload over 6 MB", { body: tooLarge }, 413, "RequestTooLargeException", tooLargeMessage],
  ["an asynchronous invocation", event, 400, "NotSupportedLocally", "does not support invocations of type Event."],
])("rejects %s with Lambda's status, type and message", async (_, request, status, type, message) => {
  const { name = "echo", body = "{}", headers, query } = request;
  const response = await invoke(name, body, headers, query);

  expect([response.status, response.headers.get("x-amzn-errortype")]).toEqual([status, type]);
  expect(await response.json()).toEqual({ Type: "User", message: expect.stringContaining(message) });
});

test.each([
  ["nope", "nope:$LATEST"],
  ["echo:gone", "echo:gone"],
  ["%zz", "%zz:$LATEST"],
])("rejects the unknown name %s, and logs the known names", async (name, shown) => {
  const response = await invoke(name, "{}");

  expect([response.status, response.headers.get("x-amzn-errortype")]).toEqual([404, "ResourceNotFoundException"]);
  const message = `Function not found: ${arn.replace("echo", shown)}`;
  expect(await response.json()).toEqual({ Type: "User", Message: message });
  const known = "The functions are: echo, large, quitter.";
  expect(service().logged()).toContain(`Lambda: there is no function ${shown}. ${known}`);
});

test("accepts responses up to 100 bytes over the request limit, and treats larger ones as a failure", async () => {
  const limit = 6 * 1024 * 1024 + 100;
  const largest = await invoke("large", String(limit));
  const tooLarge = await invoke("large", String(limit + 1));

  expect(largest.headers.has("x-amz-function-error")).toBe(false);
  expect(await largest.text()).toHaveLength(limit);
  expect(tooLarge.headers.get("x-amz-function-error")).toBe("Unhandled");
  expect(await tooLarge.json()).toEqual({
    errorMessage: "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
    errorType: "Function.ResponseSizeTooLarge",
  });
});

test.each([
  ["throws", "echo", '{"fail":true}', "TypeError", /^no$/],
  ["exits with 0", "quitter", "0", "Runtime.ExitError", /^RequestId: \S{36} Error: Runtime exited without providing/],
  ["exits with 3", "quitter", "3", "Runtime.ExitError", /Error: Runtime exited with error: exit status 3$/],
])("returns 200 with Lambda's error header and message if a function %s, and keeps working", async (...row) => {
  const [, name, payload, errorType, errorMessage] = row;
  const response = await invoke(name, payload);

  expect([response.status, response.headers.get("x-amz-function-error")]).toEqual([200, "Unhandled"]);
  expect(await response.json()).toMatchObject({ errorType, errorMessage: expect.stringMatching(errorMessage) });
  expect((await invoke(name, "{}")).headers.has("x-amz-function-error")).toBe(false);
});

test("rejects invocations from web pages, even through a host name that resolves to this address", async () => {
  expect((await invoke("echo", "{}", { origin: "https://page.example" })).status).toBe(403);
  const url = `${service().invokeUrl}/2015-03-31/functions/echo/invocations`;
  const renamed = request(url, { method: "POST", headers: { host: "page.example" } }).end("{}");
  const [response] = await once(renamed, "response");
  expect(response.statusCode).toBe(403);
});
