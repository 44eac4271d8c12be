import type { Readable } from "node:stream";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { collectStream } from "./collect-stream.ts";

interface HttpResponse {
  statusCode: number;
  body: unknown;
}

/**
 * Makes a client reject responses that DynamoDB cannot have sent: a success whose body is not a JSON object is a failure, and
 * the call is retried.
 *
 * The SDK reads an empty body, a list or `null` as an object without fields. That means "no such item" for a read and "stored"
 * for a write that returns nothing, so a proxy that answers in DynamoDB's place could turn a key into a `404`, and a create
 * that never happened into a `201`.
 */
export const rejectInvalidResponses = (client: DynamoDBClient): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as HttpResponse;
      if (response.statusCode !== 200) return result;
      const body = await collectStream(response.body as Readable);
      if (body[0] !== openingBrace) throw new InvalidResponse();
      response.body = body;
      return result;
    },
    { step: "deserialize", priority: "low", name: "rejectInvalidResponses" },
  );
};

const openingBrace = "{".charCodeAt(0);

/** Its message does not quote the response, which may contain secrets. */
class InvalidResponse extends Error {
  override name = "InvalidResponse";
  /** Tells the SDK that the call can be retried. */
  readonly $retryable = {};

  constructor() {
    super("DynamoDB's response has status 200 but no JSON object: something else answers in its place.");
  }
}
