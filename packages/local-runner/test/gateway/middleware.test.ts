import { expect, test } from "vitest";
import type { Middleware } from "../../src/gateway/gateway.ts";
import { sharedService, writeFunctions } from "../support/services.ts";

const middleware: Middleware = (request, response, next) => {
  switch (request.url) {
    case "/page":
      return void response.end("from the middleware");
    case "/failing":
      return next(new Error("no such page"));
    case "/throwing":
      throw new Error("bad page");
    default:
      response.setHeader("x-seen", "yes");
      return next();
  }
};

const service = sharedService(async (directory) => ({
  middleware,
  assembly: await writeFunctions(
    directory,
    { echo: "exports.handler = async ({ body }) => body" },
    { "GET /page": "echo", "POST /echo": "echo" },
  ),
}));

const call = (path: string, init: RequestInit = {}) => fetch(`${service().baseUrl}${path}`, init);

test("a middleware answers before the gateway", async () => {
  expect(await (await call("/page")).text()).toBe("from the middleware");
});

test("a request that a middleware passes on reaches the function with its body", async () => {
  const response = await call("/echo", { method: "POST", body: "hello", headers: { "content-type": "text/plain" } });

  expect(await response.text()).toBe("hello");
  expect(response.headers.get("x-seen")).toBe("yes");
});

test.each([
  ["passes on", "/failing", "no such page"],
  ["throws", "/throwing", "bad page"],
])("an error that a middleware %s is a 500, and the log says why", async (_, path, message) => {
  const response = await call(path);

  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ message: "Internal Server Error" });
  expect(service().logged()).toContain(`Middleware: GET ${path}: ${message}`);
});
