import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { requireVariable } from "../environment.ts";
import { dynamodbEndpoint } from "./endpoint.ts";
import { useFastConfiguration } from "./fast-configuration.ts";
import { httpHandler } from "./http-handler.ts";
import { sdkSettings } from "./sdk-settings.ts";
import { Sha256 } from "./sha256.ts";

/** Middleware of the SDK that the functions do not need. */
const unusedMiddleware = [
  // It copies every input and output for a logger, even if there is none.
  "loggerMiddleware",
  // It rebuilds the same header for each call.
  "getUserAgentMiddleware",
];

export interface ConnectionOptions {
  /** Sends requests and returns complete responses: over the network unless given. */
  requestHandler?: DynamoDBClientConfig["requestHandler"];
}

/**
 * The DynamoDB client of a function. An attempt that gets no response, or only part of one, ends after a second.
 *
 * It is tuned for short calls in a short-lived process, and the bundle leaves out what it does not use. Except for the user
 * agent, it sends the same requests as the SDK does by default.
 *
 * @throws {Error} naming the environment variable if the keys to sign with are missing.
 */
export const createDynamoDBClient = ({ requestHandler }: ConnectionOptions = {}): DynamoDBClient => {
  const region = requireVariable("AWS_REGION");
  const url = dynamodbEndpoint(region);
  const client = new DynamoDBClient({
    ...sdkSettings,
    region,
    endpoint: url.href,
    endpointProvider: () => ({ url, headers: {}, properties: {} }),
    maxAttempts: 3,
    // The middleware does not change after the first call.
    cacheMiddleware: true,
    retryMode: "standard",
    requestHandler: requestHandler ?? { ...httpHandler(url) },
    credentials: environmentCredentials(),
    sha256: Sha256,
  });
  useFastConfiguration(client);
  for (const name of unusedMiddleware) {
    if (!client.middlewareStack.remove(name)) throw new Error(`The AWS SDK no longer has ${name}: see client.ts.`);
  }
  return client;
};

/** Lambda puts the keys into the environment for as long as it lives, so there is no need to look anywhere else. */
const environmentCredentials = () => {
  const { AWS_SESSION_TOKEN: sessionToken } = process.env;
  return {
    accessKeyId: requireVariable("AWS_ACCESS_KEY_ID"),
    secretAccessKey: requireVariable("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken && { sessionToken }),
  };
};
