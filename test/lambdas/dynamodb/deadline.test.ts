import {
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { withDeadline } from "../../../lambdas/dynamodb/deadline.ts";
import { apiErrorOf } from "../support/rejection.ts";

const exceptionFields = { message: "from DynamoDB", $metadata: {} };
const clientFault = (name: string) => new DynamoDBServiceException({ ...exceptionFields, name, $fault: "client" });

describe("a call to DynamoDB", () => {
  test("returns DynamoDB's answer", async () => {
    await expect(withDeadline(Promise.resolve("answer"))).resolves.toBe("answer");
  });

  test.for([
    ["throttled", new ProvisionedThroughputExceededException(exceptionFields)],
    ["throttled on its account", clientFault("RequestLimitExceeded")],
    ["throttled on its control plane", clientFault("ThrottlingException")],
    ["signed with keys that have expired", clientFault("ExpiredTokenException")],
    ["signed with keys that are not known", clientFault("UnrecognizedClientException")],
    ["signed at a time that DynamoDB does not accept", clientFault("RequestExpired")],
    ["signed with a signature that has expired", clientFault("InvalidSignatureException")],
    ["redirected", clientFault("UnknownError")],
    ["answered with a failure", new InternalServerError(exceptionFields)],
    ["not answered", Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })],
    ["timed out", Object.assign(new Error("timed out"), { name: "TimeoutError" })],
  ] as const)("that is %s is reported as unavailable, so that it can be retried", async ([, cause]) => {
    const error = await apiErrorOf(withDeadline(Promise.reject(cause)));
    expect(error).toMatchObject({ code: "unavailable", status: 503, cause });
    expect(Number(error.headers["Retry-After"])).toBeGreaterThan(0);
    expect(JSON.stringify(error)).not.toContain(cause.message);
  });

  test.for([
    clientFault("ValidationException"),
    clientFault("AccessDeniedException"),
    clientFault("ResourceNotFoundException"),
  ])("that DynamoDB refuses because of a defect of the request fails with that refusal: $name", async (cause) => {
    await expect(withDeadline(Promise.reject(cause))).rejects.toBe(cause);
  });
});
