import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { withDeadline } from "../../../lambdas/dynamodb/deadline.ts";
import { apiErrorOf } from "../support/rejection.ts";

const told = { message: "told by DynamoDB", $metadata: {} };
const clientFault = (name: string) => new DynamoDBServiceException({ ...told, name, $fault: "client" });

describe("a call to DynamoDB", () => {
  test("answers what DynamoDB answers", async () => {
    await expect(withDeadline(Promise.resolve("answer"))).resolves.toBe("answer");
  });

  test.for([
    ["throttled", new ProvisionedThroughputExceededException(told)],
    ["throttled on its account", clientFault("RequestLimitExceeded")],
    ["throttled on its control plane", clientFault("ThrottlingException")],
    ["answered by a failure", new InternalServerError(told)],
    ["not answered", Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })],
    ["timed out", Object.assign(new Error("timed out"), { name: "TimeoutError" })],
  ] as const)("that is %s is unavailable, to be tried again", async ([, cause]) => {
    const error = await apiErrorOf(withDeadline(Promise.reject(cause)));
    expect(error).toMatchObject({ code: "unavailable", status: 503, cause });
    expect(Number(error.headers["Retry-After"])).toBeGreaterThan(0);
    expect(JSON.stringify(error)).not.toContain(cause.message);
  });

  test.for([
    new ConditionalCheckFailedException(told),
    clientFault("ValidationException"),
    clientFault("AccessDeniedException"),
  ])("that DynamoDB refuses for the request's own sake fails with that refusal: $name", async (cause) => {
    await expect(withDeadline(Promise.reject(cause))).rejects.toBe(cause);
  });
});
