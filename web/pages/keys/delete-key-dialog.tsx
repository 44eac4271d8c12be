import Alert from "@cloudscape-design/components/alert";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import type { KeyDialogProps } from "./key-dialog.tsx";

/** Deletes a key, for good. */
export const DeleteKeyDialog = ({ keyId, onClose, onDone }: KeyDialogProps & { keyId: string }) => {
  const { api } = useApp();
  const { isBusy, failure, submit } = useSubmit();

  const remove = async () => {
    await api.deleteKey(keyId);
    onDone(`The key ${keyId} was deleted.`);
  };

  return (
    <FormDialog
      title="Delete the key"
      submitText="Delete key"
      failureTitle="The key was not deleted"
      doubt="It is not known whether it was deleted. Delete it again: if it is gone already, that is said."
      {...{ isBusy, failure }}
      onCancel={onClose}
      onSubmit={() => submit(remove)}
    >
      <div>
        <strong className="breakable">{keyId}</strong> is deleted with its v_code. Clients that ask for it are answered
        404 from their next request on.
      </div>
      <Alert type="warning">This cannot be undone: whoever needs the v_code again must have it from elsewhere.</Alert>
    </FormDialog>
  );
};
