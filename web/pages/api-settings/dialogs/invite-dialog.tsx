import { FormField, RadioGroup, Select } from "@cloudscape-design/components";
import { useState } from "react";
import { defaultInvitationSeconds, invitationSeconds } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { fieldError } from "../../../api/api-failure.ts";
import type { InvitationTerms, InvitedToken, IssuedToken, TokenTerms } from "../../../api/types.ts";
import { type Sending, useSending } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { localTime } from "../../../parts/time.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { defaultExpiry, type TypedTerms, termsOf } from "../../../tokens/terms.ts";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import { AddressField } from "./address-field.tsx";
import { InvitedDialog, withoutInvitation } from "./invited-dialog.tsx";
import { IssuedDialog, withoutText } from "./shown-once-dialog.tsx";
import { TermFields } from "./term-fields.tsx";

/** Invites a client, or issues a token: asks for the terms, then shows once what only this response contains. */
export const InviteDialog = ({ onClose }: { onClose: () => void }) => {
  const { update, reloadAfter } = useTokenCache();
  const create = useSending(
    (api, { way, terms }: NewToken): Promise<InvitedToken | IssuedToken> =>
      way === "invite" ? api("invite", terms) : api("issue", terms),
    {
      onDone: (created) => update("invitation_text" in created ? withoutInvitation(created) : withoutText(created)),
      onFailure: reloadAfter,
    },
  );
  const created = create.result;

  // The response has the only copy of the text.
  useBlocker(create.isRunning);

  if (created === undefined) return <InviteForm create={create} onCancel={onClose} />;
  if ("invitation_text" in created) return <InvitedDialog invited={created} onClose={onClose} />;
  return <IssuedDialog title="The token was issued" issued={created} onClose={onClose} />;
};

/** How a client gets its token, and the terms of the token. */
type NewToken = { way: "invite"; terms: InvitationTerms } | { way: "issue"; terms: TokenTerms };

interface InviteFormProps {
  create: Sending<NewToken>;
  onCancel: () => void;
}

const InviteForm = ({ create, onCancel }: InviteFormProps) => {
  const [way, setWay] = useState<NewToken["way"]>("invite");
  const [ip, setIp] = useState("");
  const [typed, setTyped] = useState<TypedTerms>({ comment: "", expiry: defaultExpiry, limit: "" });
  const [validity, setValidity] = useState(String(defaultInvitationSeconds));
  const [isSubmitted, setSubmitted] = useState(false);
  const isInvitation = way === "invite";
  const { failure } = create;

  const submit = () => {
    setSubmitted(true);
    const terms = termsOf(typed, Date.now());
    if (terms === undefined) return;
    if (isInvitation) create.run({ way, terms: { ...terms, ip: ip || null, valid_seconds: Number(validity) } });
    else if (ip !== "") create.run({ way, terms: { ...terms, ip } });
  };
  const missingAddress = isSubmitted && ip === "" && !isInvitation ? "Enter the address of the client." : "";
  return (
    <FormDialog {...texts[way]} sending={create} onCancel={onCancel} onSubmit={submit}>
      <FormField label="How the client gets its token" stretch>
        <RadioGroup
          value={way}
          items={ways}
          onChange={({ detail }) => {
            if (create.isLockedNow()) return;
            if (failure) create.reset();
            setWay(detail.value === "issue" ? "issue" : "invite");
            setSubmitted(false);
          }}
        />
      </FormField>
      <TermFields typed={typed} onChange={setTyped} isSubmitted={isSubmitted} failure={failure}>
        <AddressField
          value={ip}
          isOptional={isInvitation}
          error={missingAddress || fieldError(failure, "ip")}
          onChange={setIp}
        />
      </TermFields>
      {isInvitation && (
        <FormField
          label="The invitation works for"
          description="The client's operator has to use it within this time."
          constraintText={`Until ${localTime(new Date(Date.now() + Number(validity) * 1000).toISOString())}, or until it is used.`}
          errorText={fieldError(failure, "valid_seconds")}
          stretch
        >
          <Select
            ariaLabel="The invitation works for"
            options={validityPresets}
            selectedOption={validityPresets.find(({ value }) => value === validity) ?? null}
            onChange={({ detail }) => setValidity(detail.selectedOption.value ?? validity)}
          />
        </FormField>
      )}
    </FormDialog>
  );
};

const ways: { value: NewToken["way"]; label: string; description: string }[] = [
  {
    value: "invite",
    label: "Invite the client",
    description:
      "You get a line for the client's operator to run. The client fetches its token, and nobody else sees it.",
  },
  {
    value: "issue",
    label: "Show me the token",
    description: "You get the token and must bring it to the client. Nobody else must read it on the way.",
  },
];

const texts = {
  invite: {
    title: "Invite a client",
    submitText: "Create invitation",
    failureTitle: "No invitation was created",
    unknownOutcomeText:
      "An invitation may or may not have been created. If it was, nobody has its text: look for it in the table and revoke it before you try again.",
  },
  issue: {
    title: "Issue a token",
    submitText: "Issue token",
    failureTitle: "No token was issued",
    unknownOutcomeText:
      "A token may or may not have been issued. If it was, nobody has its text: look for it in the table and revoke it before you try again.",
  },
};

const validityPresets = [
  { seconds: invitationSeconds.min, label: "5 minutes" },
  { seconds: 3_600, label: "1 hour" },
  { seconds: defaultInvitationSeconds, label: "24 hours" },
  { seconds: 259_200, label: "3 days" },
  { seconds: invitationSeconds.max, label: "7 days" },
].map(({ seconds, label }) => ({ value: String(seconds), label }));
