import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { rightsOn, type Tables } from "../../lambdas/dynamodb/uses.ts";
import type { FunctionDeclaration } from "../functions.ts";

const file = new URL("released-rights.json", import.meta.url);

const action = z.string();

const functionSchema = z.object({
  /** Rights on the tables of the stores. May include actions that no operation performs any more. */
  stores: z.record(
    z.string(),
    z.array(
      z.union([
        action,
        z.strictObject({ action, attributes: z.array(z.string()) }),
        z.strictObject({ action, index: z.string(), attributes: z.exactOptional(z.array(z.string())) }),
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
