import { useState } from "react";
import { useSending } from "../../parts/app-context.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import type { ChangeDialogProps } from "./key-changes.ts";
import { KeyName } from "./key-name.tsx";
import { useKeyCache } from "./key-queries.ts";
import { VCodeField, vCodeError } from "./v-code-field.tsx";

/** Replaces the v_code of a key. */
export const ReplaceKeyDialog = ({ keyId, onClose, onDone }: ChangeDialogProps & { keyId: string }) => {
  const { show } = useKeyCache();
  const [vCode, setVCode] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const replace = useSending((api) => api("replace_key", { key_id: keyId, v_code: vCode }), {
    onDone: (key) => {
      show(key);
      onDone({ name: "replaced", key });
    },
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
      sending={replace}
      onCancel={onClose}
      onSubmit={submit}
    >
      <div>
        From their next request, clients get the new v_code of <KeyName keyId={keyId} />. The old one will be lost.
      </div>
      <VCodeField value={vCode} isSubmitted={isSubmitted} failure={replace.failure} onChange={setVCode} />
    </FormDialog>
  );
};
