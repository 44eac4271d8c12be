import { Alert } from "@cloudscape-design/components";
import type { AdminApi } from "../../api/admin-api.ts";
import type { ListedKey } from "../../api/types.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import type { ChangeDialogProps } from "./key-changes.ts";
import { KeyName } from "./key-name.tsx";
import { useKeyCache, useKeyChange } from "./key-queries.ts";

/** Deletes a key for good. */
export const DeleteKeyDialog = ({ shown, onClose, onDone }: ChangeDialogProps & { shown: ListedKey }) => {
  const cache = useKeyCache();
  const { key_id } = shown;
  const send = (api: AdminApi) => api("delete_key", { key_id });
  const remove = useKeyChange(shown, send, () => {
    onDone({ name: "deleted", keyId: key_id });
    cache.remove(key_id);
  });

  return (
    <FormDialog
      title="Delete the key"
      submitText="Delete key"
      isDangerous
      failureTitle="The key was not deleted"
      unknownOutcomeText="The key may or may not have been deleted. It is safe to delete it again: if it is already gone, you will see an error."
      sending={remove}
      onCancel={onClose}
      onSubmit={remove.run}
    >
      <div>
        <KeyName keyId={key_id} /> will be deleted together with its v_code. From then on, clients that ask for it are
        told that it does not exist.
      </div>
      <Alert type="warning">This cannot be undone. Keep a copy of the v_code elsewhere if anyone still needs it.</Alert>
    </FormDialog>
  );
};
