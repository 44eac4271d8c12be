import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

const versionSchema = z.strictObject({ FunctionName: z.string() });

const aliasSchema = z.strictObject({
  FunctionName: z.string(),
  FunctionVersion: z.string(),
  Name: z.string(),
});

/**
 * Reads the versions and aliases of the functions. The result gives the function's own ARN for the ARN of the function, of a
 * version or of an alias, because a local run has one version of each function. An alias that splits its calls is refused.
 */
export const readAliases = (resources: StackResource[]): ((arn: string) => string) => {
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
    throw new LocalError(`${logicalId} refers to the function ${named}, which no stack of this app defines.`);
  };

  const qualified = new Map<string, string>();
  for (const version of ofType("Version")) {
    const { FunctionName } = readProperties(version, versionSchema);
    qualified.set(version.identity.ref, functionOf(version, FunctionName));
  }
  for (const alias of ofType("Alias")) {
    const { FunctionName } = readProperties(alias, aliasSchema);
    qualified.set(alias.identity.ref, functionOf(alias, FunctionName));
  }
  return (arn) => qualified.get(arn) ?? arn;
};
