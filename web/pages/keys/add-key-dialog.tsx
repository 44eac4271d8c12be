import { useState } from "react";
import { keyIdLength } from "../../../lambdas/resources/keys/fields.ts";
import { fieldError } from "../../api/api-failure.ts";
import { useSending } from "../../parts/app-context.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { hiddenCodes } from "../../parts/visible-characters.ts";
import type { ChangeDialogProps } from "./key-changes.ts";
import { useKeyCache } from "./key-queries.ts";
import { VCodeField, vCodeError } from "./v-code-field.tsx";

/** Stores a new key. */
export const AddKeyDialog = ({ onClose, onDone }: ChangeDialogProps) => {
  const { show } = useKeyCache();
  const [keyId, setKeyId] = useState("");
  const [vCode, setVCode] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const add = useSending((api) => api("create_key", { key_id: keyId, v_code: vCode }), {
    onDone: (key) => {
      show(key);
      onDone({ name: "added", key });
    },
  });

  const idError = keyId === "" ? "Enter the key_id." : "";
  const codes = hiddenCodes(keyId);
  const submit = () => {
    setSubmitted(true);
    if (!idError && !vCodeError(vCode)) add.run();
  };
  return (
    <FormDialog
      title="Add a key"
      submitText="Add key"
      failureTitle="The key was not added"
      unknownOutcomeText="The key may or may not have been added. It is safe to send it again: the same key_id with the same v_code is stored once."
      entered={{ keyId, vCode }}
      sending={add}
      onCancel={onClose}
      onSubmit={submit}
    >
      <TextField
        label="key_id"
        description={`Identifies the key and cannot be changed later: ${keyIdLength.min} to ${keyIdLength.max} characters.`}
        warningText={codes.length > 0 && `This key_id contains characters that cannot be seen: ${codes.join(", ")}.`}
        placeholder="1234567"
        value={keyId}
        error={(isSubmitted && idError) || fieldError(add.failure, "key_id")}
        onChange={setKeyId}
      />
      <VCodeField value={vCode} isSubmitted={isSubmitted} failure={add.failure} onChange={setVCode} />
    </FormDialog>
  );
};
