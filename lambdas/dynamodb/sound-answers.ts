import type { Readable } from "node:stream";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { collectStream } from "./collect-stream.ts";

interface HttpResponse {
  statusCode: number;
  body: unknown;
}

/**
 * Holds a client to answers that DynamoDB can have given: a success that is no JSON object is a failure, to be tried again.
 *
 * The SDK takes an empty body, a list or `null` for an object without fields. That reads as "there is no such item", and as
 * "stored" where a write answers nothing: a proxy that answers for DynamoDB could turn a key into a `404`, and a create
 * that never happened into a `201`.
 */
export const requireSoundAnswers = (client: DynamoDBClient): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as HttpResponse;
      if (response.statusCode !== 200) return result;
      const body = await collectStream(response.body as Readable);
      if (body[0] !== openingBrace) throw new UnsoundAnswer();
      response.body = body;
      return result;
    },
    { step: "deserialize", priority: "low", name: "requireSoundAnswers" },
  );
};

const openingBrace = "{".charCodeAt(0);

/** Says nothing of the answer itself, which may hold secrets. */
class UnsoundAnswer extends Error {
  override name = "UnsoundAnswer";
  /** Tells the SDK that the call can be repeated. */
  readonly $retryable = {};

  constructor() {
    super("DynamoDB answered 200 without a JSON object: something between here and there answers in its place.");
  }
}
