import FormField from "@cloudscape-design/components/form-field";
import RadioGroup from "@cloudscape-design/components/radio-group";
import { useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import type { InvitationTerms, InvitedToken, IssuedToken, TokenTerms } from "../../../api/types.ts";
import { type Sending, useSending } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { useBlocker } from "../../../session/blocker.ts";
import { defaultExpiry, expiresAt, expiryError, parseRateLimit } from "../../../tokens/terms.ts";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import { AddressField } from "./address-field.tsx";
import { InvitedDialog, withoutInvitation } from "./invited-dialog.tsx";
import { IssuedDialog, withoutText } from "./issued-dialog.tsx";
import {
  CommentField,
  commentError,
  defaultValidity,
  ExpiryField,
  RateLimitField,
  rateLimitError,
  ValidityField,
} from "./term-fields.tsx";

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

type Way = NewToken["way"];

interface InviteFormProps {
  create: Sending<NewToken>;
  onCancel: () => void;
}

/** How a client gets its token, and the terms of the token. */
const InviteForm = ({ create, onCancel }: InviteFormProps) => {
  const [way, setWay] = useState<Way>("invite");
  const [ip, setIp] = useState("");
  const [comment, setComment] = useState("");
  const [expiry, setExpiry] = useState(defaultExpiry);
  const [limit, setLimit] = useState("");
  const [validity, setValidity] = useState(defaultValidity);
  const [isSubmitted, setSubmitted] = useState(false);
  const isInvitation = way === "invite";

  const end = expiresAt(expiry, Date.now());
  const submit = () => {
    setSubmitted(true);
    const rateLimit = parseRateLimit(limit);
    if (commentError(comment) !== "" || end === undefined || rateLimit === undefined) return;
    const terms = { comment, expires_at: end, rate_limit: rateLimit };
    if (isInvitation) {
      create.run({ way, terms: { ...terms, ip: ip || null, valid_seconds: Number(validity) } });
    } else if (ip !== "") create.run({ way, terms: { ...terms, ip } });
  };
  const errorAt = (field: keyof InvitationTerms, ownError: string) =>
    (isSubmitted ? ownError : "") || fieldError(create.failure, field);

  return (
    <FormDialog {...texts[way]} sending={create} onCancel={onCancel} onSubmit={submit}>
      <FormField label="How the client gets its token" stretch>
        <RadioGroup
          value={way}
          items={ways}
          onChange={({ detail }) => {
            if (create.isLockedNow()) return;
            if (create.failure) create.reset();
            setWay(detail.value === "issue" ? "issue" : "invite");
            setSubmitted(false);
          }}
        />
      </FormField>
      <CommentField value={comment} error={errorAt("comment", commentError(comment))} onChange={setComment} />
      <AddressField
        value={ip}
        isOptional={isInvitation}
        error={errorAt("ip", ip === "" && !isInvitation ? "Enter the address of the client." : "")}
        onChange={setIp}
      />
      <ExpiryField value={expiry} error={errorAt("expires_at", expiryError(end))} onChange={setExpiry} />
      <RateLimitField value={limit} error={errorAt("rate_limit", rateLimitError(limit))} onChange={setLimit} />
      {isInvitation && <ValidityField value={validity} error={errorAt("valid_seconds", "")} onChange={setValidity} />}
    </FormDialog>
  );
};

const ways: { value: Way; label: string; description: string }[] = [
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
