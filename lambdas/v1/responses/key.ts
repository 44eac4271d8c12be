import * as z from "zod/mini";
import { keyId, vCode } from "../../domain/keys/key-fields.ts";
import { time } from "../../shared/validation/fields.ts";

/** A key as version 1 returns it. */
export const key = z
  .object({
    key_id: keyId,
    v_code: vCode,
    created_at: time("When the key was created."),
    updated_at: time("When its v_code was last replaced."),
  })
  .check(z.meta({ id: "Key", description: "A key: a name and the verification code that is stored under it." }));
