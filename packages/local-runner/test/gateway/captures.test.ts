import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { sharedService, writeFunctions } from "../support/services.ts";
import capturedEvent from "./captures/event.json" with { type: "json" };
import capturedPaths from "./captures/paths.json" with { type: "json" };
import capturedResponses from "./captures/responses.json" with { type: "json" };

// Everything in this file was observed on AWS; captures/README.md names the sources.

const service = sharedService(async (directory) => ({
  assembly: await writeFunctions(
    directory,
    {
      echo: { code: "exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })" },
      result: { code: "exports.handler = async ({ body }) => JSON.parse(body)" },
    },
    { $default: "echo", "GET /capture/{rest+}": "echo", "POST /result": "result" },
  ),
}));

/** Sends bytes as they are, and returns everything that comes back until the connection ends. */
const raw = (text: string, host = "127.0.0.1") =>
  new Promise<string>((resolve, reject) => {
    let answer = "";
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(service().baseUrl).port), localAddress: host });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
    socket.write(text);
  });

/** A response as it was on the wire: the names of its headers are not put in lower case. */
const parse = (answer: string) => {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? []);
  return { status: Number(statusLine.split(" ")[1]), headers: Object.fromEntries(headers), body };
};

const get = async (path: string) => parse(await raw(`GET ${path} HTTP/1.0\r\n\r\n`));

describe("a path is decoded, cut off at a question mark and decoded again", () => {
  test.each(capturedPaths)("$sent", async ({ sent, seen, status = 200 }) => {
    const answer = await get(sent);

    expect(answer.status).toBe(status);
    if (seen === undefined) return expect(JSON.parse(answer.body)).toEqual({ message: "Bad Request" });
    expect(JSON.parse(answer.body)).toMatchObject({
      routeKey: "GET /capture/{rest+}",
      rawPath: seen,
      pathParameters: { rest: seen.replace("/capture/", "") },
      requestContext: { http: { path: seen } },
    });
  });

  test("before it is routed, and the query stays as it was sent", async () => {
    const { body } = await get("/%2563apture/a%252Fb%3Fc?x=%2525%3F");

    expect(JSON.parse(body)).toMatchObject({
      routeKey: "GET /capture/{rest+}",
      rawPath: "/capture/a/b",
      rawQueryString: "x=%2525%3F",
    });
  });

  test.each(["/capture/%zz", "/capture/%ff", "/capture/%25zz", "/capture/%25ff"])(
    "a path that cannot be decoded either time is a 400: %s",
    async (path) => {
      expect((await get(path)).status).toBe(400);
    },
  );
});

test("an event has the fields of the captured one, with the values of the local run only where they must differ", async () => {
  const { headers, rawQueryString, body } = capturedEvent;
  const { body: text } = parse(
    await raw(
      `POST /capture/space%20value?${rawQueryString} HTTP/1.1\r\nHost: ${headers.host}\r\nConnection: close\r\n` +
        `Cookie: session=abc123; theme=dark\r\nUser-Agent: curl/8.7.1\r\nAccept: */*\r\nX-Voker-Probe: first\r\n` +
        `x-voker-probe: second\r\nContent-Type: application/json\r\nContent-Length: 66\r\n\r\n${body}`,
      "127.0.0.3",
    ),
  );
  const event = JSON.parse(text);
  const { host, port } = new URL(service().baseUrl);

  expect(event).toEqual({
    ...capturedEvent,
    headers: {
      ...headers,
      "x-amzn-trace-id": expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      "x-forwarded-for": "127.0.0.3",
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

test.each(capturedResponses)("a function's result that is $what becomes the captured response", async (capture) => {
  const result = JSON.stringify(capture.result);
  const answer = parse(
    await raw(
      `POST /result HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(result)}\r\n\r\n${result}`,
    ),
  );

  expect(answer).toMatchObject({ status: capture.status, headers: capture.headers, body: capture.body });
  expect(answer.headers).toMatchObject({
    Date: expect.any(String),
    "Apigw-Requestid": expect.stringMatching(/^[\w-]{15}=$/),
  });
});
