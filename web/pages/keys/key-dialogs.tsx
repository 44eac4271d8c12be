import { Alert } from "@cloudscape-design/components";
import { type ReactNode, useState } from "react";
import { keyIdLength } from "../../../lambdas/resources/keys/fields.ts";
import { fieldError } from "../../api/api-failure.ts";
import { useSending } from "../../parts/app-context.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { VisibleText } from "../../parts/values.tsx";
import { hiddenCodes, visibleText } from "../../parts/visible-characters.ts";
import type { KeyChange, OpenDialog } from "./key-changes.ts";
import { useKeyCache } from "./key-queries.ts";
import { VCodeField, vCodeError } from "./v-code-field.tsx";

interface KeyDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
  /** Called with a message when a key was changed. */
  onDone: (message: ReactNode, change: KeyChange) => void;
}

export const KeyDialog = ({ open, onClose, onDone }: KeyDialogProps) => {
  const props = { onClose, onDone: (change: KeyChange) => onDone(<Message change={change} />, change) };
  if (open === undefined) return null;
  if (open.name === "delete") return <DeleteKeyDialog keyId={open.keyId} {...props} />;
  return <StoreKeyDialog replacedId={open.name === "replace" ? open.keyId : undefined} {...props} />;
};

const Message = ({ change }: { change: KeyChange }) => (
  <>
    The {change.name === "replaced" ? "v_code of" : "key"}{" "}
    <bdi>{visibleText(change.name === "deleted" ? change.keyId : change.key.key_id)}</bdi> was {change.name}.
  </>
);

const KeyName = ({ keyId }: { keyId: string }) => (
  <strong className="breakable">
    <VisibleText text={keyId} />
  </strong>
);

interface ChangeDialogProps {
  onClose: () => void;
  onDone: (change: KeyChange) => void;
}

/** Stores a new key, or replaces the v_code of one. */
const StoreKeyDialog = ({ replacedId, onClose, onDone }: ChangeDialogProps & { replacedId: string | undefined }) => {
  const { show } = useKeyCache();
  const [keyId, setKeyId] = useState(replacedId ?? "");
  const [vCode, setVCode] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const isNew = replacedId === undefined;
  const store = useSending((api) => api(isNew ? "create_key" : "replace_key", { key_id: keyId, v_code: vCode }), {
    onDone: (key) => {
      show(key);
      onDone({ name: isNew ? "added" : "replaced", key });
    },
  });
  const { failure } = store;

  const idError = keyId === "" ? "Enter the key_id." : "";
  const codes = hiddenCodes(keyId);
  const submit = () => {
    setSubmitted(true);
    if (!idError && !vCodeError(vCode)) store.run();
  };
  return (
    <FormDialog {...texts[isNew ? "add" : "replace"]} sending={store} onCancel={onClose} onSubmit={submit}>
      {isNew ? (
        <TextField
          label="key_id"
          description={`Identifies the key and cannot be changed later: ${keyIdLength.min} to ${keyIdLength.max} characters.`}
          warningText={codes.length > 0 && `This key_id contains characters that cannot be seen: ${codes.join(", ")}.`}
          placeholder="1234567"
          value={keyId}
          error={(isSubmitted && idError) || fieldError(failure, "key_id")}
          onChange={setKeyId}
        />
      ) : (
        <div>
          From their next request, clients get the new v_code of <KeyName keyId={keyId} />. The old one will be lost.
        </div>
      )}
      <VCodeField value={vCode} isSubmitted={isSubmitted} failure={failure} onChange={setVCode} />
    </FormDialog>
  );
};

/** Deletes a key for good. */
const DeleteKeyDialog = ({ keyId, onClose, onDone }: ChangeDialogProps & { keyId: string }) => {
  const cache = useKeyCache();
  const remove = useSending((api) => api("delete_key", { key_id: keyId }), {
    onDone: () => {
      onDone({ name: "deleted", keyId });
      cache.remove(keyId);
    },
  });
  return (
    <FormDialog {...texts.delete} sending={remove} onCancel={onClose} onSubmit={remove.run}>
      <div>
        <KeyName keyId={keyId} /> will be deleted together with its v_code. From then on, clients that ask for it get a
        404 response.
      </div>
      <Alert type="warning">This cannot be undone. Keep a copy of the v_code elsewhere if anyone still needs it.</Alert>
    </FormDialog>
  );
};

const texts = {
  add: {
    title: "Add a key",
    submitText: "Add key",
    failureTitle: "The key was not added",
    unknownOutcomeText:
      "The key may or may not have been added. It is safe to send it again: the same key_id with the same v_code is stored once.",
  },
  replace: {
    title: "Replace the v_code",
    submitText: "Replace v_code",
    failureTitle: "The v_code was not replaced",
    unknownOutcomeText: "The v_code may or may not have been replaced. It is safe to send it again.",
  },
  delete: {
    title: "Delete the key",
    submitText: "Delete key",
    failureTitle: "The key was not deleted",
    unknownOutcomeText:
      "The key may or may not have been deleted. It is safe to delete it again: if it is already gone, you will see an error.",
  },
};
