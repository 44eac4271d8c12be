import * as z from "zod/mini";
import { time } from "../../dynamodb/formats.ts";
import type { Position } from "../../resources/history/recorded-change.ts";
import { encodeCursor } from "../../validation/paging.ts";
import { pageCursor } from "../fields.ts";

const position = z.tuple([z.string().check(z.refine((value) => time.read(value) !== undefined)), z.string()]);

const read = (text: string): Position | undefined => {
  try {
    const [at, id] = z.parse(position, JSON.parse(text));
    return { time: at, id };
  } catch {
    return undefined;
  }
};

/** The cursor of a page of changes: the last change of the page before. */
export const encodePosition = ({ time: at, id }: Position): string => encodeCursor(JSON.stringify([at, id]));

export const historyCursor = pageCursor.check(
  z.refine((text) => text === undefined || read(text) !== undefined, "must be the next_cursor of a page of changes."),
);

/** The position that a valid cursor stands for. */
export const decodePosition = (text: string): Position => read(text) ?? { time: "", id: "" };
