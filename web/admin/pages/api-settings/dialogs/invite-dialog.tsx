import { ExpandableSection, SpaceBetween } from "@cloudscape-design/components";
import { useEffect, useEffectEvent, useState } from "react";
import { defaultInvitationSeconds, invitationSeconds } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { InvitationTerms } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { SelectField } from "../../../parts/select-field.tsx";
import { localTime } from "../../../parts/time.ts";
import { newTerms, termErrors, termsLike, termsOf } from "../../../tokens/terms.ts";
import { BoundAddress } from "../../../tokens/token-name.tsx";
import { useIssue } from "../../../tokens/token-queries.ts";
import type { Model } from "../token/open-dialog.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import { InvitedDialog } from "./invited-dialog.tsx";
import { AddressField, CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

interface InviteDialogProps {
  model: Model | undefined;
  onClose: () => void;
}

/** Invites a client, optionally with the terms of an earlier token. Asks for the terms, then shows the invitation once. */
export const InviteDialog = ({ model, onClose }: InviteDialogProps) => {
  const create = useIssue(
    (api, terms: InvitationTerms) => api("invite", terms),
    (name) => `The client ${name} was invited.`,
  );
  const form = useForm({
    initial: () => ({
      ...(model ? termsLike(model.token, Date.now()) : newTerms),
      ip: model?.ip ?? "",
      valid_seconds: String(defaultInvitationSeconds),
    }),
    check: (typed) => termErrors(typed),
    onSubmit: ({ ip, valid_seconds, ...typed }) => {
      const terms = termsOf(typed, Date.now());
      if (terms) create.run({ ...terms, ip: ip || null, valid_seconds: Number(valid_seconds) });
    },
    failure: create.failure,
  });
  const [isMoreOpen, setMoreOpen] = useState(false);
  const { comment, ip, expires_at, rate_limit, valid_seconds } = form.fields;

  // The second half of a double click on the button that opened this dialog must not create an invitation.
  const lockAtFirst = useEffectEvent(create.reset);
  useEffect(() => {
    if (model) lockAtFirst();
  }, [model]);

  if (create.result) return <InvitedDialog invited={create.result} onClose={onClose} />;
  return (
    <FormDialog
      title={model ? "Invite the client again" : "Invite a client"}
      submitText="Create invitation"
      failureTitle="No invitation was created"
      unknownOutcomeText="An invitation may or may not have been created. If it was, nobody has its text: look for it in the table and revoke it before you try again."
      form={form}
      sending={create}
      onCancel={onClose}
    >
      <div>You get a line for the client's operator to run. The client fetches its token, and nobody else sees it.</div>
      {model && isLive(statusOf(model.token, Date.now())) && (
        <div>
          The earlier token keeps working at <BoundAddress token={model.token} />. Revoke it when the client has the new
          one.
        </div>
      )}
      <CommentField {...comment} />
      <AddressField {...ip} isOptional />
      <ExpiryField {...expires_at} />
      <ExpandableSection
        headerText="More"
        expanded={isMoreOpen || rate_limit.error !== ""}
        onChange={({ detail }) => setMoreOpen(detail.expanded)}
      >
        <SpaceBetween size="l">
          <LimitField {...rate_limit} />
          <SelectField
            {...valid_seconds}
            label="The invitation works for"
            description="The client's operator has to use it within this time."
            constraintText={`Until ${localTime(new Date(Date.now() + Number(valid_seconds.value) * 1000).toISOString())}, or until it is used.`}
            options={validityPresets}
          />
        </SpaceBetween>
      </ExpandableSection>
    </FormDialog>
  );
};

const validityPresets = [
  { seconds: invitationSeconds.min, label: "5 minutes" },
  { seconds: 3_600, label: "1 hour" },
  { seconds: defaultInvitationSeconds, label: "24 hours" },
  { seconds: 259_200, label: "3 days" },
  { seconds: invitationSeconds.max, label: "7 days" },
].map(({ seconds, label }) => ({ value: String(seconds), label }));
