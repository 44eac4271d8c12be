import { DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { requireVariable } from "../environment.ts";
import { ApiError } from "../errors/api-error.ts";
import { collectStream } from "./collect-stream.ts";
import { dynamodbEndpoint } from "./endpoint.ts";

const deadlineMilliseconds = 4_000;

const throttlingErrors = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottledException",
  "ThrottlingException",
  "TooManyRequestsException",
]);

/** What of the SDK's middleware a function does without. */
const leftOut = [
  // It copies every input and output for a log, even where there is none.
  "loggerMiddleware",
  // It puts the header together anew for each call.
  "getUserAgentMiddleware",
];

/**
 * The one DynamoDB client of a function. An attempt that gets no answer, or half of one, ends after a second.
 *
 * It is tuned for short calls of a short life, and infra/build/bundle.ts leaves out of the bundle what it has no use for. It
 * sends the requests that the SDK sends by default but for the user agent.
 *
 * @throws {Error} naming the environment variable if the keys to sign with are missing.
 */
export const createDynamoDBClient = (): DynamoDBClient => {
  const region = requireVariable("AWS_REGION");
  const url = dynamodbEndpoint(region);
  const client = new DynamoDBClient({
    region,
    endpoint: url.href,
    endpointProvider: () => ({ url, headers: {}, properties: {} }),
    maxAttempts: 3,
    // No middleware changes after the first call.
    cacheMiddleware: true,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: 500,
      requestTimeout: 1_000,
      throwOnRequestTimeout: true,
      socketTimeout: 1_000,
    },
    credentials: environmentCredentials(),
    streamCollector: collectStream,
  });
  for (const name of leftOut) {
    if (!client.middlewareStack.remove(name)) throw new Error(`The AWS SDK has no ${name} any more: see client.ts.`);
  }
  return client;
};

/** Lambda gives the keys in the environment, for as long as the environment lives: no other source need be asked. */
const environmentCredentials = () => {
  const { AWS_SESSION_TOKEN: sessionToken } = process.env;
  return {
    accessKeyId: requireVariable("AWS_ACCESS_KEY_ID"),
    secretAccessKey: requireVariable("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken && { sessionToken }),
  };
};

/**
 * Awaits a call to DynamoDB, retries included, for 4 s: two calls one after the other, and between them the second that the
 * counter of a limit may take, are the most that a request makes, and end before the function's own time-out of 10 s.
 *
 * A database that is out of reach, failing or throttling is `503 unavailable`; what DynamoDB says of the request itself (a
 * condition that does not hold, a missing right) passes through unchanged.
 */
export const reach = async <Output>(call: Promise<Output>): Promise<Output> => {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`DynamoDB did not answer within ${deadlineMilliseconds} ms.`));
  }, deadlineMilliseconds);
  try {
    return await Promise.race([call, deadline]);
  } catch (error) {
    if (isOurFault(error)) throw error;
    throw new ApiError("unavailable", { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

const isOurFault = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$fault === "client" && !throttlingErrors.has(error.name);
