import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import * as z from "zod/mini";

const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      Properties: z._default(z.record(z.string(), z.unknown()), {}),
      Metadata: z._default(z.record(z.string(), z.unknown()), {}),
    }),
  ),
  Outputs: z.record(z.string(), z.unknown()),
});

export type Resource = z.output<typeof templateShape>["Resources"][string];

export interface Template {
  text: string;
  outputs: Record<string, unknown>;
  /** The resources of a type by logical id. */
  ofType(type: string): Record<string, Resource>;
}

/** The synthesised template of the stack. */
export const readTemplate = async (): Promise<Template> => {
  const text = await readFile(join(inject("assemblyDirectory"), "IntegrationApi.template.json"), "utf8");
  const { Resources, Outputs } = templateShape.parse(JSON.parse(text));
  return {
    text,
    outputs: Outputs,
    ofType: (type) => Object.fromEntries(Object.entries(Resources).filter(([, resource]) => resource.Type === type)),
  };
};

/** The id of a resource's construct: `v1-create-key`, `admin`. */
export const constructIdOf = ({ Metadata }: Resource): string =>
  String(Metadata["aws:cdk:path"]).split("/").at(-2) ?? "";

const statementShape = z.object({
  Effect: z.literal("Allow"),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
  Condition: z.optional(z.unknown()),
});

export interface Statement {
  /** The construct id of the function whose role has the statement. */
  functionName: string;
  actions: string[];
  resource: unknown;
  condition: unknown;
}

/** Every statement of every policy, with the function whose role it belongs to. */
export const statementsOf = (template: Template): Statement[] =>
  Object.values(template.ofType("AWS::IAM::Policy")).flatMap((policy) => {
    const { Statement } = z.object({ Statement: z.array(statementShape) }).parse(policy.Properties.PolicyDocument);
    const functionName =
      String(policy.Metadata["aws:cdk:path"])
        .split("/")
        .at(-3)
        ?.replace(/-role$/, "") ?? "";
    return Statement.map(({ Action, Resource, Condition }) => ({
      functionName,
      actions: [Action].flat(),
      resource: Resource,
      condition: Condition,
    }));
  });
