import { DynamoDBClient, type DynamoDBClientConfig, errorTypeRegistries } from "@aws-sdk/client-dynamodb";
import { getSchemaSerdePlugin } from "@smithy/core/schema";
import { requireVariable } from "../environment.ts";
import { dynamodbEndpoint } from "./endpoint.ts";
import { type Connection, httpHandler } from "./http-handler.ts";
import { PlainJsonCodec } from "./plain-json-codec.ts";
import { Sha256 } from "./sha256.ts";

/** Middleware of the SDK that the functions do not need. */
const unusedMiddleware = [
  // It copies every input and output for a logger, even if there is none.
  "loggerMiddleware",
  // It rebuilds the same header for each call.
  "getUserAgentMiddleware",
];

export interface ConnectionOptions {
  /** Sends requests: over the network unless given. */
  connection?: Connection;
}

/**
 * The DynamoDB client of a function. An attempt ends after a second without any part of a response.
 *
 * It is tuned for short calls in a short-lived process, and the bundle leaves out what it does not use. Except for the user
 * agent, it sends the same requests as the SDK does by default.
 *
 * @throws {Error} naming the environment variable if the keys to sign with are missing.
 */
export const createDynamoDBClient = ({ connection }: ConnectionOptions = {}): DynamoDBClient => {
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
    requestHandler: { ...httpHandler(url, connection) },
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

/** The options of the client that do not depend on where a function runs. */
export const sdkSettings = {
  // The SDK's defaults. It would look for other values in settings files, which do not exist in Lambda, before the first call.
  accountIdEndpointMode: "preferred",
  authSchemePreference: [],
  disableClockSkewCorrection: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  // The SDK's own values, with another codec.
  protocolSettings: {
    defaultNamespace: "com.amazonaws.dynamodb",
    errorTypeRegistries,
    serviceTarget: "DynamoDB_20120810",
    jsonCodec: new PlainJsonCodec(),
  },
} satisfies DynamoDBClientConfig;

/**
 * Replaces the configuration of a client with a copy, which V8 stores differently, and which keeps its signer.
 *
 * The SDK copies the configuration, some 50 fields, three times for each call. It has built it field by field, and V8 keeps such
 * an object as a hash table that takes 10 µs to copy. A copy is an ordinary object, and copying that takes 0.3 µs.
 *
 * For each request, the SDK also makes a new signer from a copy of its own, in 25 µs. All requests of a client are signed for the
 * same region and service, with credentials that the signer asks for each time, so one signer is enough.
 */
export const useFastConfiguration = (client: DynamoDBClient): void => {
  const { signer: makeSigner } = client.config;
  let signer: ReturnType<typeof makeSigner> | undefined;
  // In the SDK's own object, to which the signing middleware has a reference.
  client.config.signer = (scheme) => (signer ??= makeSigner(scheme));
  const config = { ...client.config };
  Object.assign(client, { config });
  // The serialising middleware has its own reference. The plugin replaces it.
  client.middlewareStack.use(getSchemaSerdePlugin(config));
};
