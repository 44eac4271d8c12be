import { isDeepStrictEqual } from "node:util";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { type Contender, fileFor } from "../contenders.ts";
import { type StubRequest, startStub } from "../stub/start-stub.ts";
import { type RequestName, requests } from "./events.ts";
import { answerTo } from "./run-child.ts";

/**
 * Sends every request to every contender, and compares status, headers, body and the requests to the database.
 *
 * @throws {Error} with both responses if two differ: the contenders then do not do the same job, and their times mean nothing.
 */
export const assertSameAnswers = async (contenders: Contender[], folder: string): Promise<void> => {
  const stub = await startStub(folder, { recordsRequests: true });
  try {
    for (const [name, { status, event }] of Object.entries(requests)) {
      let first: { name: string; answer: object } | undefined;
      for (const contender of contenders) {
        const bundle = fileFor(contender, name as RequestName);
        const answer = comparable(await answerTo({ bundle, event }, { folder, ...stub }));
        const done = { answer, asked: (await stub.takeRequests()).map(comparableRequest) };
        first ??= { name: contender.name, answer: done };
        if (answer.status !== status || !isDeepStrictEqual(done, first.answer)) {
          throw new Error(
            `${contender.name} does not do the same for ${name} as ${first.name}:\n${JSON.stringify(done, undefined, 2)}\n` +
              JSON.stringify(first.answer, undefined, 2),
          );
        }
      }
    }
  } finally {
    stub.stop();
  }
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
