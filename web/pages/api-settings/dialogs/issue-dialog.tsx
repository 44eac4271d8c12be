import { useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import type { TokenTerms } from "../../../api/types.ts";
import { useSending } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { useBlocker } from "../../../session/blocker.ts";
import { newTerms, termsOf } from "../../../tokens/terms.ts";
import { tokenName } from "../../../tokens/token-name.tsx";
import { useCreation } from "../../../tokens/token-queries.ts";
import { AddressField } from "./address-field.tsx";
import { IssuedDialog, withoutText } from "./shown-once-dialog.tsx";
import { CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** Issues a token for a client that cannot use an invitation: asks for its terms, then shows it once. */
export const IssueDialog = ({ onClose }: { onClose: () => void }) => {
  const create = useSending(
    (api, terms: TokenTerms) => api("issue", terms),
    useCreation(withoutText, (issued) => `The token ${tokenName(issued)} was issued.`),
  );
  const [typed, setTyped] = useState(newTerms);
  const [ip, setIp] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const { failure } = create;
  const fields = { typed, onChange: setTyped, isSubmitted, failure };

  // The response has the only copy of the text.
  useBlocker(create.isRunning);

  if (create.result) return <IssuedDialog title="The token was issued" issued={create.result} onClose={onClose} />;
  const submit = () => {
    setSubmitted(true);
    const terms = termsOf(typed, Date.now());
    if (terms && ip !== "") create.run({ ...terms, ip });
  };
  const missingAddress = isSubmitted && ip === "" ? "Enter the address of the client." : "";
  return (
    <FormDialog
      title="Issue a token"
      submitText="Issue token"
      failureTitle="No token was issued"
      unknownOutcomeText="A token may or may not have been issued. If it was, nobody has its text: look for it in the table and revoke it before you try again."
      entered={{ typed, ip }}
      sending={create}
      onCancel={onClose}
      onSubmit={submit}
    >
      <div>
        You get the token, and bring it to the client. Nobody else must read it on the way: an invitation is safer.
      </div>
      <CommentField {...fields} />
      <AddressField
        value={ip}
        isOptional={false}
        error={missingAddress || fieldError(failure, "ip")}
        onChange={setIp}
      />
      <ExpiryField {...fields} />
      <LimitField {...fields} />
    </FormDialog>
  );
};
