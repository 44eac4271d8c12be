import { isDeepStrictEqual } from "node:util";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Contender } from "./contenders.ts";
import type { Stub } from "./dynamodb-stub.ts";
import { responseTo, type Surroundings } from "./measure.ts";
import { requestNames, requests } from "./requests.ts";

/**
 * Sends every request to every contender, and compares status, headers, body and the requests to the database. If two differ,
 * the contenders do not do the same job, and their times mean nothing.
 */
export const differingResponses = async (
  contenders: readonly Contender[],
  surroundings: Surroundings,
  takeRequests: Stub["takeRequests"],
): Promise<string[]> => {
  const differences: string[] = [];
  for (const name of requestNames) {
    const all: object[] = [];
    for (const { files } of contenders) {
      const response = comparable(await responseTo(files, name, surroundings));
      const asked = (await takeRequests()).map(({ operation, body }) => ({
        operation,
        body: JSON.parse(timeless(body)),
      }));
      all.push({ response, asked });
      const isExpected = response.status === requests[name].status && isDeepStrictEqual(all[0], all.at(-1));
      if (!isExpected) differences.push(`${name} has different responses: ${JSON.stringify(all, undefined, 2)}`);
    }
  }
  return differences;
};

/** A key's ETag is the time of its creation. */
const version = /^"[\da-z]+"$/;

/** The response with header names in lower case, and without times. */
const comparable = ({ statusCode, headers = {}, body = "", isBase64Encoded }: APIGatewayProxyStructuredResultV2) => ({
  status: statusCode,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value).replace(version, '"(now)"')]),
  ),
  body: timeless(isBase64Encoded ? Buffer.from(body, "base64").toString() : body),
});

const timeless = (text: string): string =>
  text.replaceAll(new RegExp(`${new Date().toISOString().slice(0, 10)}T[\\d:.]+Z`, "g"), "(now)");
