import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { replacements } from "./replacements.ts";

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

const whatToDo = "see docs/sdk-trimming.md.";

const fileBelowNodeModules = (module: string): RegExp =>
  new RegExp(`[\\\\/]node_modules[\\\\/]${module.split("/").map(RegExp.escape).join("[\\\\/]")}$`);
