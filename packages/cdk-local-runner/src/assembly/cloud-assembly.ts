import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalError, messageOf } from "../support/local-error.ts";
import * as z from "../support/zod.ts";

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

// Strict at the top level, because `Transform`, for example, would change the meaning of the rest of the template.
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

/** A stack of the assembly, with its CloudFormation name and its synthesised template. */
export interface StackTemplate {
  name: string;
  template: Template;
  /** Its nested stacks, by logical id. */
  nested: ReadonlyMap<string, StackTemplate>;
  /** The joined logical ids of its parent stacks, because resources in different stacks can have the same logical id. */
  prefix: string;
}

export const nestedStackType = "AWS::CloudFormation::Stack";

/** Reads all stacks of a cloud assembly, which is the folder that `cdk synth` writes. */
export const readCloudAssembly = async (directory: string): Promise<StackTemplate[]> => {
  const file = join(directory, "manifest.json");
  if (!existsSync(file)) {
    const advice = "In the folder of the CDK app, run npx cdk synth --quiet, which writes cdk.out";
    throw new LocalError(`There is no cloud assembly in ${directory}. ${advice}.`);
  }
  const manifest = await readJson(file, manifestSchema);
  const stacks: StackTemplate[] = [];
  for (const [id, artifact] of Object.entries(manifest.artifacts)) {
    if (artifact.type !== "aws:cloudformation:stack") continue;
    const file = artifact.properties?.templateFile;
    if (file === undefined) throw new LocalError(`The cloud assembly in ${directory} has no template for stack ${id}.`);
    stacks.push(await readStack(directory, { name: artifact.properties?.stackName ?? id, file, prefix: "" }));
  }
  if (stacks.length === 0) {
    const stages = Object.keys(manifest.artifacts).filter((id) => existsSync(join(directory, id, "manifest.json")));
    const advice = stages.map((id) => ` Its stages have: ${join(directory, id)}.`).join("");
    throw new LocalError(`The cloud assembly in ${directory} has no stack to run.${advice}`);
  }
  return stacks;
};

/** Lists what a local run of the assembly leaves out. Whoever synthesises the assembly may write this file into its folder. */
export const ignoreFile = "cdk-local-runner.json";

/** Reads what the assembly itself says should be left out. */
export const readIgnored = async (directory: string): Promise<string[]> => {
  const file = join(directory, ignoreFile);
  return existsSync(file) ? (await readJson(file, z.strictObject({ ignore: z.array(z.string()) }))).ignore : [];
};

/** Reads the template of a stack and of its nested stacks, which the CDK stores as assets. */
const readStack = async (
  directory: string,
  { name, file, prefix }: { name: string; file: string; prefix: string },
): Promise<StackTemplate> => {
  const template = await readJson(join(directory, file), templateSchema);
  const nested = new Map<string, StackTemplate>();
  for (const [logicalId, { Type, Metadata }] of Object.entries(template.Resources)) {
    if (Type !== nestedStackType) continue;
    const asset = Metadata?.["aws:asset:path"];
    if (typeof asset !== "string") {
      throw new LocalError(
        `${logicalId} of stack ${name} cannot run locally: its metadata has no aws:asset:path. Synthesise with aws:cdk:enable-asset-metadata.`,
      );
    }
    const inside = { name: `${name}-${logicalId}`, file: asset, prefix: `${prefix}${logicalId}` };
    nested.set(logicalId, await readStack(directory, inside));
  }
  return { name, template, nested, prefix };
};

const readJson = async <Schema extends z.ZodMiniType>(file: string, schema: Schema): Promise<z.infer<Schema>> => {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const reason = error instanceof z.core.$ZodError ? z.prettifyError(error) : messageOf(error);
    throw new LocalError(`${file} cannot be run locally: ${reason}`, { cause: error });
  }
};
