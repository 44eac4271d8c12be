import { join } from "node:path";
import { inject } from "vitest";
import { constructIdOf, readTemplate } from "./template.ts";

/** The code file of each function, by the function's name. */
export type BundleFiles = Readonly<Record<string, string>>;

/** The bundles of an assembly as they are deployed. */
export const bundlesOf = async (assemblyDirectory = inject("assemblyDirectory")): Promise<BundleFiles> => {
  const functions = Object.values((await readTemplate(assemblyDirectory)).ofType("AWS::Lambda::Function"));
  return Object.fromEntries(
    functions.map((resource) => [
      constructIdOf(resource),
      join(assemblyDirectory, String(resource.Metadata["aws:asset:path"]), "index.js"),
    ]),
  );
};
