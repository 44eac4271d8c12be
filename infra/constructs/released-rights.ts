import { readFileSync, writeFileSync } from "node:fs";
import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import * as z from "zod/mini";
import type { Right } from "../../lambdas/dynamodb/table.ts";
import { rightsOn, type Tables } from "../../lambdas/dynamodb/uses.ts";
import type { FunctionDeclaration } from "../functions.ts";

type Statement = Required<Pick<PolicyStatementProps, "actions" | "resources">> &
  Pick<PolicyStatementProps, "conditions">;

/** Returns the policy statements that grant rights on one table. A right to whole items includes the right to their attributes. */
export const tableStatements = (tableArn: string, rights: readonly (Right | ReleasedRight)[]): Statement[] => {
  const whole = new Set(rights.filter((right) => typeof right === "string"));
  const partial = rights
    .filter((right) => typeof right === "object" && "attributes" in right)
    .filter(({ action }) => !whole.has(action));
  const onIndexes = new Map(
    rights
      .filter((right) => typeof right === "object" && "index" in right)
      .map(({ action, index }) => [`${action} ${index}`, { action, index }]),
  );
  return [
    ...(whole.size > 0 ? [{ actions: [...whole].map(iamAction), resources: [tableArn] }] : []),
    ...partial.map(({ action, attributes }) => ({
      actions: [iamAction(action)],
      resources: [tableArn],
      conditions: {
        "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes },
        // Without this condition, a request that names no attributes would get all of them.
        ...(readsMany.has(action) && { StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" } }),
      },
    })),
    ...[...onIndexes.values()].map(({ action, index }) => ({
      actions: [iamAction(action)],
      resources: [`${tableArn}/index/${index}`],
    })),
  ];
};

const readsMany = new Set(["Query", "Scan"]);

const iamAction = (action: string): string => `dynamodb:${action}`;

const file = new URL("released-rights.json", import.meta.url);

const action = z.string();

const functionSchema = z.object({
  /** Rights on the tables of the stores. Some actions may no longer be performed by any operation. */
  stores: z.record(
    z.string(),
    z.array(
      z.union([
        action,
        z.strictObject({ action, attributes: z.array(z.string()) }),
        z.strictObject({ action, index: z.string() }),
      ]),
    ),
  ),
  sendsNotices: z.optional(z.literal(true)),
});

/** The rights that a function had in a release. */
export type ReleasedRights = z.output<typeof functionSchema>;
export type ReleasedRight = ReleasedRights["stores"][string][number];

/** By release, then by function name. */
const releasesSchema = z.record(z.string(), z.record(z.string(), functionSchema));
type Releases = z.output<typeof releasesSchema>;

export const parseReleases = (text: string): Releases => releasesSchema.parse(JSON.parse(text));

const releases = parseReleases(readFileSync(file, "utf8"));

/** Returns the rights that this function had in the releases that a deployment may have been upgraded from. */
export const releasedRightsOf = (functionName: string): ReleasedRights[] =>
  Object.values(releases).flatMap((functions) => functions[functionName] ?? []);

/**
 * Adds the rights of a release's functions. Keeps the rights of the previous release, because the new release is deployed over it.
 */
export const addRelease = (before: Releases, version: string, functions: FunctionDeclaration[], tables: Tables) => {
  const [previous] = Object.entries(before)
    .filter(([other]) => other !== version)
    .slice(-1);
  const rights = Object.fromEntries(functions.map((declared) => [declared.name, rightsIn(declared, tables)]));
  return { ...(previous && { [previous[0]]: previous[1] }), [version]: rights };
};

/** Records the rights of a release's functions in the file that deployments read. */
export const recordRights = (version: string, functions: FunctionDeclaration[], tables: Tables): void =>
  writeFileSync(file, `${JSON.stringify(addRelease(releases, version, functions, tables), undefined, 2)}\n`);

/** Returns the rights without duplicates, because many operations need the same ones. */
const rightsIn = ({ uses, sendsNotices }: FunctionDeclaration, tables: Tables) => ({
  stores: Object.fromEntries(
    Object.entries(tables).flatMap(([store, table]) => {
      const operations = uses[store];
      if (!operations) return [];
      const rights = rightsOn(table, operations).map((right) => [JSON.stringify(right), right] as const);
      return [[store, [...new Map(rights).values()]]];
    }),
  ),
  ...(sendsNotices && { sendsNotices }),
});
