import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { rightsOf, type StoreName, storeNames } from "../../../lambdas/resources/stores.ts";
import { storesIn } from "../../../lambdas/resources/uses.ts";
import type { FunctionDeclaration } from "../../functions.ts";

const file = new URL("released-rights.json", import.meta.url);

const action = z.string();

const functionSchema = z.object({
  /** On the tables of the stores. The actions may be ones that no operation performs any longer. */
  stores: z.partialRecord(
    z.enum(storeNames),
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

/** What a function of a release may do. */
type ReleasedRights = z.output<typeof functionSchema>;
export type ReleasedRight = NonNullable<ReleasedRights["stores"][StoreName]>[number];

/** By release, and by the name of the function. */
const releases = z
  .record(z.string(), z.record(z.string(), functionSchema))
  .parse(JSON.parse(readFileSync(file, "utf8")));

/** What the function of this name could do in the releases that a deployment may have been upgraded from. */
export const releasedRightsOf = (functionName: string): ReleasedRights[] =>
  Object.values(releases).flatMap((functions) => functions[functionName] ?? []);

/**
 * Records what the functions of a release may do. What those of the release before it could do stays: the release itself is
 * deployed over that one.
 */
export const recordRights = (release: string, functions: FunctionDeclaration[]): void => {
  const before = Object.entries(releases).filter(([version]) => version !== release);
  const rights = Object.fromEntries(functions.map((declared) => [declared.name, rightsIn(declared)]));
  writeFileSync(
    file,
    `${JSON.stringify({ ...Object.fromEntries(before.slice(-1)), [release]: rights }, undefined, 2)}\n`,
  );
};

/** Each right once, because many operations need the same. */
const rightsIn = ({ uses, sendsNotices }: FunctionDeclaration) => ({
  stores: Object.fromEntries(
    storesIn(uses).map((store) => {
      const rights = rightsOf(store, uses[store]).map((right) => [JSON.stringify(right), right] as const);
      return [store, [...new Map(rights).values()]];
    }),
  ),
  ...(sendsNotices && { sendsNotices }),
});
