import { Alert } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import * as z from "zod/mini";
import { editedContents, keyIdLength, replaceable, shownContents } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ListedKey } from "../../api/types.ts";
import { FormDialog, useDone } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { useForm } from "../../parts/form.ts";
import { type Entered, enteredFrom, problemsOf, SchemaFields, valuesFrom } from "../../parts/schema-fields.tsx";
import { VisibleText } from "../../parts/values.tsx";
import { hiddenCodes, visibleText } from "../../parts/visible-characters.ts";
import { keyPagesKey, removeKey } from "../../records/caches.ts";
import { useUnchangedKey } from "../../records/key-queries.ts";
import { shownShape } from "../../records/key-words.ts";
import { VCodeField, vCodeError } from "./v-code-field.tsx";

const shownFrom = (entered: Entered) => z.parse(shownContents, valuesFrom(shownShape, entered));

/** Stores a new key, and shows its page. */
export const AddKeyDialog = () => {
  const [, navigate] = useLocation();
  const done = useDone();
  const client = useQueryClient();
  const form = useForm({
    initial: { ...enteredFrom(shownShape), key_id: "", v_code: "" },
    check: ({ key_id, v_code, ...others }) => ({
      ...problemsOf(shownShape, others),
      key_id: key_id === "" ? "Enter the key_id." : "",
      v_code: vCodeError(v_code),
    }),
    send: (api, { key_id, v_code, ...others }) => api("create_key", { key_id, v_code, ...shownFrom(others) }),
    onDone: ({ key_id }) => {
      navigate(addresses.key(key_id));
      // The list that the user comes back to may contain the key.
      client.invalidateQueries({ queryKey: keyPagesKey, refetchType: "none" });
      done(messageOf("key", key_id, "added"));
    },
  });
  const codes = hiddenCodes(form.values.key_id);
  return (
    <FormDialog
      title="Add a key"
      submitText="Add key"
      failureTitle="The key was not added"
      unknownOutcomeText="The key may or may not have been added. It is safe to send it again: the same key_id with the same v_code is stored once."
      form={form}
    >
      <TextField
        {...form.fields.key_id}
        label="key_id"
        description={`Identifies the key and cannot be changed later: ${keyIdLength.min} to ${keyIdLength.max} characters.`}
        warningText={codes.length > 0 && `This key_id contains characters that cannot be seen: ${codes.join(", ")}.`}
        placeholder="1234567"
      />
      <VCodeField {...form.fields.v_code} />
      <SchemaFields shape={shownShape} fields={form.fields} />
    </FormDialog>
  );
};

export interface ChangeKeyDialogProps {
  /** The key as it was shown. */
  listedKey: ListedKey;
}

/** Whether an empty field leaves the v_code unchanged. */
const isVCodeOptional = z.safeParse(editedContents.shape.v_code, undefined).success;

/** Replaces the contents of a key. */
export const ReplaceKeyDialog = ({ listedKey }: ChangeKeyDialogProps) => {
  const { key_id } = listedKey;
  const done = useDone();
  const assertUnchanged = useUnchangedKey(listedKey);
  const form = useForm({
    initial: { ...enteredFrom(shownShape, listedKey), v_code: "" },
    check: ({ v_code, ...others }) => ({
      ...problemsOf(shownShape, others),
      v_code: isVCodeOptional && v_code === "" ? "" : vCodeError(v_code),
    }),
    send: (api, { v_code, ...others }) =>
      assertUnchanged(api).then(() =>
        api("replace_key", { key_id, ...(v_code !== "" && { v_code }), ...shownFrom(others) }),
      ),
    onDone: () => done(messageOf(`${replaceable} of`, key_id, "replaced")),
  });
  return (
    <FormDialog
      title={`Replace the ${replaceable}`}
      submitText={`Replace ${replaceable}`}
      failureTitle={`The ${replaceable} was not replaced`}
      form={form}
    >
      <div>
        From their next request, clients get the new {replaceable} of <KeyName keyId={key_id} />. The old one will be
        lost.
      </div>
      <VCodeField {...form.fields.v_code} isOptional={isVCodeOptional} />
      <SchemaFields shape={shownShape} fields={form.fields} />
    </FormDialog>
  );
};

/** Deletes a key permanently. */
export const DeleteKeyDialog = ({ listedKey }: ChangeKeyDialogProps) => {
  const { key_id } = listedKey;
  const done = useDone();
  const client = useQueryClient();
  const assertUnchanged = useUnchangedKey(listedKey);
  const form = useForm({
    initial: {},
    send: (api) => assertUnchanged(api).then(() => api("delete_key", { key_id })),
    onDone: () => {
      done(messageOf("key", key_id, "deleted"));
      removeKey(client, key_id);
    },
  });
  return (
    <FormDialog
      title="Delete the key"
      submitText="Delete key"
      isDangerous
      failureTitle="The key was not deleted"
      unknownOutcomeText="The key may or may not have been deleted. It is safe to delete it again: if it is already gone, you will see an error."
      form={form}
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

const messageOf = (subject: string, keyId: string, change: "added" | "replaced" | "deleted") => (
  <>
    The {subject} <bdi>{visibleText(keyId)}</bdi> was {change}.
  </>
);
