import * as z from "zod/mini";
import { sentWholeNumber } from "./fields.ts";

/** Maximum items per page: a whole number from 1 to `max`, which arrives as a string. */
export const limit = ({ max }: { max: number }) =>
  z.optional(
    sentWholeNumber({
      min: 1,
      max,
      description: "How many items the page may have. By default, as many as fit into one response.",
    }),
  );

/** Encodes an opaque cursor for the page that begins after `id`. */
export const encodeCursor = (id: string): string => Buffer.from(id, "utf8").toString("base64url");

/** DynamoDB's limit for a partition key. */
const maxIdBytes = 2048;

/** Returns the id in a cursor; `undefined` if the string is not a canonical cursor. */
export const decodeCursor = (cursor: string): string | undefined => {
  const bytes = Buffer.from(cursor, "base64url");
  const id = bytes.toString("utf8");
  return id !== "" && bytes.length <= maxIdBytes && encodeCursor(id) === cursor ? id : undefined;
};

/**
 * Accepts the opaque cursor of a `next` link, and converts it to the id after which the page begins.
 *
 * @param isPossible whether an item of the list can have this id
 */
export const cursor = (isPossible: (id: string) => boolean) =>
  z.optional(
    z.pipe(
      z.string().check(
        z.refine((value) => {
          const id = decodeCursor(value);
          return id !== undefined && isPossible(id);
        }, "is not one that this service returned. Start again without it."),
        z.meta({ description: "Where the page begins: an opaque value from the `next` link of the previous page." }),
      ),
      z.transform(decodeCursor),
    ),
  );

/** The query of a list whose items have ids that match this schema. */
export const pageQuery = (id: z.ZodMiniType) =>
  z.object({ limit: limit({ max: 1000 }), cursor: cursor((value) => z.safeParse(id, value).success) });
