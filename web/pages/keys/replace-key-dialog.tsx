import { useState } from "react";
import type { AdminApi } from "../../api/admin-api.ts";
import type { ListedKey } from "../../api/types.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import type { ChangeDialogProps } from "./key-changes.ts";
import { KeyName } from "./key-name.tsx";
import { useKeyCache, useKeyChange } from "./key-queries.ts";
import { VCodeField, vCodeError } from "./v-code-field.tsx";

/** Replaces the v_code of a key. */
export const ReplaceKeyDialog = ({ shown, onClose, onDone }: ChangeDialogProps & { shown: ListedKey }) => {
  const { show } = useKeyCache();
  const [vCode, setVCode] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const { key_id } = shown;
  const send = (api: AdminApi) => api("replace_key", { key_id, v_code: vCode });
  const replace = useKeyChange(shown, send, (key) => {
    show(key);
    onDone({ name: "replaced", key });
  });

  const submit = () => {
    setSubmitted(true);
    if (!vCodeError(vCode)) replace.run();
  };

  return (
    <FormDialog
      title="Replace the v_code"
      submitText="Replace v_code"
      failureTitle="The v_code was not replaced"
      unknownOutcomeText="The v_code may or may not have been replaced. It is safe to send it again."
      entered={vCode}
      sending={replace}
      onCancel={onClose}
      onSubmit={submit}
    >
      <div>
        From their next request, clients get the new v_code of <KeyName keyId={key_id} />. The old one will be lost.
      </div>
      <VCodeField value={vCode} isSubmitted={isSubmitted} failure={replace.failure} onChange={setVCode} />
    </FormDialog>
  );
};
