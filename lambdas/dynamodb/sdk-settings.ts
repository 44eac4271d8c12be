import { type DynamoDBClientConfig, errorTypeRegistries } from "@aws-sdk/client-dynamodb";
import { PlainJsonCodec } from "./plain-json-codec.ts";

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
