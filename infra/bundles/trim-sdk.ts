import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin } from "esbuild";

/** A module of the AWS SDK that the bundles replace. */
interface Replacement {
  /** The path of the module in node_modules. */
  module: string;
  /** The code that replaces the module, or a function that derives it from the module's code. */
  code: string | ((original: string) => string);
}

/** Returns a replacement whose exports throw when they are called. */
const leaveOut = (module: string, exportNames: string[], reason: string): Replacement => ({
  module,
  code: exportNames
    .map((name) => `export function ${name}() { throw new Error("${name} is not in the bundle: ${reason}"); }`)
    .join("\n"),
});

/** The errors whose class matters to the functions or to the SDK. Of all others, only the name matters. */
const errorsWithClass =
  /^(InternalServerError|(DynamoDBService|ConditionalCheckFailed|ReplicatedWriteConflict|TransactionCanceled)Exception)$/;

/** The declaration of an error in the SDK's schemas, and the statement that registers its class. */
const errorSchema = /^export var (\w+)\$ = \[-3,[^;]*;\n\w+\.registerError\(\1\$.*\n/gm;

/**
 * The modules that bundles leave out. docs/decisions/fast-functions.md has the savings. These replacements do not change the
 * behaviour of the SDK. Only the client options in lambdas/dynamodb/client/client.ts do.
 */
export const replacements: readonly Replacement[] = [
  leaveOut(
    "@aws-sdk/credential-provider-node/dist-es/index.js",
    ["defaultProvider"],
    "the client takes its keys from the environment.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/event-streams/index.js",
    ["EventStreamSerde", "eventStreamSerdeProvider"],
    "no operation of DynamoDB in use has an event stream.",
  ),
  leaveOut(
    "@aws-sdk/dynamodb-codec/dist-es/index.js",
    ["DynamoDBJsonCodec2"],
    "the client is given another codec, plain-json-codec.ts.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/protocols/json/codec-v2/JsonCodec2.js",
    ["JsonCodec2"],
    "the client is given another codec, plain-json-codec.ts.",
  ),
  leaveOut(
    "@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js",
    ["defaultEndpointResolver"],
    "the client is given its endpoint.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js",
    ["Sha256Js"],
    "the client is given another SHA-256, sha256.ts.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/checksum/sha256/Sha256Node.js",
    ["Sha256Node"],
    "the client is given another SHA-256, sha256.ts.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/retry/util-retry/DefaultRateLimiter.js",
    ["DefaultRateLimiter"],
    "the client retries in the standard mode.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js",
    ["AdaptiveRetryStrategy"],
    "the client retries in the standard mode.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js",
    ["getInstanceMetadataRegion"],
    "the client is given its region.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/serde/date-utils.js",
    [
      "dateToUtcString",
      "parseRfc3339DateTime",
      "parseRfc3339DateTimeWithOffset",
      "parseRfc7231DateTime",
      "parseEpochTimestamp",
    ],
    "the client is given another codec, plain-json-codec.ts.",
  ),
  {
    // For an error that it does not know, the SDK creates a DynamoDBServiceException with the same name.
    module: "@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js",
    code: (original) =>
      original.replaceAll(errorSchema, (all, name: string) => (errorsWithClass.test(name) ? all : "")),
  },
  // DynamoDB's operations have no host prefix, and nothing else in them depends on HTTP.
  {
    module: "@smithy/core/dist-es/submodules/protocols/HttpBindingNormalizedSchema.js",
    code: "export const getHttpOperationBindings = () => [];\nexport class HttpBindingNormalizedSchema {}",
  },
  // The signer creates one, but only event streams use it.
  { module: "@smithy/signature-v4/dist-es/HeaderFormatter.js", code: "export class HeaderFormatter {}" },
  // The client sends no user agent, so it needs no version of itself.
  { module: "@aws-sdk/client-dynamodb/package.json", code: 'export default { version: "0" };' },
  // The endpoint rules include the list of all regions.
  {
    module: "@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js",
    code: "export const partitionsInfo = { partitions: [] };",
  },
  // The client creates a cache for endpoint discovery, but discovery is off.
  { module: "@aws-sdk/endpoint-cache/dist-es/EndpointCache.js", code: "export class EndpointCache {}" },
  // The client has its own request handler in sdk-http-handler.ts.
  {
    module: "@smithy/node-http-handler/dist-es/node-http-handler.js",
    code: "export const DEFAULT_REQUEST_TIMEOUT = 0;\nexport class NodeHttpHandler { static create(handler) { return handler; } }",
  },
];

/**
 * Replaces modules of the AWS SDK while functions are bundled. The build fails if the bundles contain the SDK but not every module
 * in the list, because an update of the SDK has then moved something.
 */
export const trimSdkPlugin = (): Plugin => ({
  name: "trim-sdk",
  setup({ onStart, onLoad, onEnd }) {
    const unseen = new Set<string>();
    onStart(() => {
      for (const { module } of replacements) unseen.add(module);
    });
    for (const { module, code } of replacements) {
      onLoad({ filter: fileBelowNodeModules(module) }, async ({ path }) => {
        unseen.delete(module);
        return { contents: typeof code === "string" ? code : code(await readFile(path, "utf8")), loader: "js" };
      });
    }
    onEnd(() => {
      const hasSdk = unseen.size < replacements.length;
      if (!hasSdk) return {};
      return {
        errors: [...unseen].map((module) => ({
          text: `The AWS SDK no longer has ${module}: see docs/performance.md.`,
        })),
      };
    });
  },
});

/**
 * Keeps the AWS SDK whole where an application's own modules import it, because an application may use any part of it. The modules
 * get their own namespace, apart from those that the package's modules import.
 */
export const wholeSdkPlugin = (isOfApplication: (file: string) => boolean): Plugin => ({
  name: "whole-sdk",
  setup({ onResolve, onLoad, resolve }) {
    const find = async ({ path, namespace, pluginData, ...place }: OnResolveArgs): Promise<OnResolveResult> => {
      const { errors, warnings, ...found } = await resolve(path, { ...place, pluginData: inside });
      return errors.length > 0 || found.external ? { errors, warnings, ...found } : { ...found, namespace: wholeSdk };
    };
    const inside = {};
    onResolve({ filter: /^@(aws-sdk|smithy)\// }, (place) =>
      place.pluginData !== inside && isOfApplication(place.importer) ? find(place) : undefined,
    );
    onResolve({ filter: /^/, namespace: wholeSdk }, (place) => (place.pluginData === inside ? undefined : find(place)));
    onLoad({ filter: /^/, namespace: wholeSdk }, async ({ path }) => ({
      contents: await readFile(path),
      loader: "default",
      resolveDir: dirname(path),
    }));
  },
});

const wholeSdk = "whole-sdk";

const fileBelowNodeModules = (module: string): RegExp =>
  new RegExp(`[\\\\/]node_modules[\\\\/]${module.split("/").map(RegExp.escape).join("[\\\\/]")}$`);
