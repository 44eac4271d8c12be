import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { type StoreName, storeNames } from "../../../lambdas/resources/stores.ts";

const action = z.string();

const functionSchema = z.object({
  /** On the tables of the stores. Its actions may be ones that no operation uses any longer. */
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

/** What a function of the last release may do. */
export type ReleasedRights = z.output<typeof functionSchema>;
export type ReleasedRight = NonNullable<ReleasedRights["stores"][StoreName]>[number];

/** By the name of the function. `npm run record-release` writes it. */
export const releasedRightsFile = new URL("released-rights.json", import.meta.url);

const released = z.record(z.string(), functionSchema).parse(JSON.parse(readFileSync(releasedRightsFile, "utf8")));

/** What the function of this name could do in the last release: nothing if there was none. */
export const releasedRightsOf = (functionName: string): ReleasedRights => released[functionName] ?? { stores: {} };
