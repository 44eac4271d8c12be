import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { type StoreName, storeNames } from "../../lambdas/resources/stores.ts";
import type { FunctionDeclaration } from "../functions.ts";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

export interface BundledFunction extends FunctionDeclaration {
  /** The folder of its bundle. */
  bundleFolder: string;
}

/**
 * Bundles each function into `<folder>/bundles/<name>/index.js`, with all that it needs, the AWS SDK included: the one that
 * was tested, and faster to load than the runtime's own.
 */
export const bundleFunctions = (functions: FunctionDeclaration[], folder: string): Promise<BundledFunction[]> =>
  Promise.all(
    functions.map(async (declaration) => {
      const bundleFolder = join(folder, "bundles", declaration.name);
      // What an earlier synthesis left here would be deployed too.
      await rm(bundleFolder, { recursive: true, force: true });
      await mkdir(bundleFolder, { recursive: true });
      await Promise.all([
        bundleEntry(declaration).then((code) => writeFile(join(bundleFolder, "index.js"), code)),
        declaration.writeFiles?.(bundleFolder),
      ]);
      return { ...declaration, bundleFolder };
    }),
  );

interface BundleOptions {
  /** Leave out of the SDK what no function uses: true unless told otherwise. */
  trimmed?: boolean;
  /** Asked before the trimming. */
  plugins?: Plugin[];
}

/** Bundles a module, given as its text, with all that it needs. */
export const bundleEntry = async (
  { name, entry, uses }: Pick<FunctionDeclaration, "name" | "entry"> & Partial<Pick<FunctionDeclaration, "uses">>,
  { trimmed = true, plugins = [] }: BundleOptions = {},
): Promise<Uint8Array> => {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: projectFolder, sourcefile: `${name}.ts`, loader: "ts" },
    bundle: true,
    write: false,
    platform: "node",
    target: "node24",
    // CommonJS, because an import of a built-in module as ESM reads its every lazy getter, undici's among them.
    format: "cjs",
    // For the same reason the SDK's `import("node:http")` becomes a `require`.
    supported: { "dynamic-import": false },
    // The ES modules of the SDK can be cut down to what is used; its CommonJS ones cannot.
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      ...plugins,
      ...(uses ? [leaveOutStores(storeNames.filter((store) => !uses[store]))] : []),
      ...(trimmed ? [trimSdk] : []),
    ],
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild made nothing of the function ${name}.`);
  return output.contents;
};

const refusal = (name: string) =>
  `export const ${name} = () => { throw new Error("${name} was left out of the bundle: see infra/build/bundle.ts."); };`;

const storeModules: Readonly<Record<StoreName, [path: string, name: string]>> = {
  keys: ["lambdas/resources/keys/dynamodb-key-store.ts", "dynamodbKeyStore"],
  tokens: ["lambdas/resources/tokens/dynamodb-token-store.ts", "dynamodbTokenStore"],
  limits: ["lambdas/resources/limits/dynamodb-limit-store.ts", "dynamodbLimitStore"],
  usage: ["lambdas/resources/usage/dynamodb-usage-store.ts", "dynamodbUsageStore"],
};

/** Leaves out the stores that a function does not use. */
const leaveOutStores = (stores: readonly StoreName[]): Plugin => ({
  name: "leave-out-stores",
  setup({ onLoad }) {
    for (const store of stores) {
      const [path, name] = storeModules[store];
      onLoad({ filter: exactly(join(projectFolder, path)) }, () => ({ contents: refusal(name), loader: "js" }));
    }
  },
});

const exactly = (path: string): RegExp => new RegExp(`^${RegExp.escape(path)}$`);

/**
 * The errors of DynamoDB that are more than a name and a status: one that the stores tell by its class, one that can be
 * repeated, one whose fault its status does not tell. Of all others the SDK makes the same without their classes.
 */
const keptErrors = new Set([
  "ConditionalCheckFailedException",
  "ReplicatedWriteConflictException",
  "InternalServerError",
]);

/** Has a module of the SDK inherit the client's configuration, which it copies whole for each call. */
const inheriting = (text: string): string => {
  const copy = /\{\s*\.\.\.config\b,?([^{}]*)\}/;
  if (!copy.test(text))
    throw new Error("The AWS SDK does not copy its configuration here any more: see infra/build/bundle.ts.");
  return text.replace(copy, "Object.assign(Object.create(config), {$1})");
};

/**
 * Modules of the SDK that a function in Lambda has no use for, and what stands in their place. Each is weighed in
 * docs/decisions/fast-functions.md. A module that an update of the SDK moves ends the bundling, and a test compares what the trimmed
 * and the untrimmed SDK send and make of the answers.
 */
const replacements: Readonly<Record<string, string | ((text: string) => string)>> = {
  // Every other source of keys, with clients for three more services: client.ts reads the environment.
  "@aws-sdk/credential-provider-node/dist-es/index.js": refusal("defaultProvider"),
  // Settings come from the environment alone: there is no ~/.aws in Lambda to look for and to parse.
  "@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js": `
    export const loadConfig = ({ environmentVariableSelector, default: byDefault }, settings = {}) => {
      const load = async () =>
        environmentVariableSelector(process.env, settings) ?? (typeof byDefault === "function" ? byDefault() : byDefault);
      let loaded;
      return () => (loaded ??= load());
    };`,
  // Items are read and written as the JSON that they are: see the codec.
  "@aws-sdk/dynamodb-codec/dist-es/index.js": `
    export { PlainJsonCodec as DynamoDBJsonCodec2 } from "./lambdas/dynamodb/plain-json-codec.ts";`,
  "@smithy/core/dist-es/submodules/protocols/json/codec-v2/JsonCodec2.js": refusal("JsonCodec2"),
  "@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js": (text) =>
    text.replaceAll(/^export var \w+\$ = [^;]*;\nn0_registry\.registerError\(\S+, (\w+)\);$/gm, (schema, name) =>
      keptErrors.has(name) ? schema : "",
    ),
  "@smithy/core/dist-es/submodules/schema/middleware/schemaSerializationMiddleware.js": inheriting,
  "@smithy/core/dist-es/submodules/schema/middleware/schemaDeserializationMiddleware.js": inheriting,
  "@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/endpointMiddleware.js": inheriting,
  // client.ts gives the endpoint.
  "@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js": refusal("defaultEndpointResolver"),
  "@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js": `
    export const partitionsInfo = { partitions: [] };`,
  // client.ts gives the retry mode.
  "@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js": refusal("AdaptiveRetryStrategy"),
  // Off unless a setting asks for it, and none does.
  "@aws-sdk/middleware-endpoint-discovery/dist-es/index.js": `
    export const resolveEndpointDiscoveryConfig = (config) => config;
    export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: () => undefined };`,
  // No operation of DynamoDB has one.
  "@smithy/core/dist-es/submodules/event-streams/index.js": refusal("EventStreamSerde"),
  "@smithy/signature-v4/dist-es/HeaderFormatter.js": "export class HeaderFormatter {}",
  // The environment names the region.
  "@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js":
    refusal("getInstanceMetadataRegion"),
  // Lambda's Node.js has node:crypto.
  "@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js": refusal("Sha256Js"),
  // The version alone is read from it.
  "@aws-sdk/client-dynamodb/package.json": "export default { version: undefined };",
};

const trimSdk: Plugin = {
  name: "trim-sdk",
  setup({ onLoad, onEnd }) {
    const missed = new Set(Object.keys(replacements));
    for (const [module, replacement] of Object.entries(replacements)) {
      const filter = new RegExp(`[\\\\/]node_modules[\\\\/]${module.split("/").map(RegExp.escape).join("[\\\\/]")}$`);
      onLoad({ filter }, async ({ path }) => {
        missed.delete(module);
        return typeof replacement === "string"
          ? { contents: replacement, loader: "js", resolveDir: projectFolder }
          : { contents: replacement(await readFile(path, "utf8")), loader: "js" };
      });
    }
    onEnd(() =>
      // A function without the SDK misses all of them.
      missed.size === 0 || missed.size === Object.keys(replacements).length
        ? {}
        : { errors: [{ text: `The AWS SDK has no ${[...missed].join(", ")} any more: see infra/build/bundle.ts.` }] },
    );
  },
};
