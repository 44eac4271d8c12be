import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDynamoDBClient, reach } from "../../../lambdas/dynamodb/client.ts";

let server: Server | undefined;
beforeEach(() => {
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterEach(() => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  server?.close();
});

const listen = async (answer: RequestListener): Promise<void> => {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
};

const look = () =>
  reach(createDynamoDBClient().send(new GetItemCommand({ TableName: "Table", Key: { id: { S: "1" } } })));

const half: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0", "content-length": 1_000 });
  response.write("{");
};

const dripping: RequestListener = (_, response) => {
  half(_, response);
  const timer = setInterval(() => response.write(" "), 200);
  response.once("close", () => clearInterval(timer));
};

describe("a database that cannot be reached is unavailable", () => {
  test("when it refuses connections", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1");

    await expect(look()).rejects.toMatchObject({ code: "unavailable" });
  });

  test("when it answers nonsense", async () => {
    await listen((_, response) => response.end("<html>"));

    await expect(look()).rejects.toMatchObject({ code: "unavailable" });
  });

  // A function has 10 seconds, and a request makes at most two calls one after the other.
  test.each<[string, RequestListener]>([
    ["never answers", () => {}],
    ["falls silent in the middle of its answer", half],
    ["answers a byte at a time", dripping],
  ])("within half of a function's time when it %s", async (_, answer) => {
    await listen(answer);
    const began = performance.now();

    await expect(look()).rejects.toMatchObject({ code: "unavailable" });
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
