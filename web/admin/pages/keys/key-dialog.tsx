import { Alert } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { keyIdLength } from "../../../../lambdas/domain/keys/key-fields.ts";
import type { ListedKey } from "../../api/types.ts";
import { useSending } from "../../parts/app-context.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import { useForm } from "../../parts/form.ts";
import { TextField } from "../../parts/text-field.tsx";
import { VisibleText } from "../../parts/values.tsx";
import { hiddenCodes, visibleText } from "../../parts/visible-characters.ts";
import type { KeyChange, OpenDialog } from "./key-changes.ts";
import { useKeyCache, useKeyChange } from "./key-queries.ts";
import { VCodeField, vCodeError } from "./v-code-field.tsx";

interface KeyDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
  /** Called with a message after a key was changed. */
  onDone: (message: ReactNode, change: KeyChange) => void;
}

export const KeyDialog = ({ open, onClose, onDone }: KeyDialogProps) => {
  const props = { onClose, onDone: (change: KeyChange) => onDone(<Message change={change} />, change) };
  if (open === undefined) return null;
  if (open.name === "add") return <AddKeyDialog {...props} />;
  if (open.name === "replace") return <ReplaceKeyDialog shown={open.key} {...props} />;
  return <DeleteKeyDialog shown={open.key} {...props} />;
};

const Message = ({ change }: { change: KeyChange }) => (
  <>
    The {change.name === "replaced" ? "v_code of" : "key"}{" "}
    <bdi>{visibleText(change.name === "deleted" ? change.keyId : change.key.key_id)}</bdi> was {change.name}.
  </>
);

interface ChangeDialogProps {
  onClose: () => void;
  /** Called after a key was changed. */
  onDone: (change: KeyChange) => void;
}

/** Stores a new key. */
const AddKeyDialog = ({ onClose, onDone }: ChangeDialogProps) => {
  const { show } = useKeyCache();
  const add = useSending((api, key: { key_id: string; v_code: string }) => api("create_key", key), {
    onDone: (key) => {
      show(key);
      onDone({ name: "added", key });
    },
  });
  const form = useForm({
    initial: { key_id: "", v_code: "" },
    check: ({ key_id, v_code }) => ({ key_id: key_id === "" ? "Enter the key_id." : "", v_code: vCodeError(v_code) }),
    onSubmit: add.run,
    failure: add.failure,
  });
  const codes = hiddenCodes(form.values.key_id);
  return (
    <FormDialog
      title="Add a key"
      submitText="Add key"
      failureTitle="The key was not added"
      unknownOutcomeText="The key may or may not have been added. It is safe to send it again: the same key_id with the same v_code is stored once."
      form={form}
      sending={add}
      onCancel={onClose}
    >
      <TextField
        {...form.fields.key_id}
        label="key_id"
        description={`Identifies the key and cannot be changed later: ${keyIdLength.min} to ${keyIdLength.max} characters.`}
        warningText={codes.length > 0 && `This key_id contains characters that cannot be seen: ${codes.join(", ")}.`}
        placeholder="1234567"
      />
      <VCodeField {...form.fields.v_code} />
    </FormDialog>
  );
};

type ShownKeyProps = ChangeDialogProps & { shown: ListedKey };

/** Replaces the v_code of a key. */
const ReplaceKeyDialog = ({ shown, onClose, onDone }: ShownKeyProps) => {
  const { show } = useKeyCache();
  const { key_id } = shown;
  const replace = useKeyChange(
    shown,
    (api, v_code: string) => api("replace_key", { key_id, v_code }),
    (key) => {
      show(key);
      onDone({ name: "replaced", key });
    },
  );
  const form = useForm({
    initial: { v_code: "" },
    check: ({ v_code }) => ({ v_code: vCodeError(v_code) }),
    onSubmit: ({ v_code }) => replace.run(v_code),
    failure: replace.failure,
  });
  return (
    <FormDialog
      title="Replace the v_code"
      submitText="Replace v_code"
      failureTitle="The v_code was not replaced"
      unknownOutcomeText="The v_code may or may not have been replaced. It is safe to send it again."
      form={form}
      sending={replace}
      onCancel={onClose}
    >
      <div>
        From their next request, clients get the new v_code of <KeyName keyId={key_id} />. The old one will be lost.
      </div>
      <VCodeField {...form.fields.v_code} />
    </FormDialog>
  );
};

/** Deletes a key permanently. */
const DeleteKeyDialog = ({ shown, onClose, onDone }: ShownKeyProps) => {
  const cache = useKeyCache();
  const { key_id } = shown;
  const remove = useKeyChange(
    shown,
    (api) => api("delete_key", { key_id }),
    () => {
      onDone({ name: "deleted", keyId: key_id });
      cache.remove(key_id);
    },
  );
  return (
    <FormDialog
      title="Delete the key"
      submitText="Delete key"
      isDangerous
      failureTitle="The key was not deleted"
      unknownOutcomeText="The key may or may not have been deleted. It is safe to delete it again: if it is already gone, you will see an error."
      form={{ submit: remove.run }}
      sending={remove}
      onCancel={onClose}
    >
      <div>
        <KeyName keyId={key_id} /> will be deleted together with its v_code. From then on, clients that ask for it are
        told that it does not exist.
      </div>
      <Alert type="warning">This cannot be undone. Keep a copy of the v_code elsewhere if anyone still needs it.</Alert>
    </FormDialog>
  );
};

/** Shows a key's name in a sentence. */
const KeyName = ({ keyId }: { keyId: string }) => (
  <strong className="breakable">
    <VisibleText text={keyId} />
  </strong>
);
