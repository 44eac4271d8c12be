import { isDeepStrictEqual } from "node:util";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { type Contender, fileFor } from "./contenders.ts";
import { type StubRequest, startStub } from "./dynamodb-stub.ts";
import { responseTo } from "./measure.ts";
import { requestNames, requests } from "./requests.ts";

/**
 * Sends every request to every contender, and compares status, headers, body and the requests to the database. If two differ,
 * the contenders do not do the same job, and their times mean nothing.
 */
export const differingResponses = async (contenders: readonly Contender[], folder: string): Promise<string[]> => {
  const stub = await startStub(folder, { isPlain: true });
  const differences: string[] = [];
  try {
    for (const name of requestNames) {
      const { status, event } = requests[name];
      let first: { by: string; done: object } | undefined;
      for (const contender of contenders) {
        const response = comparable(await responseTo({ bundle: fileFor(contender, name), event }, { folder, ...stub }));
        const done = { response, asked: (await stub.takeRequests()).map(comparableRequest) };
        first ??= { by: contender.name, done };
        if (response.status === status && isDeepStrictEqual(done, first.done)) continue;
        const texts = [done, first.done].map((each) => JSON.stringify(each, undefined, 2));
        differences.push(`${contender.name} does not do the same for ${name} as ${first.by}:\n${texts.join("\n")}`);
      }
    }
  } finally {
    stub.stop();
  }
  return differences;
};

const comparableRequest = ({ operation, body }: StubRequest) => ({
  operation,
  body: JSON.parse(body.replaceAll(justNow(), "(now)")),
});

// API Gateway sets the length itself, and behind an adapter there is no connection to which a date or a coding applies.
const headersOfAdapters = new Set(["content-length", "date", "transfer-encoding"]);

// Express and Fastify cannot omit the charset, which has no meaning: JSON is always UTF-8.
const idleCharset = /; charset=utf-8$/;

// A key's ETag is the time of its creation.
const version = /^"[\da-z]+"$/;

/** The response as a client sees it, with header names in lower case and the time of the call masked. */
const comparable = ({ statusCode, headers = {}, body = "", isBase64Encoded }: APIGatewayProxyStructuredResultV2) => {
  const entries = Object.entries(headers)
    .map(([name, value]): [string, string] => [
      name.toLowerCase(),
      String(value).replace(idleCharset, "").replace(version, '"(now)"'),
    ])
    .filter(([name]) => !headersOfAdapters.has(name) && !(name === "content-type" && body === ""))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  const text = isBase64Encoded ? Buffer.from(body, "base64").toString() : body;
  return { status: statusCode, headers: Object.fromEntries(entries), body: text.replaceAll(justNow(), "(now)") };
};

const justNow = () => new RegExp(`${new Date().toISOString().slice(0, 10)}T[\\d:.]+Z`, "g");
