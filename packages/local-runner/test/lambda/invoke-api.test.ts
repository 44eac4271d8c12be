import { once } from "node:events";
import { request } from "node:http";
import { expect, test } from "vitest";
import { sharedService, writeFunctions } from "../support/services.ts";

const service = sharedService(async (directory) => ({
  assembly: await writeFunctions(directory, {
    echo: "exports.handler = async (event) => { console.log('heard'); if (event.fail) throw new TypeError('no'); return event }",
  }),
}));

const invoke = (name: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${service().invokeUrl}/2015-03-31/functions/${name}/invocations`, { method: "POST", body, headers });

test("DryRun does not call the function, and Event answers before it has finished", async () => {
  const dry = await invoke("echo", "{}", { "x-amz-invocation-type": "DryRun" });
  expect(dry.status).toBe(204);
  expect(service().logged()).toBe("");

  const event = await invoke("echo", '{"fail":true}', { "x-amz-invocation-type": "Event" });
  expect(event.status).toBe(202);
  await expect.poll(() => service().logged()).toContain("an asynchronous invocation of echo failed");
});

test("a function can be named as the AWS command does", async () => {
  const arn = "arn:aws:lambda:us-east-1:000000000000:function:echo";
  for (const name of ["echo", "echo:$LATEST", arn, `${arn}:$LATEST`, "000000000000:function:echo"]) {
    const response = await invoke(encodeURIComponent(name), '{"a":1}');
    expect(response.status).toBe(200);
    expect(response.headers.get("x-amz-executed-version")).toBe("$LATEST");
    expect(response.headers.has("x-amz-function-error")).toBe(false);
    expect(await response.json()).toEqual({ a: 1 });
  }
});

test("a function's error is a 200 with a header that says so", async () => {
  const response = await invoke("echo", '{"fail":true}');

  expect(response.status).toBe(200);
  expect(response.headers.get("x-amz-function-error")).toBe("Unhandled");
  expect(await response.json()).toMatchObject({ errorType: "TypeError", errorMessage: "no" });
});

test("the end of the log is in the response if requested", async () => {
  const response = await invoke("echo", "{}", { "x-amz-log-type": "Tail" });
  const log = Buffer.from(response.headers.get("x-amz-log-result") ?? "", "base64").toString();

  expect(log).toMatch(/^START RequestId: \S+ Version: \$LATEST\nheard\nEND RequestId: \S+\nREPORT /);
  expect((await invoke("echo", "{}")).headers.has("x-amz-log-result")).toBe(false);
});

const tooLarge = `"${"a".repeat(6 * 1024 * 1024)}"`;

test.each([
  ["an unknown function", "nope", "{}", 404, "ResourceNotFoundException", "nope. The functions are: echo."],
  ["a badly encoded name", "%zz", "{}", 404, "ResourceNotFoundException", "Function not found: %zz."],
  ["a payload that is not JSON", "echo", "{", 400, "InvalidRequestContentException", "Could not parse"],
  ["a payload over 6 MB", "echo", tooLarge, 413, "RequestTooLargeException", "smaller than 6291456 bytes"],
])("%s is refused as Lambda refuses it", async (_, name, body, status, type, message) => {
  const response = await invoke(name, body);

  expect(response.status).toBe(status);
  expect(response.headers.get("x-amzn-errortype")).toBe(type);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining(message) });
});

test("an invocation type that Lambda does not have is refused", async () => {
  const response = await invoke("echo", "{}", { "x-amz-invocation-type": "Later" });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining("not Later") });
});

test("a web page cannot invoke a function, even through a host name bound to this address", async () => {
  expect((await invoke("echo", "{}", { origin: "https://page.example" })).status).toBe(403);
  const { hostname, port } = new URL(service().invokeUrl);
  const renamed = request({
    hostname,
    port,
    method: "POST",
    path: "/2015-03-31/functions/echo/invocations",
    headers: { host: "page.example" },
  }).end("{}");
  const [response] = await once(renamed, "response");
  expect(response.statusCode).toBe(403);
});
