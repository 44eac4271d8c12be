import { createServer } from "node:https";
import { crc32 } from "node:zlib";
import * as z from "zod/mini";
import { updatedAttributes } from "../../support/updated-item.ts";
import { storedKeys, storedToken } from "./records.ts";
import type { StubRequest } from "./start-stub.ts";

/*
 * A DynamoDB that always returns the same responses at once, over TLS. A separate process, so that its work is not counted as
 * that of the function that calls it.
 */

const attributes = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { S: String(value) }]));

const answer = (body: object) => {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    bytes,
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "content-length": bytes.length,
      "x-amzn-requestid": "J0RH5OB2LCVBCHLGRKT2NNNF73VV4KQNSO5AEMVJF66Q9ASUAAJG",
      "x-amz-crc32": String(crc32(bytes)),
    },
  };
};

const tokenAnswer = answer({ Item: attributes(storedToken) });
const keyAnswer = answer({ Item: attributes(storedKeys[0] ?? {}) });
const emptyAnswer = answer({});
const pages = new Map(
  [51, 101, 1_001].map((count) => [
    count,
    answer({ Count: count, ScannedCount: count, Items: storedKeys.slice(0, count).map(attributes) }),
  ]),
);

/** A scan without a limit, in steps of about 1 MB, by the key after which a step begins. */
const stepLength = 4_500;
const steps = new Map(
  Array.from({ length: Math.ceil(storedKeys.length / stepLength) }, (_, index) => {
    const found = storedKeys.slice(index * stepLength, (index + 1) * stepLength);
    const isLast = (index + 1) * stepLength >= storedKeys.length;
    const last = isLast ? {} : { LastEvaluatedKey: attributes({ key_id: found.at(-1)?.key_id }) };
    const after = storedKeys[index * stepLength - 1]?.key_id;
    return [
      after,
      answer({ Count: found.length, ScannedCount: found.length, Items: found.map(attributes), ...last }),
    ] as const;
  }),
);

const answerTo = (operation: string, body: string) => {
  switch (operation) {
    case "GetItem":
      return body.includes('"token_id"') ? tokenAnswer : keyAnswer;
    case "Scan":
      return body.includes('"Limit"')
        ? (pages.get(Number(/"Limit":(\d+)/.exec(body)?.[1])) ?? emptyAnswer)
        : (steps.get(/"ExclusiveStartKey":\{"key_id":\{"S":"(\d+)"/.exec(body)?.[1]) ?? emptyAnswer);
    case "UpdateItem": {
      const attributes = updatedAttributes(body);
      return Object.keys(attributes).length > 0 ? answer({ Attributes: attributes }) : emptyAnswer;
    }
    default:
      return emptyAnswer;
  }
};

const settings = z.object({
  KEY: z.string(),
  CERT: z.string(),
  DELAY: z.coerce.number(),
  RECORDS: z.optional(z.string()),
});
const { KEY: key, CERT: cert, DELAY: delayMilliseconds, RECORDS } = settings.parse(process.env);

const received: StubRequest[] = [];
process.on("message", () => process.send?.(received.splice(0)));

const server = createServer({ key, cert, keepAliveTimeout: 60_000 }, (request, response) => {
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    if (RECORDS) received.push({ operation, body });
    const { headers, bytes } = answerTo(operation, body);
    const send = () => response.writeHead(200, headers).end(bytes);
    if (delayMilliseconds > 0) setTimeout(send, delayMilliseconds);
    else send();
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) process.send?.(address.port);
});
// The stub ends with the process that started it.
process.on("disconnect", () => process.exit(0));
