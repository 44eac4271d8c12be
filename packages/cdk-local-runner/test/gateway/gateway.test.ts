import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { Middleware } from "../../src/gateway/gateway.ts";
import { apiResources } from "../support/assemblies.ts";
import { sharedService, writeFunctions } from "../support/services.ts";
import capturedEvent from "./captures/event.json" with { type: "json" };
import capturedPaths from "./captures/paths.json" with { type: "json" };
import capturedResponses from "./captures/responses.json" with { type: "json" };

const code = {
  echo: "exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })",
  result: "exports.handler = async ({ body }) => JSON.parse(body)",
  thrower: "exports.handler = async () => { throw 'a secret' }",
  endless: "exports.handler = () => new Promise(() => {})",
  forbidden: "exports.handler = async () => ({})",
};
const names = Object.keys(code);

const routes = {
  $default: "echo",
  "GET /capture/{rest+}": "echo",
  "POST /echo": "echo",
  "POST /result": "result",
  ...Object.fromEntries(names.map((name) => [`GET /${name}`, name])),
};

const middleware: Middleware = (request, response, next) => {
  switch (request.url) {
    case "/page":
      return void response.end("from the middleware");
    case "/failing-page":
      return next(new Error("no such page"));
    case "/throwing-page":
      throw new Error("bad page");
    default:
      response.setHeader("x-seen", "yes");
      return next();
  }
};

const service = sharedService(async (directory) => {
  const { forbiddenPermission: _, ...api } = apiResources(routes);
  Object.assign(api.endlessIntegration?.Properties ?? {}, { TimeoutInMillis: 100 });
  return { middleware, assembly: await writeFunctions(directory, code, api) };
});

/** Sends raw bytes and returns everything that arrives until the connection ends. */
const raw = (text: string, { localAddress = "127.0.0.1", isHalfClosed = false } = {}) =>
  new Promise<string>((resolve, reject) => {
    let received = "";
    const port = Number(new URL(service().baseUrl).port);
    const socket = connect({ host: "127.0.0.1", port, localAddress, allowHalfOpen: true });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("end", () => resolve(received)).on("error", reject);
    socket.on("end", () => socket.end());
    if (isHalfClosed) socket.end(text);
    else socket.write(text);
  });

/** Parses a response as sent on the wire, without lower-casing header names. */
const parse = (received: string) => {
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? []);
  return { status: Number(statusLine.split(" ")[1]), headers: Object.fromEntries(headers), body };
};

const getRaw = async (path: string) => parse(await raw(`GET ${path} HTTP/1.0\r\n\r\n`));
const get = (path: string) => fetch(`${service().baseUrl}${path}`);
const post = (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${service().baseUrl}${path}`, { method: "POST", body, headers });
const postRaw = async (path: string, type: string, body: string) =>
  parse(
    await raw(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${type && `Content-Type: ${type}\r\n`}` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
/** Returns the response to a function's result. */
const resultOf = (result: unknown) => postRaw("/result", "application/json", JSON.stringify(result));

/** Returns the log lines about a response's request. */
const loggedAbout = (response: Response): string => {
  const id = response.headers.get("apigw-requestid") ?? "none";
  const lines = service().logged().split("\n");
  return lines.filter((line) => line.includes(id)).join("\n");
};

// captures/README.md lists the sources of everything that was observed on AWS.
describe("a path is decoded, cut off at a question mark and decoded again", () => {
  test.each(capturedPaths)("$sent", async ({ sent, seen, status = 200 }) => {
    const response = await getRaw(sent);

    expect(response.status).toBe(status);
    if (seen === undefined) return expect(JSON.parse(response.body)).toEqual({ message: "Bad Request" });
    expect(JSON.parse(response.body)).toMatchObject({
      routeKey: "GET /capture/{rest+}",
      rawPath: seen,
      pathParameters: { rest: seen.replace("/capture/", "") },
      requestContext: { http: { path: seen } },
    });
  });

  test("before routing, while the query is left as sent", async () => {
    const { body } = await getRaw("/%2563apture/a%252Fb%3Fc?x=%2525%3F");
    const seen = { routeKey: "GET /capture/{rest+}", rawPath: "/capture/a/b", rawQueryString: "x=%2525%3F" };
    expect(JSON.parse(body)).toMatchObject(seen);
  });

  test.each(["/capture/%zz", "/capture/%ff", "/capture/%25zz", "/capture/%25ff"])(
    "and returns 400 if either decoding fails: %s",
    async (path) => {
      expect((await getRaw(path)).status).toBe(400);
    },
  );
});

describe("a request event", () => {
  test("has the fields of the captured event, and local values only where they must differ", async () => {
    const { headers, rawQueryString, body } = capturedEvent;
    const { body: text } = parse(
      await raw(
        `POST /capture/space%20value?${rawQueryString} HTTP/1.1\r\nHost: ${headers.host}\r\nConnection: close\r\n` +
          `Cookie: session=abc123; theme=dark\r\nUser-Agent: curl/8.7.1\r\nAccept: */*\r\nX-Voker-Probe: first\r\n` +
          `x-voker-probe: second\r\nContent-Type: application/json\r\nContent-Length: 66\r\n` +
          `X-Forwarded-For: 9.9.9.9\r\n\r\n${body}`,
        { localAddress: "127.0.0.3" },
      ),
    );
    const event = JSON.parse(text);
    const { host, port } = new URL(service().baseUrl);

    expect(event).toEqual({
      ...capturedEvent,
      headers: {
        ...headers,
        "x-amzn-trace-id": expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
        "x-forwarded-for": "9.9.9.9, 127.0.0.3",
        "x-forwarded-port": port,
        "x-forwarded-proto": "http",
      },
      requestContext: {
        ...capturedEvent.requestContext,
        accountId: "000000000000",
        apiId: "Api",
        domainName: host,
        domainPrefix: "127",
        http: { ...capturedEvent.requestContext.http, sourceIp: "127.0.0.3" },
        requestId: expect.stringMatching(/^[\w-]{15}=$/),
        time: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
        timeEpoch: expect.any(Number),
      },
    });
    const { time, timeEpoch } = event.requestContext;
    expect(Date.parse(`${time.replace(":", " ").replaceAll("/", " ")}`)).toBe(Math.floor(timeEpoch / 1000) * 1000);
  });

  test("omits the body, path parameters and cookies if there are none", async () => {
    const event = await (await get("/echo")).json();
    for (const name of ["body", "pathParameters", "cookies"]) expect(event).not.toHaveProperty(name);
  });

  // Observed: https://github.com/ministackorg/ministack/pull/766. AWS documents only that binary bodies are encoded.
  test.each([
    ["application/x-www-form-urlencoded", true],
    ["application/octet-stream", true],
    ["application/problem+json", true],
    ["", true],
    ["application/json; charset=utf-8", false],
    ["application/xml", false],
    ["application/javascript", false],
    ["text/plain", false],
  ])("encodes a body of type %j in Base64: %s", async (type, isBase64Encoded) => {
    const { body } = await postRaw("/echo", type, "a=é");
    const sent = isBase64Encoded ? Buffer.from("a=é").toString("base64") : "a=é";
    expect(JSON.parse(body)).toMatchObject({ isBase64Encoded, body: sent });
  });
});

describe("a function's result becomes the response", () => {
  test.each(capturedResponses)("as captured for $what", async (capture) => {
    const response = await resultOf(capture.result);

    expect(response).toMatchObject({ status: capture.status, headers: capture.headers, body: capture.body });
    expect(response.headers).toMatchObject({
      Date: expect.any(String),
      "Apigw-Requestid": expect.stringMatching(/^[\w-]{15}=$/),
    });
  });

  test("with all headers, cookies and a binary body unchanged", async () => {
    const headers = { "X-A": "b", Connection: "close", "X-N": 5 };
    const result = { statusCode: 201, headers, cookies: ["a=1", "b=2"], body: "AAH/", isBase64Encoded: true };
    const response = await post("/result", JSON.stringify(result), { "content-type": "application/json" });

    expect([response.status, response.headers.get("x-n"), response.headers.get("connection")]).toEqual([
      201,
      "5",
      "close",
    ]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 1, 255]));
  });

  test("without a body or a length if the status is 204", async () => {
    const { status, headers } = await resultOf({ statusCode: 204 });
    expect(status).toBe(204);
    expect(Object.keys(headers).join().toLowerCase()).not.toMatch(/content-length|transfer-encoding/);
  });
});

const failing = (result: object) => () =>
  post("/result", JSON.stringify(result), { "content-type": "application/json" });

test.each([
  ["throws a string", () => get("/thrower"), "a secret"],
  ["may not be invoked", () => get("/forbidden"), "no AWS::Lambda::Permission lets apigateway.amazonaws.com invoke"],
  ["returns a status that is not a number", failing({ statusCode: "fine" }), "the function's response is malformed"],
  ["returns a body that is not a string", failing({ statusCode: 200, body: {} }), "malformed"],
  ["returns a header that cannot be sent", failing({ statusCode: 200, headers: { "X-A": "a\nb" } }), "X-A"],
])(
  "a function that %s results in a generic 500, and the log gives the reason with the request id",
  async (_, call, reason) => {
    const response = await call();

    expect([response.status, response.headers.get("content-type")]).toEqual([500, "application/json"]);
    expect(await response.text()).toBe('{"message":"Internal Server Error"}');
    expect(loggedAbout(response)).toContain(reason);
  },
);

describe("the gateway itself responds to", () => {
  test("headers over 10,240 bytes", async () => {
    const { status, body } = parse(await raw(`GET /echo HTTP/1.1\r\nX: ${"a".repeat(10_300)}\r\n\r\n`));
    expect([status, JSON.parse(body)]).toEqual([431, { message: "Request Header Fields Too Large" }]);
  });

  test.each([
    ["a body over 10 MB", 10 * 1024 * 1024 + 1, ""],
    ["a body that is too large once it is encoded", 5 * 1024 * 1024, "larger than Lambda's limit of 6 MB"],
  ])("%s", async (_, bytes, reason) => {
    const response = await post("/echo", Buffer.alloc(bytes));
    expect([response.status, await response.json()]).toEqual([413, { message: "Request Entity Too Large" }]);
    expect(loggedAbout(response)).toContain(reason);
  });

  test("an integration that exceeds its timeout", async () => {
    const response = await get("/endless");
    expect([response.status, await response.json()]).toEqual([503, { message: "Service Unavailable" }]);
  });
});

describe("a middleware", () => {
  test("responds before the gateway does, or passes on a request including its body", async () => {
    expect(await (await get("/page")).text()).toBe("from the middleware");
    const response = await post("/echo", "hello", { "content-type": "text/plain" });
    expect(await response.json()).toMatchObject({ body: "hello" });
    expect(response.headers.get("x-seen")).toBe("yes");
  });

  test.each([
    ["passes on", "/failing-page", "no such page"],
    ["throws", "/throwing-page", "bad page"],
  ])("turns an error that it %s into a 500, and logs the reason", async (_, path, message) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([500, { message: "Internal Server Error" }]);
    expect(service().logged()).toContain(`Middleware: GET ${path}: ${message}`);
  });
});

describe("a connection", () => {
  test("serves several requests in turn, and a broken connection does not affect others", async () => {
    const broken = request(`${service().baseUrl}/echo`, { method: "POST", headers: { "content-length": "100" } });
    broken.write("half", () => broken.destroy());
    expect(await once(broken, "error")).toMatchObject([{ message: "socket hang up" }]);
    for (const body of ["one", "two"]) expect(await (await post("/echo", body)).json()).toMatchObject({ body });
  });

  test("still delivers the response if the client half-closes it after the request, and then ends", async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => `request ${index}`);
    const received = bodies.map((body) =>
      raw(
        `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        { isHalfClosed: true },
      ),
    );
    expect((await Promise.all(received)).map((one) => JSON.parse(parse(one).body).body)).toEqual(bodies);
  });

  test("returns a 400 if the client closes it in the middle of a request", async () => {
    const received = await raw("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\npart", {
      isHalfClosed: true,
    });
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});
