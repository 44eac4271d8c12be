import type { InvitedToken, IssuedToken } from "../../../api/types.ts";
import { useSending } from "../../../parts/use-sending.tsx";
import { useBlocker } from "../../../session/blocker.ts";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import { InviteForm, type NewToken } from "./invite-form.tsx";
import { InvitedDialog, withoutInvitation } from "./invited-dialog.tsx";
import { IssuedDialog, withoutText } from "./issued-dialog.tsx";

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
