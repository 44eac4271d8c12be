import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { storeNames } from "../../../lambdas/domain/built-in-stores.ts";
import { tableVariable } from "../../../lambdas/dynamodb/uses.ts";
import { type AwsRequest, type DynamoDBStub, type StubAnswer, startDynamoDBStub } from "../../support/aws-stub.ts";

/** Sets the region and the credentials of the environment's AWS clients. */
export const stubCredentials = (): void => {
  for (const name of ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");
};

/**
 * Stands in for DynamoDB in the tests of a file, whose tables have the names of their stores. The stub has the requests of the
 * current test. Null closes the connection without a response.
 */
export const useDynamoDBStub = (responseTo: (request: AwsRequest) => StubAnswer | null): (() => DynamoDBStub) => {
  let stub: DynamoDBStub;
  beforeAll(async () => {
    stub = await startDynamoDBStub(responseTo);
    stubCredentials();
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.url);
    for (const store of storeNames) vi.stubEnv(tableVariable(store), store);
  });
  beforeEach(() => {
    stub.requests.length = 0;
    stub.answersBefore.length = 0;
  });
  afterAll(() => stub.close());
  return () => stub;
};
