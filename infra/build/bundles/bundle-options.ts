import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { projectFolder } from "../project-folder.ts";
import { trimSdkPlugin } from "../sdk-trimming/trim-sdk-plugin.ts";

/** A function's code before it is bundled. */
export interface BundleSource {
  name: string;
  /** The TypeScript module that exports `handler`, as text. Its imports are relative to the project. */
  entry: string;
}

/** The code of a function and the map from it to the sources. */
export interface Bundle {
  code: Uint8Array;
  sourceMap: Uint8Array;
}

export interface BundleSettings {
  /** Leaves out the parts of the AWS SDK that no function uses: see docs/sdk-trimming.md. */
  trimSdk?: boolean;
  /** Run before the trimming. */
  plugins?: Plugin[];
  /** The folder that the paths in the source map are relative to. */
  sourceMapFolder?: string;
}

/** The esbuild options that bundle functions, each for itself. In one build, what they share is parsed only once. */
export const bundleOptions = (
  sources: readonly BundleSource[],
  { trimSdk = true, plugins = [], sourceMapFolder = projectFolder }: BundleSettings = {},
) =>
  ({
    entryPoints: sources.map(({ name }) => ({ in: `${entryPrefix}${name}`, out: name })),
    bundle: true,
    write: false,
    outdir: sourceMapFolder,
    platform: "node",
    target: "node24",
    // CommonJS, because an ES import of a built-in module reads all of its lazy getters, undici's among them.
    format: "cjs",
    // For the same reason the SDK's `import("node:http")` becomes a `require`.
    supported: { "dynamic-import": false },
    // esbuild can drop unused parts of the SDK's ES modules, but not of its CommonJS modules.
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    // A separate file, to which the bundle has no reference: the deployed bytes do not depend on it.
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "warning",
    plugins: [entryPlugin(sources), ...plugins, ...(trimSdk ? [trimSdkPlugin()] : [])],
  }) satisfies BuildOptions;

const entryPrefix = "function:";

/** Takes the modules that the bundles start from from their texts, as if they were files in the project's folder. */
const entryPlugin = (sources: readonly BundleSource[]): Plugin => ({
  name: "entries",
  setup({ onResolve, onLoad }) {
    const entries = new Map(sources.map(({ name, entry }) => [join(projectFolder, `${name}.ts`), entry]));
    onResolve({ filter: new RegExp(`^${entryPrefix}`) }, ({ path }) => ({
      path: join(projectFolder, `${path.slice(entryPrefix.length)}.ts`),
    }));
    const names = sources.map(({ name }) => RegExp.escape(name)).join("|");
    onLoad({ filter: new RegExp(`[\\\\/](?:${names})\\.ts$`) }, ({ path }) => {
      const contents = entries.get(path);
      return contents === undefined ? undefined : { contents, resolveDir: projectFolder, loader: "ts" };
    });
  },
});
