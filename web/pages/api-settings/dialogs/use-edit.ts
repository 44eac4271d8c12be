import { useRef } from "react";
import type { AdminApi } from "../../../api/admin-api.ts";
import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token, Trust } from "../../../api/types.ts";
import { type TokenAction, useTokenAction } from "../../../tokens/token-queries.ts";

interface EditOptions<Fields, Edited> extends Pick<TokenAction<unknown, Edited>, "notice"> {
  /** As the admin saw it. */
  record: Edited;
  /** How to call the value of each field that can be edited. */
  describe: { [Name in keyof Fields]: (fields: Fields) => string };
  load: (api: AdminApi) => Promise<Edited>;
  save: (api: AdminApi, edit: Partial<Fields>) => Promise<Edited>;
  onClose: () => void;
}

/**
 * Sends the fields that differ from the record's, so that an edit does not undo what someone else has changed in the others. If
 * somebody has changed one of the same fields meanwhile, it says so once, in place of sending.
 */
export const useEdit = <Fields, Edited extends Fields & (Token | Trust)>(options: EditOptions<Fields, Edited>) => {
  const { record, describe, load, save, notice, onClose } = options;
  const seen = useRef(record);
  const sending = useTokenAction<Partial<Fields>, Edited>({
    send: async (api, edit) => {
      const current = await load(api);
      const [before, now]: [Fields, Fields] = [seen.current, current];
      const fields: Record<string, string[]> = {};
      for (const name in describe) {
        if (!(name in edit) || now[name] === before[name]) continue;
        fields[name] = [`Somebody has changed this to ${describe[name](now)}. Save again to replace it.`];
      }
      seen.current = current;
      if (Object.keys(fields).length > 0) throw new ApiFailure({ status: 409, fields });
      return save(api, edit);
    },
    notice,
    onClose,
  });
  const submit = (fields: Fields | undefined): void => {
    if (!fields) return;
    const before: Fields = record;
    const edit: Partial<Fields> = {};
    for (const name in describe) if (fields[name] !== before[name]) edit[name] = fields[name];
    if (Object.keys(edit).length === 0) onClose();
    else sending.run(edit);
  };
  return { ...sending, submit };
};
