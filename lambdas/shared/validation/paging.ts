import * as z from "zod/mini";
import { sentWholeNumber } from "./fields.ts";

/** Maximum items per page: a whole number from 1 to `max`, which arrives as a string. */
export const limit = ({ max, byDefault = "as many as fit into one response" }: { max: number; byDefault?: string }) =>
  z.optional(
    sentWholeNumber({ min: 1, max, description: `How many items the page may have. By default, ${byDefault}.` }),
  );

/** The problem of a cursor that does not belong to the list. */
export const foreignCursor = "is not one that this service returned. Start again without it.";

/** Encodes an opaque cursor for the page that begins after a position, such as an id. */
export const encodeCursor = (position: string): string => Buffer.from(position, "utf8").toString("base64url");

/** More than the keys of a table and of an index can have together. */
const maxPositionBytes = 8192;

/** Returns the position in a cursor; `undefined` if the string is not a canonical cursor. */
export const decodeCursor = (cursor: string): string | undefined => {
  const bytes = Buffer.from(cursor, "base64url");
  const position = bytes.toString("utf8");
  const isCanonical = position !== "" && encodeCursor(position) === cursor;
  return isCanonical && bytes.length <= maxPositionBytes ? position : undefined;
};

/**
 * Accepts the opaque cursor of a `next` link, and converts it to the position after which the page begins.
 *
 * @param isPossible whether an item of the list can have this position
 */
export const cursor = (isPossible: (position: string) => boolean) =>
  z.optional(
    z.pipe(
      z.string().check(
        z.refine((value) => {
          const position = decodeCursor(value);
          return position !== undefined && isPossible(position);
        }, foreignCursor),
        z.meta({ description: "Where the page begins: an opaque value from the `next` link of the previous page." }),
      ),
      z.transform(decodeCursor),
    ),
  );
