import type { TokenTerms } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { newTerms, termErrors, termsOf } from "../../../tokens/terms.ts";
import { useIssue } from "../../../tokens/token-queries.ts";
import { AddressField } from "./address-field.tsx";
import { IssuedDialog } from "./shown-once-dialog.tsx";
import { CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** Issues a token for a client that cannot use an invitation: asks for its terms, then shows it once. */
export const IssueDialog = ({ onClose }: { onClose: () => void }) => {
  const create = useIssue(
    (api, terms: TokenTerms) => api("issue", terms),
    (name) => `The token ${name} was issued.`,
  );
  const form = useForm({
    initial: { ...newTerms, ip: "" },
    check: (typed) => ({ ...termErrors(typed), ip: typed.ip === "" ? "Enter the address of the client." : "" }),
    onSubmit: ({ ip, ...typed }) => {
      const terms = termsOf(typed, Date.now());
      if (terms) create.run({ ...terms, ip });
    },
    failure: create.failure,
  });
  if (create.result) return <IssuedDialog title="The token was issued" issued={create.result} onClose={onClose} />;
  return (
    <FormDialog
      title="Issue a token"
      submitText="Issue token"
      failureTitle="No token was issued"
      unknownOutcomeText="A token may or may not have been issued. If it was, nobody has its text: look for it in the table and revoke it before you try again."
      form={form}
      sending={create}
      onCancel={onClose}
    >
      <div>
        You get the token, and bring it to the client. Nobody else must read it on the way: an invitation is safer.
      </div>
      <CommentField {...form.fields.comment} />
      <AddressField {...form.fields.ip} isOptional={false} />
      <ExpiryField {...form.fields.expires_at} />
      <LimitField {...form.fields.rate_limit} />
    </FormDialog>
  );
};
