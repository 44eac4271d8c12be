import { Box, FormField, RadioGroup } from "@cloudscape-design/components";
import type { Token, TokenTerms } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { localTime } from "../../../parts/time.ts";
import { defaultGrace, endAfterGrace, gracePresets, newTerms, termErrors, termsOf } from "../../../tokens/terms.ts";
import { TokenMention } from "../../../tokens/token-name.tsx";
import { useIssue } from "../../../tokens/token-queries.ts";
import { IssuedDialog } from "./shown-once-dialog.tsx";
import { AddressField, CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** Issues a token for a client that can't use an invitation. Asks for the terms, then shows the token once. */
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

/** Replaces a token with a new one. The old token keeps working for a grace period. */
export const RotateDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { token_id } = token;
  const rotate = useIssue(
    (api, grace_seconds: number) => api("rotate", { token_id, grace_seconds }),
    (name) => `The token ${name} was rotated.`,
    token_id,
  );
  const form = useForm({
    initial: { grace_seconds: defaultGrace },
    onSubmit: ({ grace_seconds }) => rotate.run(Number(grace_seconds)),
    failure: rotate.failure,
  });
  const { value: grace, onChange } = form.fields.grace_seconds;

  if (rotate.result) return <IssuedDialog title="The new token was issued" issued={rotate.result} onClose={onClose} />;
  const end = endAfterGrace(Number(grace), token.expires_at, Date.now());
  return (
    <FormDialog
      title="Rotate the token"
      submitText="Rotate token"
      failureTitle="The token was not rotated"
      unknownOutcomeText="The token may or may not have been rotated. If it was, nobody has the text of the new token: rotate that one as well."
      form={form}
      sending={rotate}
      onCancel={onClose}
    >
      <div>
        A new token is issued to replace <TokenMention token={token} />, with the same address, comment and lifetime.
        Give it to the client before the old one ends.
      </div>
      <FormField label="The old token ends">
        <RadioGroup value={grace} items={gracePresets} onChange={({ detail }) => onChange(detail.value)} />
      </FormField>
      <Box color="text-body-secondary">
        {grace === "0" ? (
          "The old token is refused from its next request."
        ) : (
          <>The old token ends {localTime(end)}. Until then, both tokens work.</>
        )}
      </Box>
    </FormDialog>
  );
};
