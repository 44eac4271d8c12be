import { DecisionDialog } from "../confirmations/decision-dialog.tsx";
import type { OpenDialog } from "../token/open-dialog.ts";
import { FinishDialog, LeakDialog, RevokeDialog } from "./confirm-dialogs.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

interface TokenDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
}

export const TokenDialog = ({ open, onClose }: TokenDialogProps) => {
  switch (open?.name) {
    case undefined:
      return null;
    case "invite":
      return <InviteDialog onClose={onClose} />;
    case "edit":
      return <EditDialog token={open.token} onClose={onClose} />;
    case "rotate":
      return <RotateDialog token={open.token} onClose={onClose} />;
    case "revoke":
      return <RevokeDialog token={open.token} onClose={onClose} />;
    case "finish":
      return <FinishDialog token={open.token} onClose={onClose} />;
    case "confirm":
    case "reject":
      return <DecisionDialog decision={open.name} token={open.token} request={open.request} onClose={onClose} />;
    case "dismiss":
    case "restore":
      return <LeakDialog decision={open.name} token={open.token} ip={open.ip} onClose={onClose} />;
  }
};
