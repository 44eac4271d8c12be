import { DecisionDialog } from "../confirmations/decision-dialog.tsx";
import type { OpenDialog } from "../token/open-dialog.ts";
import { EditTrustDialog, EndTrustDialog, TrustDialog } from "../trusts/trust-dialogs.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { EndOldDialog } from "./end-old-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { IssueDialog } from "./issue-dialog.tsx";
import { LeakDialog } from "./leak-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

interface TokenDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
}

export const TokenDialog = ({ open, onClose }: TokenDialogProps) => {
  switch (open?.name) {
    case undefined:
      return null;
    case "issue":
      return <IssueDialog onClose={onClose} />;
    case "trust":
      return <TrustDialog onClose={onClose} />;
    case "edit trust":
      return <EditTrustDialog trust={open.trust} onClose={onClose} />;
    case "end trust":
    case "end trust tokens":
      return <EndTrustDialog name={open.name} trust={open.trust} onClose={onClose} />;
    case "invite":
      return <InviteDialog model={open.model} onClose={onClose} />;
    case "edit":
      return <EditDialog token={open.token} onClose={onClose} />;
    case "rotate":
      return <RotateDialog token={open.token} onClose={onClose} />;
    case "revoke":
    case "revoke and invite":
      return <RevokeDialog token={open.token} isReplaced={open.name !== "revoke"} onClose={onClose} />;
    case "end old":
      return <EndOldDialog token={open.token} onClose={onClose} />;
    case "confirm":
    case "reject":
      return <DecisionDialog decision={open.name} token={open.token} request={open.request} onClose={onClose} />;
    case "dismiss":
    case "restore":
      return <LeakDialog decision={open.name} token={open.token} ip={open.ip} onClose={onClose} />;
  }
};
