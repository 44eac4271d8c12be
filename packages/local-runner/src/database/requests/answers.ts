import type { ServerResponse } from "node:http";
import { crc32 } from "node:zlib";

const contentType = "application/x-amz-json-1.0";

/** Answers a request in place of the engine, with DynamoDB's headers. */
export const answerWith = (response: ServerResponse, answer: Record<string, unknown>): void => {
  const body = JSON.stringify(answer);
  const status = answer.__type === undefined ? 200 : 400;
  response.writeHead(status, { "content-type": contentType, "x-amz-crc32": crc32(body) }).end(body);
};

/**
 * Makes the engine's answer to an update DynamoDB's, which leaves `Attributes` out if it returns none.
 *
 * @returns the response for the engine to write to
 */
export const withoutEmptyAttributes = (response: ServerResponse): ServerResponse => {
  const end = response.end.bind(response);
  return Object.assign(response, {
    end(body: string) {
      if (body !== '{"Attributes":{}}') return end(body);
      response.setHeader("x-amz-crc32", crc32("{}"));
      response.setHeader("content-length", 2);
      return end("{}");
    },
  });
};

/** Calls back once the engine has answered, even if nobody is connected any more. */
export const whenEnded = (response: ServerResponse, callBack: () => void): ServerResponse => {
  const end = response.end.bind(response);
  return Object.assign(response, {
    end(body: string) {
      callBack();
      return end(body);
    },
  });
};
