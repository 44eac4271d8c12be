import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { getSchemaSerdePlugin } from "@smithy/core/schema";

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
