import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalError, messageOf } from "../local-error.ts";
import * as z from "../zod.ts";

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.optional(z.record(z.string(), z.unknown())),
  Metadata: z.optional(z.record(z.string(), z.unknown())),
  Condition: z.optional(z.string()),
});

const outputSchema = z.object({
  Value: z.unknown(),
  Condition: z.optional(z.string()),
  Export: z.optional(z.object({ Name: z.unknown() })),
});

// Strict at the top level: `Transform` for one would change what the rest of the template means.
const templateSchema = z.strictObject({
  AWSTemplateFormatVersion: z.optional(z.string()),
  Description: z.optional(z.string()),
  Metadata: z.optional(z.unknown()),
  Parameters: z.optional(z.record(z.string(), z.object({ Type: z.string(), Default: z.optional(z.unknown()) }))),
  Rules: z.optional(z.unknown()),
  Mappings: z.optional(z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())))),
  Conditions: z.optional(z.record(z.string(), z.unknown())),
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.optional(z.record(z.string(), outputSchema)),
});

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.optional(z.object({ templateFile: z.optional(z.string()), stackName: z.optional(z.string()) })),
    }),
  ),
});

export type Resource = z.infer<typeof resourceSchema>;
export type Template = z.infer<typeof templateSchema>;

/** One stack of the assembly: its name as CloudFormation would know it, and its synthesised template. */
export interface StackTemplate {
  readonly name: string;
  readonly template: Template;
}

/** Reads every stack of a cloud assembly, the folder that `cdk synth` writes. */
export async function readCloudAssembly(directory: string): Promise<StackTemplate[]> {
  const manifest = await readJson(join(directory, "manifest.json"), manifestSchema);
  const stacks: StackTemplate[] = [];
  for (const [id, artifact] of Object.entries(manifest.artifacts)) {
    if (artifact.type !== "aws:cloudformation:stack") continue;
    const file = artifact.properties?.templateFile;
    if (file === undefined)
      throw new LocalError(`The cloud assembly in ${directory} names no template for stack ${id}.`);
    const template = await readJson(join(directory, file), templateSchema);
    stacks.push({ name: artifact.properties?.stackName ?? id, template });
  }
  if (stacks.length === 0) throw new LocalError(`The cloud assembly in ${directory} has no stack to run.`);
  return stacks;
}

async function readJson<Schema extends z.ZodMiniType>(file: string, schema: Schema): Promise<z.infer<Schema>> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const reason = error instanceof z.core.$ZodError ? z.prettifyError(error) : messageOf(error);
    throw new LocalError(`${file} cannot be run locally: ${reason}`, { cause: error });
  }
}
