import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import {
  apiResources,
  functionResources,
  runningService,
  serviceOf,
  temporaryDirectory,
  writeAssembly,
} from "../fixtures.ts";

const echo = "exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })";

/** Sends bytes as they are, and gives all that comes back until the connection ends. */
const raw = (url: string, text: string, localAddress = "127.0.0.1") =>
  new Promise<string>((resolve, reject) => {
    let answer = "";
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port), localAddress });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
    socket.write(text);
  });

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

describe("a request event has API Gateway's shape", () => {
  test("headers, cookies, query and path are those of payload format 2.0", async () => {
    const service = await serviceOf({ echo }, { routes: { "GET /keys/{id}": "echo" } });
    const answer = await raw(
      service.baseUrl,
      "GET /keys/a%20b?x=1&x=2&y=%C3%A9+z&flag HTTP/1.1\r\nHost: evil.example\r\nX-Twice: one\r\nx-twice: two\r\n" +
        "Cookie: a=1; b=2\r\nUser-Agent: test\r\nX-Forwarded-For: 9.9.9.9\r\nConnection: close\r\n\r\n",
      "127.0.0.3",
    );
    const event = bodyOf(answer);

    expect(event).toMatchObject({
      version: "2.0",
      routeKey: "GET /keys/{id}",
      rawPath: "/keys/a b",
      rawQueryString: "x=1&x=2&y=%C3%A9+z&flag",
      cookies: ["a=1", "b=2"],
      queryStringParameters: { x: "1,2", y: "é z", flag: "" },
      pathParameters: { id: "a b" },
      isBase64Encoded: false,
      requestContext: {
        accountId: "000000000000",
        apiId: "Api",
        domainName: new URL(service.baseUrl).host,
        http: { method: "GET", path: "/keys/a b", protocol: "HTTP/1.1", sourceIp: "127.0.0.3", userAgent: "test" },
        routeKey: "GET /keys/{id}",
        stage: "$default",
        time: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
        timeEpoch: expect.any(Number),
      },
    });
    expect(event.headers).toMatchObject({ "x-twice": "one,two", "x-forwarded-for": "9.9.9.9, 127.0.0.3" });
    expect(event.headers).not.toHaveProperty("cookie");
    expect(event.headers).not.toHaveProperty("connection");
    expect(event).not.toHaveProperty("body");
  });

  test.each([
    ["application/x-www-form-urlencoded", true],
    ["application/octet-stream", true],
    ["application/json; charset=utf-8", false],
    ["application/problem+json", false],
    ["text/plain", false],
  ])("a body of %s arrives encoded: %s", async (type, isBase64Encoded) => {
    const service = await serviceOf({ echo }, { routes: { "POST /": "echo" } });
    const response = await fetch(service.baseUrl, { method: "POST", body: "a=é", headers: { "content-type": type } });

    expect(await response.json()).toMatchObject({
      isBase64Encoded,
      body: isBase64Encoded ? Buffer.from("a=é").toString("base64") : "a=é",
    });
  });

  test("the path is decoded before its route is sought, as API Gateway does", async () => {
    const service = await serviceOf({ echo }, { routes: { "GET /keys/{id}": "echo", $default: "echo" } });
    const routeOf = async (path: string) => {
      const { routeKey, rawPath } = bodyOf(await raw(service.baseUrl, `GET ${path} HTTP/1.0\r\n\r\n`));
      return { routeKey, rawPath };
    };

    expect(await routeOf("/keys/a%2Fb")).toEqual({ routeKey: "$default", rawPath: "/keys/a/b" });
    expect(await routeOf("/k%65ys/a%3Fb")).toEqual({ routeKey: "GET /keys/{id}", rawPath: "/keys/a" });
  });
});

describe("a function's result becomes the response", () => {
  const respond = (result: string) =>
    serviceOf({ f: `exports.handler = async () => (${result})` }, { routes: { $default: "f" } });

  test("status, headers, cookies and a binary body pass unchanged", async () => {
    const service = await respond(
      "{ statusCode: 201, headers: { 'X-A': 'b', Connection: 'close', 'X-N': 5 }, cookies: ['a=1', 'b=2'], body: 'AAH/', isBase64Encoded: true }",
    );
    const response = await fetch(service.baseUrl);

    expect(response.status).toBe(201);
    expect(response.headers.get("x-a")).toBe("b");
    expect(response.headers.get("x-n")).toBe("5");
    expect(response.headers.get("connection")).toBe("close");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 1, 255]));
  });

  test("a value without a status is the body of a 200", async () => {
    const response = await fetch((await respond("{ hello: 'world' }")).baseUrl);

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ hello: "world" });
  });

  test("a 204 has neither body nor length", async () => {
    const answer = await raw((await respond("{ statusCode: 204 }")).baseUrl, "GET / HTTP/1.0\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer.toLowerCase()).not.toMatch(/content-length|transfer-encoding/);
  });

  test.each([
    ["a status that is none", "{ statusCode: 'fine' }"],
    ["a body that is no text", "{ statusCode: 200, body: { a: 1 } }"],
    ["a header that cannot be sent", "{ statusCode: 200, headers: { 'X-A': 'a\\nb' } }"],
    ["an error", "(() => { throw new Error('secret') })()"],
  ])("%s is a 500 that tells nothing", async (_, result) => {
    const response = await fetch((await respond(result)).baseUrl);

    expect(response.status).toBe(500);
    expect(await response.text()).toBe('{"message":"Internal Server Error"}');
  });
});

describe("the gateway answers by itself", () => {
  test.each([
    ["an unknown route", "GET /nowhere HTTP/1.0\r\n\r\n", 404, "Not Found"],
    ["a path that is badly encoded", "GET /%zz HTTP/1.0\r\n\r\n", 400, "Bad Request"],
    [
      "headers over 10,240 bytes",
      `GET /f HTTP/1.1\r\nX: ${"a".repeat(10_300)}\r\n\r\n`,
      431,
      "Request Header Fields Too Large",
    ],
  ])("%s", async (_, text, status, message) => {
    const service = await serviceOf({ f: echo }, { routes: { "GET /f": "f" } });
    const answer = await raw(service.baseUrl, text);

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(bodyOf(answer)).toEqual({ message });
  });

  test("a body over 10 MB is refused", async () => {
    const service = await serviceOf({ f: echo }, { routes: { "POST /f": "f" } });
    const response = await fetch(`${service.baseUrl}/f`, { method: "POST", body: Buffer.alloc(10 * 1024 * 1024 + 1) });

    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ message: "Request Entity Too Large" });
  });

  test("an integration that takes too long is a 503", async () => {
    const resources = {
      ...functionResources("slow"),
      ...apiResources({ $default: "slow" }),
    };
    Object.assign(resources.slowIntegration?.Properties ?? {}, { TimeoutInMillis: 100 });
    const code = {
      slow: { "index.js": "exports.handler = () => new Promise((resolve) => setTimeout(resolve, 1000))" },
    };
    const assembly = await writeAssembly(await temporaryDirectory(), { resources, code });
    const response = await fetch((await runningService({ assembly })).baseUrl);

    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ message: "Service Unavailable" });
  });

  test("a route whose function API Gateway may not invoke is a 500, and the log says why", async () => {
    const assembly = await writeAssembly(await temporaryDirectory(), {
      resources: { ...functionResources("f"), ...apiResources({ $default: "f" }, { permitted: false }) },
      code: { f: { "index.js": echo } },
    });
    const service = await runningService({ assembly });

    expect((await fetch(service.baseUrl)).status).toBe(500);
    expect(service.logged()).toContain("no AWS::Lambda::Permission lets apigateway.amazonaws.com invoke");
  });
});

test("a kept connection serves request after request, and a broken one harms nobody", async () => {
  const service = await serviceOf({ f: echo }, { routes: { "POST /": "f" } });
  await new Promise((resolve) => {
    const broken = request(service.baseUrl, { method: "POST", headers: { "content-length": "100" } });
    broken.on("error", resolve);
    broken.write("half");
    setTimeout(() => broken.destroy(), 50);
  });
  for (const body of ["one", "two"]) {
    const response = await fetch(service.baseUrl, { method: "POST", body });
    expect(await response.json()).toMatchObject({ body });
  }
});
