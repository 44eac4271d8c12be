import { LocalError } from "../local-error.ts";
import * as z from "../zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

const versionSchema = z.strictObject({ FunctionName: z.string() });

const aliasSchema = z.strictObject({
  FunctionName: z.string(),
  FunctionVersion: z.string(),
  Name: z.string(),
});

const forPeople = { Description: "a text for people" };
const harmless = {
  ...forPeople,
  ProvisionedConcurrencyConfig: "threads are kept once they are started",
};

/**
 * Reads the versions and aliases of the functions. The result gives the ARN of the function behind an ARN, which may be its
 * own, a version's or an alias's: a local run has one version of each function. An alias that splits its calls between two
 * is refused.
 */
export function readAliases(resources: readonly StackResource[]): (arn: string) => string {
  const ofType = (type: string) => resources.filter((resource) => resource.type === `AWS::Lambda::${type}`);
  const functions = new Map(
    ofType("Function").flatMap(({ identity: { ref, attributes } }) => {
      const { Arn = ref } = attributes;
      return [
        [ref, Arn],
        [Arn, Arn],
      ];
    }),
  );
  const functionOf = ({ logicalId }: StackResource, named: string): string => {
    const found = functions.get(named);
    if (found !== undefined) return found;
    throw new LocalError(`${logicalId} stands for the function ${named}, which no stack of this app defines.`);
  };

  const qualified = new Map<string, string>();
  for (const version of ofType("Version")) {
    const { FunctionName } = readProperties(version, versionSchema, harmless);
    qualified.set(version.identity.ref, functionOf(version, FunctionName));
  }
  for (const alias of ofType("Alias")) {
    const { FunctionName } = readProperties(alias, aliasSchema, harmless);
    qualified.set(alias.identity.ref, functionOf(alias, FunctionName));
  }
  return (arn) => qualified.get(arn) ?? arn;
}
