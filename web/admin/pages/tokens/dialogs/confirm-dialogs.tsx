import { Alert, FormField } from "@cloudscape-design/components";
import { useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { FormDialog, useDialogs, useDone } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { TokenMention, tokenName } from "../../../parts/token-name.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { useUsage } from "../../../records/token-queries.ts";
import { isInvited, statusOf } from "../token/token-status.ts";
import { RotationState } from "../usage/rotation-state.tsx";
import { InviteDialog } from "./issue-dialogs.tsx";

interface RevokeDialogProps {
  token: Token;
  /** Whether the client is invited again afterwards. */
  isReplaced?: boolean;
}

/** Revokes a token or an invitation immediately and permanently. */
export const RevokeDialog = ({ token, isReplaced = false }: RevokeDialogProps) => {
  const { open } = useDialogs();
  const done = useDone();
  // The state when the admin decided to revoke: the client may redeem the invitation while the dialog is open.
  const [what] = useState(() => (isInvited(statusOf(token, Date.now())) ? "invitation" : "token"));
  const form = useForm({
    initial: {},
    send: (api) => api("revoke", { token_id: token.token_id }),
    onDone: (ended) => {
      done(noticeOf(what, token, ended));
      if (isReplaced) open(<InviteDialog model={{ token: ended, ip: token.ip }} />);
    },
  });
  return (
    <FormDialog
      title={isReplaced ? `Revoke the ${what} and invite again` : `Revoke the ${what}`}
      submitText={`Revoke ${what}`}
      isDangerous
      failureTitle={`The ${what} was not revoked`}
      form={form}
    >
      {what === "token" ? <TokenLoss token={token} /> : <InvitationLoss token={token} />}
      {isReplaced && <div>Next, you can invite the client again, with the same comment and limits.</div>}
      <Alert type="warning">This cannot be undone. The record stays in the table for 90 days.</Alert>
    </FormDialog>
  );
};

/** Returns a message that accounts for tokens that ended or were replaced after they were shown. */
const noticeOf = (what: string, shown: Token, ended: Token): string => {
  const name = `${what === "token" ? "" : "for "}${tokenName(ended)}`;
  const outcome = ended.state === "revoked" ? "was revoked." : "had already ended.";
  const isReplaced = ended.successor_id !== shown.successor_id;
  return `The ${what} ${name} ${outcome}${isReplaced ? " It has been replaced meanwhile: the new token may still work." : ""}`;
};

const TokenLoss = ({ token }: { token: Token }) => (
  <>
    <div>
      Requests with the token of <TokenMention token={token} /> are rejected from now on. The client at that address can
      no longer call the API until it has another token.
    </div>
    <div>
      Last used: <Moment time={token.last_used_at} otherwise="never" />
      {token.last_used_at !== null && " (accurate to 5 minutes)"}.
    </div>
    {token.successor_id !== null && <div>The new token that replaced it keeps working.</div>}
  </>
);

const InvitationLoss = ({ token }: { token: Token }) => (
  <div>
    The invitation for <TokenMention token={token} /> can no longer be used. If the client has used it in the meantime,
    requests with its token are rejected from now on.
  </div>
);

/** Revokes the old token of a rotation early. The question is based on the usage, which is reloaded. */
export const EndOldDialog = ({ token }: { token: Token }) => {
  const done = useDone();
  const { data: usage } = useUsage(token.token_id);
  const form = useForm({
    initial: {},
    send: (api) => api("revoke", { token_id: token.token_id }),
    onDone: (revoked) => done(`The old token of ${tokenName(revoked)} has ended.`),
  });
  if (!usage?.rotation) return null;
  return (
    <FormDialog
      title="End the old token now"
      submitText="End the old token now"
      isDangerous
      failureTitle="The old token has not ended"
      form={form}
    >
      <RotationState token={token} usage={usage} rotation={usage.rotation} isEnding />
      <div>
        Requests with the old token of <TokenMention token={token} /> are rejected from now on. The new token keeps
        working. This cannot be undone.
      </div>
    </FormDialog>
  );
};

interface LeakDialogProps {
  /** An admin's decision about the warnings for an address. */
  decision: keyof typeof leakTexts;
  token: Token;
  ip: string;
}

/** Asks for confirmation before the service stops warning about an address, or starts again. */
export const LeakDialog = ({ decision, token, ip }: LeakDialogProps) => {
  const { action, notice, consequence, ...texts } = leakTexts[decision];
  const done = useDone();
  const form = useForm({
    initial: {},
    send: (api) => api(action, { token_id: token.token_id, ip }),
    onDone: () => done(notice(ip)),
  });
  return (
    <FormDialog {...texts} form={form}>
      <FormField label="Address" errorText={fieldError(form.failure, "ip")}>
        <Address ip={ip} />
      </FormField>
      <div>{consequence}</div>
    </FormDialog>
  );
};

const leakTexts = {
  dismiss: {
    action: "dismiss_leak",
    title: "Stop warning",
    submitText: "Stop warning",
    failureTitle: "The warning has not stopped",
    notice: (ip: string) => `There will be no more warnings about ${ip}.`,
    consequence:
      "You know this address: there will be no more warnings about it, for this token and those that replace it. Its calls are still rejected.",
  },
  restore: {
    action: "restore_leak",
    title: "Warn again",
    submitText: "Warn again",
    failureTitle: "There are still no warnings about the address",
    notice: (ip: string) => `There will be warnings about ${ip} again.`,
    consequence: "There will be a warning when somebody uses this token from this address.",
  },
} as const;
