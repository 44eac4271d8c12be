import * as z from "zod/mini";
import { parseJson } from "../parse-json.ts";
import { textThat } from "./fields.ts";

/** A string that is JSON of another schema, whose values `description` names. */
export const jsonText = (schema: z.core.$ZodType, description: string) =>
  textThat((text) => z.safeParse(schema, parseJson(text)).success, `must be ${description} as JSON.`);
