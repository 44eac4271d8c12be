import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Reply } from "cdk-local-runner/parts";
import type { Exchange, Fault } from "./fault-proxy.ts";

export interface FaultDefinition {
  fault: Fault;
  /** The database does the work before the fault. */
  isWorkDone?: true;
  /** The response arrives eventually, complete and in time. */
  isHarmless?: true;
  /** The client has to wait before it can give up. */
  isSlow?: true;
  /** It stands for its kind: a lost connection, no response, throttling, a failure, or a wrong response. */
  isRepresentative?: true;
}

const reply = (status: number, body: string, contentType = "application/x-amz-json-1.0"): Reply => ({
  status,
  headers: {
    "content-type": contentType,
    "content-length": String(Buffer.byteLength(body)),
    "x-amz-crc32": String(crc32(body)),
    "x-amzn-requestid": "fault",
  },
  body: Buffer.from(body),
});

const error = (status: number, name: string): Fault => {
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "Injected." });
  return ({ answer }) => answer(reply(status, body));
};

const says =
  (body: string, contentType?: string): Fault =>
  ({ answer }) =>
    answer(reply(200, body, contentType));

/** Sends the headers and half of the real response. */
const sendHalf = async ({ forward, response }: Exchange): Promise<Buffer> => {
  const { status, headers, body } = await forward();
  const middle = Math.ceil(body.length / 2);
  response.writeHead(status, { ...headers, "content-length": String(body.length + 1) });
  response.write(body.subarray(0, middle));
  return body.subarray(middle);
};

/** An item of the same table, but not the one that was requested. */
const another = {
  key_id: { S: "another" },
  v_code: { S: "another's ".padEnd(64, "x") },
  token_id: { S: "01KAK3Y0V9QX8M4N2R7T5W1Y0B" },
  secret_hash: { S: "another" },
  ip: { S: "127.0.0.1" },
  created_at: { S: "2026-11-21T10:15:30.123Z" },
  updated_at: { S: "2026-11-21T10:15:30.123Z" },
};

export const faults: Record<string, FaultDefinition> = {
  "an answer after 0.1 s": {
    isHarmless: true,
    isWorkDone: true,
    fault: async ({ forward, answer }) => {
      await sleep(100);
      answer(await forward());
    },
  },
  "a reset before the work": { fault: ({ reset }) => reset() },
  "a reset in the middle of the answer": {
    isWorkDone: true,
    fault: async (exchange) => {
      await sendHalf(exchange);
      await sleep(20);
      exchange.reset();
    },
  },
  "a lost acknowledgement": {
    isRepresentative: true,
    isWorkDone: true,
    fault: async ({ forward, reset }) => {
      await forward();
      reset();
    },
  },
  "no answer": { isSlow: true, fault: () => {} },
  "no answer after the work": {
    isRepresentative: true,
    isWorkDone: true,
    isSlow: true,
    fault: async ({ forward }) => {
      await forward();
    },
  },
  "half an answer": {
    isWorkDone: true,
    isSlow: true,
    fault: async (exchange) => {
      await sendHalf(exchange);
    },
  },
  "an answer byte by byte": {
    isWorkDone: true,
    isSlow: true,
    fault: async (exchange) => {
      const rest = await sendHalf(exchange);
      for (const byte of rest) {
        if (exchange.response.destroyed) return;
        exchange.response.write(Buffer.of(byte));
        await sleep(200);
      }
    },
  },
  throttling: { isRepresentative: true, fault: error(400, "ProvisionedThroughputExceededException") },
  "throttling of the account": { fault: error(400, "RequestLimitExceeded") },
  "a failure (500)": { isRepresentative: true, fault: error(500, "InternalServerError") },
  "a page (503)": { fault: ({ answer }) => answer(reply(503, "<html>Service Unavailable</html>", "text/html")) },
  "a page (200)": { fault: says("<html>Welcome to our network</html>", "text/html") },
  "an empty answer": { fault: says("") },
  "a truncated answer": { fault: says('{"Item":{"key_id":{"S":"1') },
  "a list": { fault: says("[]") },
  "no object": { fault: says("null") },
  "another shape": { fault: says('{"Item":7,"Attributes":"x","Items":{"a":1}}') },
  "an item without its fields": {
    fault: says('{"Item":{"x":{"S":"y"}},"Attributes":{"x":{"S":"y"}},"Items":[{"x":{"S":"y"}}]}'),
  },
  "another's item": {
    isRepresentative: true,
    fault: says(JSON.stringify({ Item: another, Attributes: another })),
  },
};

/**
 * The names of all faults, or of one of each kind. All faults of a kind end in the same code below the stores, whose tests
 * (`test/lambdas/dynamodb`) meet every damaged response with each operation of a store.
 */
export const faultNames = (isEvery: boolean): string[] =>
  Object.keys(faults).filter((name) => isEvery || faults[name]?.isRepresentative);
