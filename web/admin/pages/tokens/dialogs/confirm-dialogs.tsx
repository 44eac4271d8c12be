import { Alert, FormField } from "@cloudscape-design/components";
import { type ReactNode, useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { FormDialog, useDialogs, useDone } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { BoundAddress, TokenMention, tokenName } from "../../../parts/token-name.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { useUsage } from "../../../records/token-queries.ts";
import { isInvited, type RotationProgress, rotationProgress, statusOf } from "../token/token-status.ts";
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
      unknownOutcomeText={`The ${what} may or may not have been revoked. It is safe to revoke it again.`}
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
  const progress = rotationProgress(usage, usage.rotation);
  const client = (
    <>
      client at <BoundAddress token={token} />
    </>
  );
  const used = <Moment time={usage.last_used_at ?? token.last_used_at} />;
  const bases: Record<RotationProgress, ReactNode> = {
    "old-in-use": (
      <>
        The {client} last used the old token {used}, after the rotation. Unless it has switched to the new token since
        then, its calls will be rejected.
      </>
    ),
    "new-unused": (
      <>The new token has not been used. If the {client} does not have it yet, the client's calls will be rejected.</>
    ),
    unknown: (
      <>
        This stage does not log successful calls, so the service can't tell whether the {client} uses the new token. If
        it does not, its calls will be rejected.
      </>
    ),
    changed: (
      <>
        The {client} has switched to the new token: it first used it{" "}
        <Moment time={usage.rotation.successor_first_used_at} />, and it has not used the old token since its rotation.
      </>
    ),
  };
  return (
    <FormDialog
      title="End the old token now"
      submitText="End the old token now"
      isDangerous
      failureTitle="The old token has not ended"
      unknownOutcomeText="The old token may or may not have ended. It is safe to try again."
      form={form}
    >
      <Alert type={progress === "changed" ? "success" : "warning"}>{bases[progress]}</Alert>
      <div>
        Requests with the old token of <TokenMention token={token} /> are rejected from now on. The new token keeps
        working.
      </div>
      <div>
        This cannot be undone. If you do nothing, the old token ends <Moment time={token.expires_at} />.
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
    unknownOutcomeText: "The warning may or may not have stopped. It is safe to stop it again.",
    notice: (ip: string) => `There will be no more warnings about ${ip}.`,
    consequence:
      "You know this address: there will be no more warnings about it, for this token and those that replace it. Its calls are still rejected.",
  },
  restore: {
    action: "restore_leak",
    title: "Warn again",
    submitText: "Warn again",
    failureTitle: "There are still no warnings about the address",
    unknownOutcomeText: "The warning may or may not have been restored. It is safe to restore it again.",
    notice: (ip: string) => `There will be warnings about ${ip} again.`,
    consequence: "There will be a warning when somebody uses this token from this address.",
  },
} as const;
