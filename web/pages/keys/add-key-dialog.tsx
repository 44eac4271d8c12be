import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import { useState } from "react";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import type { KeyDialogProps } from "./key-dialog.tsx";
import { VCodeField, vCodeProblem } from "./v-code-field.tsx";

/** Stores a new key. */
export const AddKeyDialog = ({ onClose, onDone }: KeyDialogProps) => {
  const { api } = useApp();
  const [keyId, setKeyId] = useState("");
  const [vCode, setVCode] = useState("");
  const [isTried, setTried] = useState(false);
  const { isBusy, failure, submit, problemOf } = useSubmit();

  const idProblem = keyId === "" ? "The key_id field is required." : "";
  const add = () => {
    setTried(true);
    if (idProblem || vCodeProblem(vCode)) return;
    submit(async () => {
      await api.addKey(keyId, vCode);
      onDone(`The key ${keyId} was added.`);
    });
  };

  return (
    <FormDialog
      title="Add a key"
      submitText="Add key"
      failureTitle="The key was not added"
      doubt="It is not known whether the key was added. Send it again: the same key_id with the same v_code is stored once."
      {...{ isBusy, failure }}
      onCancel={onClose}
      onSubmit={add}
    >
      <FormField
        label="key_id"
        description="Names the key, once and for all: 1 to 255 characters."
        errorText={problemOf("key_id") || (isTried && idProblem)}
        stretch
      >
        <Input
          value={keyId}
          onChange={({ detail }) => setKeyId(detail.value)}
          placeholder="1234567"
          autoComplete={false}
          spellcheck={false}
        />
      </FormField>
      <VCodeField
        value={vCode}
        problem={problemOf("v_code") || (isTried ? vCodeProblem(vCode) : "")}
        onChange={setVCode}
      />
    </FormDialog>
  );
};
