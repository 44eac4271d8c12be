import { replaceable, shownContents } from "../../../lambdas/domain/keys/key-fields.ts";
import { factsOf } from "../../../lambdas/shared/validation/field-facts.ts";
import type { Shape } from "../parts/schema-fields.tsx";

/** The title of the time at which a key was last replaced, and of that change. */
export const replacedTitle = replaceable === "v_code" ? "v_code replaced" : "Content replaced";

/** The fields of a key besides its key_id and v_code. */
export const shownShape: Shape = shownContents.shape;

/** How these fields are shown. */
export const shownFields = Object.entries(shownShape).map(([name, schema]) => ({ name, kind: factsOf(schema).kind }));
