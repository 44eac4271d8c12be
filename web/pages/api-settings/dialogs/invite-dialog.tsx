import { useMutation } from "@tanstack/react-query";
import type { InvitationTerms, TokenTerms } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { useTokenCache } from "../token/token-queries.ts";
import { InviteForm } from "./invite-form.tsx";
import { InvitedDialog, withoutInvitation } from "./invited-dialog.tsx";
import { IssuedDialog, withoutText } from "./issued-dialog.tsx";

/** Invites a client, or issues a token: asks for the terms, then shows once what only this answer contains. */
export const InviteDialog = ({ onClose }: { onClose: () => void }) => {
  const { api } = useApp();
  const { update, reloadAfter } = useTokenCache();
  const invite = useMutation({
    mutationFn: (terms: InvitationTerms) => api("invite", terms),
    onSuccess: (invited) => {
      update(withoutInvitation(invited));
    },
    onError: reloadAfter,
  });
  const issue = useMutation({
    mutationFn: (terms: TokenTerms) => api("issue", terms),
    onSuccess: (issued) => {
      update(withoutText(issued));
    },
    onError: reloadAfter,
  });

  // The answer has the only copy of the text.
  useBlocker(invite.isPending || issue.isPending);

  if (invite.data) return <InvitedDialog invited={invite.data} onClose={onClose} />;
  if (issue.data) return <IssuedDialog title="The token was issued" issued={issue.data} onClose={onClose} />;
  return <InviteForm invite={invite} issue={issue} onCancel={onClose} />;
};
