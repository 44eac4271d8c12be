import { Box, ExpandableSection, FormField, RadioGroup, SpaceBetween } from "@cloudscape-design/components";
import { useEffect, useEffectEvent, useState } from "react";
import { defaultInvitationSeconds, invitationSeconds } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { SelectField } from "../../../parts/fields.tsx";
import { useForm } from "../../../parts/form.ts";
import { localTime } from "../../../parts/time.ts";
import { BoundAddress, TokenMention, tokenName } from "../../../parts/token-name.tsx";
import {
  defaultGrace,
  endAfterGrace,
  gracePresets,
  newTerms,
  termErrors,
  termsLike,
  termsOf,
} from "../../../records/terms.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import { InvitedDialog } from "./invited-dialog.tsx";
import { IssuedDialog } from "./shown-once-dialog.tsx";
import { AddressField, ClientField, CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** The browser asks before it leaves the page during the call, because the response contains the only copy of the secret. */
const useSecretBlocker = ({ isRunning }: { isRunning: boolean }) => useBlocker(isRunning);

/** Issues a token for a client that can't use an invitation. Asks for the terms, then shows the token once. */
export const IssueDialog = () => {
  const { notify } = useApp();
  const form = useForm({
    initial: { ...newTerms, client: "", ip: "" },
    check: (typed) => ({ ...termErrors(typed), ip: typed.ip === "" ? "Enter the address of the client." : "" }),
    send: (api, typed) => api("issue", { ...termsOf(typed, Date.now()), client: typed.client || null, ip: typed.ip }),
    onDone: (issued) => notify(`The token ${tokenName(issued)} was issued.`),
  });
  useSecretBlocker(form);
  if (form.result) return <IssuedDialog title="The token was issued" issued={form.result} />;
  return (
    <FormDialog
      title="Issue a token"
      submitText="Issue token"
      failureTitle="No token was issued"
      unknownOutcomeText="A token may or may not have been issued. If it was, nobody has received its value, so find it in the table and revoke it before you try again."
      form={form}
    >
      <div>
        You receive the token and hand it to the client. An invitation is safer, because nobody can read the token on
        the way.
      </div>
      <CommentField {...form.fields.comment} />
      <ClientField {...form.fields.client} />
      <AddressField {...form.fields.ip} isOptional={false} />
      <ExpiryField {...form.fields.expires_at} />
      <LimitField {...form.fields.rate_limit} />
    </FormDialog>
  );
};

/** Replaces a token with a new one. The old token keeps working for a grace period. */
export const RotateDialog = ({ token }: { token: Token }) => {
  const { notify } = useApp();
  const form = useForm({
    initial: { grace: defaultGrace },
    send: (api, { grace }) => api("rotate", { token_id: token.token_id, grace_seconds: Number(grace) }),
    onDone: (issued) => notify(`The token ${tokenName(issued)} was rotated.`),
  });
  useSecretBlocker(form);
  const { value: grace, onChange } = form.fields.grace;

  if (form.result) return <IssuedDialog title="The new token was issued" issued={form.result} />;
  const end = endAfterGrace(Number(grace), token.expires_at, Date.now());
  return (
    <FormDialog
      title="Rotate the token"
      submitText="Rotate token"
      failureTitle="The token was not rotated"
      unknownOutcomeText="The token may or may not have been rotated. If it was, nobody has received the new token's value, so rotate the new token as well."
      form={form}
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
          "Requests with the old token are rejected from now on."
        ) : (
          <>The old token ends {localTime(end)}. Until then, both tokens work.</>
        )}
      </Box>
    </FormDialog>
  );
};

/** The token whose client is invited again, and the address to invite it for. */
interface Model {
  token: Token;
  ip: string | null;
}

/** Invites a client, optionally with the terms of an earlier token. Asks for the terms, then shows the invitation once. */
export const InviteDialog = ({ model }: { model?: Model }) => {
  const { notify } = useApp();
  const form = useForm({
    initial: () => ({
      ...(model ? termsLike(model.token, Date.now()) : newTerms),
      client: model?.token.client ?? "",
      ip: model?.ip ?? "",
      valid_seconds: String(defaultInvitationSeconds),
    }),
    check: (typed) => termErrors(typed),
    send: (api, { client, ip, valid_seconds, ...typed }) =>
      api("invite", {
        ...termsOf(typed, Date.now()),
        client: client || null,
        ip: ip || null,
        valid_seconds: Number(valid_seconds),
      }),
    onDone: (invited) => notify(`The client ${tokenName(invited)} was invited.`),
  });
  useSecretBlocker(form);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const { comment, client, ip, expires_at, rate_limit, valid_seconds } = form.fields;

  // The second half of a double click on the button that opened this dialog must not create an invitation.
  const lockAtFirst = useEffectEvent(form.reset);
  useEffect(() => {
    if (model) lockAtFirst();
  }, [model]);

  if (form.result) return <InvitedDialog invited={form.result} />;
  return (
    <FormDialog
      title={model ? "Invite the client again" : "Invite a client"}
      submitText="Create invitation"
      failureTitle="No invitation was created"
      unknownOutcomeText="An invitation may or may not have been created. If it was, nobody has received its value, so find it in the table and revoke it before you try again."
      form={form}
    >
      <div>
        You get a command for the client's operator to run. The client gets its token, and nobody else sees the token.
      </div>
      {model && isLive(statusOf(model.token, Date.now())) && (
        <div>
          The earlier token keeps working at <BoundAddress token={model.token} />. Revoke it when the client has the new
          one.
        </div>
      )}
      <CommentField {...comment} />
      <ClientField {...client} />
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
  { value: String(invitationSeconds.min), label: "5 minutes" },
  { value: "3600", label: "1 hour" },
  { value: String(defaultInvitationSeconds), label: "24 hours" },
  { value: "259200", label: "3 days" },
  { value: String(invitationSeconds.max), label: "7 days" },
];
