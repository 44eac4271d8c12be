import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDynamoDBClient } from "../../../lambdas/dynamodb/client.ts";
import { preventLateAttempts, withDeadline } from "../../../lambdas/dynamodb/deadline.ts";
import { rejectInvalidResponses } from "../../../lambdas/dynamodb/invalid-responses.ts";

let server: Server | undefined;
beforeEach(() => {
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterEach(() => {
  vi.useRealTimers();
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
  withDeadline(createDynamoDBClient().send(new GetItemCommand({ TableName: "Table", Key: { id: { S: "1" } } })));

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

  test("when its answers are not JSON", async () => {
    await listen((_, response) => response.end("<html>"));

    await expect(look()).rejects.toMatchObject({ code: "unavailable" });
  });

  // A function has 10 seconds, and a request makes at most two calls in sequence.
  test.each<[string, RequestListener]>([
    ["never answers", () => {}],
    ["falls silent in the middle of its answer", half],
    ["sends its answer a byte at a time", dripping],
  ])("within half of a function's time-out when it %s", async (_, answer) => {
    const asked = Promise.withResolvers<void>();
    await listen((request, response) => {
      answer(request, response);
      asked.resolve();
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const outcome = look().then(
      () => "answered",
      (error: unknown) => error,
    );
    await asked.promise;
    await vi.advanceTimersByTimeAsync(4_000);

    expect(await outcome).toMatchObject({ code: "unavailable" });
  });
});

const item = new GetItemCommand({ TableName: "Table", Key: { id: { S: "1" } } });
const json = { "content-type": "application/x-amz-json-1.0" };

test("a call is not repeated once its request has given up on it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  let calls = 0;
  await listen((_, response) => {
    calls += 1;
    vi.setSystemTime(Date.now() + 201);
    response.socket?.resetAndDestroy();
  });
  const client = createDynamoDBClient();
  preventLateAttempts(client, { withinMilliseconds: 200 });

  await expect(client.send(item)).rejects.toThrow(/was given up after \d+ ms/);
  expect(calls).toBe(1);
});

test("a call is repeated while its request waits for it", async () => {
  let calls = 0;
  await listen((_, response) => {
    calls += 1;
    if (calls === 1) response.socket?.resetAndDestroy();
    else response.writeHead(200, json).end("{}");
  });
  const client = createDynamoDBClient();
  preventLateAttempts(client);

  await expect(client.send(item)).resolves.toMatchObject({ $metadata: { attempts: 2 } });
});

test.each(["", "[]", "null", '"Item"', "<html>"])("a success must have an object as its body: %j", async (body) => {
  await listen((_, response) => response.writeHead(200, json).end(body));
  const client = createDynamoDBClient();
  rejectInvalidResponses(client, new Map());

  const error = await client.send(item).catch((error: unknown) => error);
  expect(error).toMatchObject({ name: "InvalidResponse", $metadata: { attempts: 3 } });
});

test("a refusal by DynamoDB is passed on unchanged", async () => {
  const refusal = { __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", message: "No." };
  await listen((_, response) => response.writeHead(400, json).end(JSON.stringify(refusal)));
  const client = createDynamoDBClient();
  rejectInvalidResponses(client, new Map());

  await expect(client.send(item)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
});
