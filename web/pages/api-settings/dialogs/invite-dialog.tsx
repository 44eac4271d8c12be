import { ExpandableSection, SpaceBetween } from "@cloudscape-design/components";
import { useEffect, useEffectEvent, useState } from "react";
import { defaultInvitationSeconds, invitationSeconds } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { fieldError } from "../../../api/api-failure.ts";
import type { InvitationTerms } from "../../../api/types.ts";
import { type Sending, useSending } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { SelectField } from "../../../parts/select-field.tsx";
import { localTime } from "../../../parts/time.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { newTerms, rateLimitError, termsLike, termsOf } from "../../../tokens/terms.ts";
import { BoundAddress, tokenName } from "../../../tokens/token-name.tsx";
import { useCreation } from "../../../tokens/token-queries.ts";
import type { Model } from "../token/open-dialog.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import { AddressField } from "./address-field.tsx";
import { InvitedDialog, withoutInvitation } from "./invited-dialog.tsx";
import { CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

interface InviteDialogProps {
  model: Model | undefined;
  onClose: () => void;
}

/** Invites a client, perhaps with the terms of an earlier token: asks for them, then shows once what only the response contains. */
export const InviteDialog = ({ model, onClose }: InviteDialogProps) => {
  const create = useSending(
    (api, terms: InvitationTerms) => api("invite", terms),
    useCreation(withoutInvitation, (invited) => `The client ${tokenName(invited)} was invited.`),
  );

  // The response has the only copy of the text.
  useBlocker(create.isRunning);
  // The second half of a double click on the button that led here must not create an invitation.
  const lockAtFirst = useEffectEvent(create.reset);
  useEffect(() => {
    if (model) lockAtFirst();
  }, [model]);

  if (create.result) return <InvitedDialog invited={create.result} onClose={onClose} />;
  return <InviteForm model={model} create={create} onCancel={onClose} />;
};

interface InviteFormProps {
  model: Model | undefined;
  create: Sending<InvitationTerms>;
  onCancel: () => void;
}

const InviteForm = ({ model, create, onCancel }: InviteFormProps) => {
  const [typed, setTyped] = useState(() => (model ? termsLike(model.token, Date.now()) : newTerms));
  const [ip, setIp] = useState(model?.ip ?? "");
  const [validity, setValidity] = useState(String(defaultInvitationSeconds));
  const [isSubmitted, setSubmitted] = useState(false);
  const { failure } = create;
  const fields = { typed, onChange: setTyped, isSubmitted, failure };
  const isMoreWrong = (isSubmitted && rateLimitError(typed.limit) !== "") || fieldError(failure, "rate_limit") !== "";
  const [isMoreOpen, setMoreOpen] = useState(false);

  const submit = () => {
    setSubmitted(true);
    const terms = termsOf(typed, Date.now());
    if (terms) create.run({ ...terms, ip: ip || null, valid_seconds: Number(validity) });
  };
  return (
    <FormDialog
      title={model ? "Invite the client again" : "Invite a client"}
      submitText="Create invitation"
      failureTitle="No invitation was created"
      unknownOutcomeText="An invitation may or may not have been created. If it was, nobody has its text: look for it in the table and revoke it before you try again."
      entered={{ typed, ip, validity }}
      sending={create}
      onCancel={onCancel}
      onSubmit={submit}
    >
      <div>You get a line for the client's operator to run. The client fetches its token, and nobody else sees it.</div>
      {model && isLive(statusOf(model.token, Date.now())) && (
        <div>
          The earlier token keeps working at <BoundAddress token={model.token} />. Revoke it when the client has the new
          one.
        </div>
      )}
      <CommentField {...fields} />
      <AddressField value={ip} isOptional error={fieldError(failure, "ip")} onChange={setIp} />
      <ExpiryField {...fields} />
      <ExpandableSection
        headerText="More"
        expanded={isMoreOpen || isMoreWrong}
        onChange={({ detail }) => setMoreOpen(detail.expanded)}
      >
        <SpaceBetween size="l">
          <LimitField {...fields} />
          <SelectField
            label="The invitation works for"
            description="The client's operator has to use it within this time."
            constraintText={`Until ${localTime(new Date(Date.now() + Number(validity) * 1000).toISOString())}, or until it is used.`}
            errorText={fieldError(failure, "valid_seconds")}
            options={validityPresets}
            value={validity}
            onChange={setValidity}
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
