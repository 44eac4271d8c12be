import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Resources } from "./template-resources.ts";

/** Writes a cloud assembly of one stack, as the CDK would, and returns its folder. */
export const writeAssembly = async (
  directory: string,
  {
    resources,
    code = {},
    ...rest
  }: { resources: Resources; code?: Record<string, Record<string, string>>; Outputs?: object },
): Promise<string> => {
  const assembly = join(directory, "cdk.out");
  await mkdir(assembly, { recursive: true });
  for (const [name, files] of Object.entries(code)) {
    await mkdir(join(assembly, `asset.${name}`), { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(assembly, `asset.${name}`, file), text);
  }
  const artifacts = { Test: { type: "aws:cloudformation:stack", properties: { templateFile: "Test.template.json" } } };
  await writeFile(join(assembly, "manifest.json"), JSON.stringify({ version: "54.0.0", artifacts }));
  await writeFile(join(assembly, "Test.template.json"), JSON.stringify({ ...rest, Resources: resources }));
  return assembly;
};
