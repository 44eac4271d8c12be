import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/**
 * Replaces modules of the AWS SDK while functions are bundled. The build fails if the bundles contain the SDK but not every
 * module on the list, or if a replacement leaves its module unchanged: an update of the SDK has then moved or changed
 * something.
 */
export const trimSdkPlugin = (): Plugin => ({
  name: "trim-sdk",
  setup({ onStart, onLoad, onEnd }) {
    const unseen = new Set<string>();
    onStart(() => {
      for (const { module } of replacements) unseen.add(module);
    });
    for (const { module, replace } of replacements) {
      onLoad({ filter: fileBelowNodeModules(module) }, async ({ path }) => {
        unseen.delete(module);
        const text = await readFile(path, "utf8");
        const contents = replace(text);
        if (contents !== text) return { contents, loader: "js" };
        return { errors: [{ text: `${module} no longer has anything to replace: ${whatToDo}` }] };
      });
    }
    onEnd(() => {
      const hasSdk = unseen.size < replacements.length;
      if (!hasSdk) return {};
      return { errors: [...unseen].map((module) => ({ text: `The AWS SDK no longer has ${module}: ${whatToDo}` })) };
    });
  },
});

const whatToDo = "see docs/performance.md.";

const fileBelowNodeModules = (module: string): RegExp =>
  new RegExp(`[\\\\/]node_modules[\\\\/]${module.split("/").map(RegExp.escape).join("[\\\\/]")}$`);

/** A replacement for a module of the AWS SDK in the bundles. */
export interface Replacement {
  /** The module, below node_modules. */
  module: string;
  /** Why no function needs what the module does. */
  reason: string;
  /** Returns the replacement for the module's text. */
  replace: (text: string) => string;
}

/** A module whose exports throw when they are called. */
const leaveOut = (module: string, exportNames: string[], reason: string): Replacement => ({
  module,
  reason,
  replace: () =>
    exportNames
      .map((name) => `export function ${name}() { throw new Error("${name} is not in the bundle: ${reason}"); }`)
      .join("\n"),
});

/**
 * The errors of DynamoDB whose classes matter: stores recognise the first by its class, the SDK retries the second, and the
 * status of the third does not tell whose fault it is. For any other error, the SDK makes an equal one without its class.
 */
const neededErrors = ["ConditionalCheckFailedException", "ReplicatedWriteConflictException", "InternalServerError"];

/**
 * The modules that bundles leave out; docs/performance.md has what each one saves. Nothing here changes how the SDK
 * behaves: that is done by the options of the client, in lambdas/dynamodb/sdk-settings.ts.
 */
export const replacements: readonly Replacement[] = [
  leaveOut(
    "@aws-sdk/credential-provider-node/dist-es/index.js",
    ["defaultProvider"],
    "the client takes its keys from the environment.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/config/shared-ini-file-loader/readFile.js",
    ["readFile", "filePromises", "fileIntercept"],
    "the client is given every setting, and Lambda has no settings files.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js",
    ["getInstanceMetadataRegion"],
    "Lambda names the region in the environment.",
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
    "@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js",
    ["AdaptiveRetryStrategy"],
    "the client is given the retry mode `standard`.",
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
    "DynamoDB's items have no dates, and its headers none that the client reads.",
  ),
  leaveOut(
    "@aws-sdk/core/dist-es/submodules/client/middleware-user-agent/check-features.js",
    ["checkFeatures"],
    "the client sends no user agent.",
  ),
  leaveOut(
    "@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js",
    ["Sha256Js"],
    "Lambda's Node.js has node:crypto.",
  ),
  {
    module: "@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js",
    reason: "The list of all regions belongs to the rules for endpoints, and the client is given its endpoint.",
    replace: () => "export const partitionsInfo = { partitions: [] };",
  },
  {
    module: "@aws-sdk/endpoint-cache/dist-es/EndpointCache.js",
    reason: "The client creates a cache for endpoint discovery, but discovery is off.",
    replace: () => "export class EndpointCache {}",
  },
  {
    module: "@smithy/node-http-handler/dist-es/node-http-handler.js",
    reason: "The client has its own request handler, http-handler.ts.",
    replace: () =>
      "export const DEFAULT_REQUEST_TIMEOUT = 0;\nexport class NodeHttpHandler { static create(handler) { return handler; } }",
  },
  {
    module: "@smithy/core/dist-es/submodules/retry/middleware-retry/retryMiddleware.js",
    reason: "Before each call, it creates an error that is never read; its stack trace takes 20 µs.",
    replace: (text) => text.replace("let lastError = new Error();", "let lastError;"),
  },
  {
    module: "@smithy/signature-v4/dist-es/HeaderFormatter.js",
    reason: "The signer creates a formatter for the messages of event streams, and no operation in use has one.",
    replace: () => "export class HeaderFormatter {}",
  },
  {
    module: "@aws-sdk/client-dynamodb/package.json",
    reason: "The SDK reads its own version from it and nothing else.",
    replace: (text) => `export default ${JSON.stringify({ version: JSON.parse(text).version })};`,
  },
  {
    module: "@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js",
    reason: "It registers the class of every error of DynamoDB, and so keeps all of them in the bundle.",
    replace: (text) =>
      text.replaceAll(/^export var \w+\$ = [^;]*;\nn0_registry\.registerError\(\S+, (\w+)\);$/gm, (statements, name) =>
        neededErrors.includes(name) ? statements : "",
      ),
  },
];
