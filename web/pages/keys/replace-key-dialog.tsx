import { useState } from "react";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import type { KeyDialogProps } from "./key-dialog.tsx";
import { VCodeField, vCodeProblem } from "./v-code-field.tsx";

/** Gives a key another v_code. */
export const ReplaceKeyDialog = ({ keyId, onClose, onDone }: KeyDialogProps & { keyId: string }) => {
  const { api } = useApp();
  const [vCode, setVCode] = useState("");
  const [isTried, setTried] = useState(false);
  const { isBusy, failure, submit, problemOf } = useSubmit();

  const replace = () => {
    setTried(true);
    if (vCodeProblem(vCode)) return;
    submit(async () => {
      await api.replaceKey(keyId, vCode);
      onDone(`The v_code of ${keyId} was replaced.`);
    });
  };

  return (
    <FormDialog
      title="Replace the v_code"
      submitText="Replace v_code"
      failureTitle="The v_code was not replaced"
      doubt="It is not known whether it was replaced. Send it again: that does no harm."
      {...{ isBusy, failure }}
      onCancel={onClose}
      onSubmit={replace}
    >
      <div>
        Clients read the new v_code of <strong className="breakable">{keyId}</strong> from their next request on. The
        old one is lost.
      </div>
      <VCodeField
        value={vCode}
        problem={problemOf("v_code") || (isTried ? vCodeProblem(vCode) : "")}
        onChange={setVCode}
      />
    </FormDialog>
  );
};
