import * as z from "zod/mini";
import type { Position } from "../../domain/history/change-entry.ts";
import { changeKinds } from "../../domain/history/change-kinds.ts";
import { keyId } from "../../domain/keys/key-fields.ts";
import { isTokenId } from "../../domain/tokens/token-value.ts";
import { isTime } from "../../shared/validation/fields.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor } from "../admin-fields.ts";

const position = z.tuple([z.string().check(z.refine((value) => isTime(value))), z.string()]);

/** A position's id identifies the token or key, and the kind of change. */
const change = z.union([
  z.tuple([z.string().check(z.refine(isTokenId)), z.null(), z.enum(changeKinds)]),
  z.tuple([z.null(), keyId, z.enum(changeKinds)]),
]);

const read = (text: string): Position | undefined => {
  try {
    const [at, id] = z.parse(position, JSON.parse(text));
    const isCanonical = JSON.stringify(z.parse(change, JSON.parse(id))) === id && JSON.stringify([at, id]) === text;
    return isCanonical ? { time: at, id } : undefined;
  } catch {
    return undefined;
  }
};

/** Encodes the cursor of a page of changes: the position of the last change on the previous page. */
export const encodePosition = ({ time: at, id }: Position): string => encodeCursor(JSON.stringify([at, id]));

export const historyCursor = pageCursor((text) => read(text) !== undefined);

/** Returns the position that a valid cursor encodes. */
export const decodePosition = (text: string): Position => read(text) ?? { time: "", id: "" };
