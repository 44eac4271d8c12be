import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";

const referenceShape = z.union([
  z.pipe(
    z.strictObject({ Ref: z.string() }),
    z.transform(({ Ref }) => Ref),
  ),
  z.pipe(
    z.strictObject({ "Fn::GetAtt": z.array(z.string()) }),
    z.transform((value) => value["Fn::GetAtt"].join(".")),
  ),
]);

const templateShape = z.object({
  Outputs: z.record(z.string(), z.object({ Value: z.unknown(), Export: z.optional(z.object({ Name: z.string() })) })),
});

/** An output of the data stack that the API's stack refers to, or may refer to in a version before or after. */
export interface SharedOutput {
  /** The resource that it is the `Ref` of (`KeysTable`), or the attribute of a resource (`KeysTable.Arn`). */
  value: string;
  /** The name of its export, if it has one. An export that another stack imports cannot be removed or changed. */
  exportName: string | undefined;
}

/** The outputs of the data stack in an assembly that the CDK generates for other stacks, by name. */
export const readSharedOutputs = async (assembly: string): Promise<Record<string, SharedOutput>> => {
  const text = await readFile(join(assembly, "IntegrationApiData.template.json"), "utf8");
  const { Outputs } = templateShape.parse(JSON.parse(text));
  return Object.fromEntries(
    Object.entries(Outputs)
      .filter(([name]) => /^(Exports|Publish)Output/.test(name))
      .map(([name, { Value, Export }]) => [name, { value: referenceShape.parse(Value), exportName: Export?.Name }]),
  );
};
