import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import * as z from "zod/mini";

const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      DeletionPolicy: z.optional(z.string()),
      UpdateReplacePolicy: z.optional(z.string()),
      DependsOn: z._default(z.array(z.string()), []),
      Properties: z._default(z.record(z.string(), z.unknown()), {}),
      Metadata: z._default(z.record(z.string(), z.unknown()), {}),
    }),
  ),
  Outputs: z._default(
    z.record(z.string(), z.looseObject({ Value: z.unknown(), Export: z.optional(z.object({ Name: z.string() })) })),
    {},
  ),
});

export type Resource = z.output<typeof templateShape>["Resources"][string];

export interface Template {
  text: string;
  /** The stacks' outputs for the operator. */
  outputs: Record<string, unknown>;
  /** The resources by logical id. */
  resources: Record<string, Resource>;
  /** The resources of a type by logical id. */
  ofType(type: string): Record<string, Resource>;
  /** The properties of the resources of a type. */
  propertiesOf(type: string): Resource["Properties"][];
  /** The type of every resource by its logical id. */
  types(): Record<string, string>;
  /** The names of the exports for other stacks. */
  exports(): string[];
}

/**
 * The synthesised stacks of an assembly, by default those that all tests share, read as one template: imports from another
 * stack are resolved. `stack` reads only one of them.
 */
export const readTemplate = async (
  assemblyDirectory = inject("assemblyDirectory"),
  stack?: string,
): Promise<Template> => {
  const isWanted = (file: string) => (stack ? file === `${stack}.template.json` : file.endsWith(".template.json"));
  const files = (await readdir(assemblyDirectory)).filter(isWanted);
  const texts = await Promise.all(files.map((file) => readFile(join(assemblyDirectory, file), "utf8")));
  const outputs = texts.flatMap((text) => Object.entries(templateShape.parse(JSON.parse(text)).Outputs));
  const exported = new Map(outputs.flatMap(([, { Value, Export }]) => (Export ? [[Export.Name, Value]] : [])));
  const shared = new Map(outputs.map(([name, { Value }]) => [name, Value]));

  const stacks = texts.map((text) =>
    templateShape.parse(
      JSON.parse(text, (_, value) => {
        const imported: unknown = value?.["Fn::ImportValue"];
        const output: unknown = value?.["Fn::GetStackOutput"]?.OutputName;
        return exported.get(String(imported)) ?? shared.get(String(output)) ?? value;
      }),
    ),
  );
  const resources = stacks.flatMap(({ Resources }) => Object.entries(Resources));
  const ofType = (type: string) => resources.filter(([, resource]) => resource.Type === type);
  return {
    text: texts.join("\n"),
    outputs: Object.fromEntries(outputs.filter(([name, { Export }]) => !Export && !isShared(name))),
    resources: Object.fromEntries(resources),
    ofType: (type) => Object.fromEntries(ofType(type)),
    propertiesOf: (type) => ofType(type).map(([, { Properties }]) => Properties),
    types: () => Object.fromEntries(resources.map(([id, { Type }]) => [id, Type])),
    exports: () => [...exported.keys()],
  };
};

/** Returns whether the CDK has added an output for another stack, rather than the project for operators. */
const isShared = (outputName: string): boolean => outputName.startsWith("PublishOutput");

/** Returns the id of a resource's construct, such as `v1-create-key` or `admin`. */
export const constructIdOf = ({ Metadata }: Resource): string =>
  String(Metadata["aws:cdk:path"]).split("/").at(-2) ?? "";

const oneOrMany = <Schema extends z.ZodMiniType>(one: Schema) =>
  z.pipe(
    z.union([z.array(one), one]),
    z.transform((value) => [value].flat()),
  );

const statementShape = z.object({
  Effect: z.literal("Allow"),
  Action: oneOrMany(z.string()),
  Resource: oneOrMany(z.unknown()),
  Condition: z.optional(z.unknown()),
});

export interface Statement {
  /** The construct id of the function whose role has the statement. */
  functionName: string;
  actions: string[];
  resource: unknown;
  condition: unknown;
}

/** Returns every statement of every policy, by resource, with the function whose role it belongs to. */
export const statementsOf = (template: Template): Statement[] =>
  Object.values(template.ofType("AWS::IAM::Policy")).flatMap((policy) => {
    const { Statement } = z.object({ Statement: z.array(statementShape) }).parse(policy.Properties.PolicyDocument);
    const functionName =
      String(policy.Metadata["aws:cdk:path"])
        .split("/")
        .at(-3)
        ?.replace(/-role$/, "") ?? "";
    return Statement.flatMap(({ Action, Resource, Condition }) =>
      Resource.map((resource) => ({ functionName, actions: Action, resource, condition: Condition })),
    );
  });

/** Returns each function's code file, by the function's name. */
export type BundleFiles = Readonly<Record<string, string>>;

/** Returns an assembly's bundles as they are deployed. */
export const bundlesOf = async (assemblyDirectory = inject("assemblyDirectory")): Promise<BundleFiles> => {
  const functions = Object.values((await readTemplate(assemblyDirectory)).ofType("AWS::Lambda::Function"));
  return Object.fromEntries(
    functions.map((resource) => [
      constructIdOf(resource),
      join(assemblyDirectory, String(resource.Metadata["aws:asset:path"]), "index.js"),
    ]),
  );
};
