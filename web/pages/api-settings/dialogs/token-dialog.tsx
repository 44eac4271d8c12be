import { DecisionDialog } from "../confirmations/decision-dialog.tsx";
import type { OpenDialog } from "../token/open-dialog.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

interface TokenDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
}

export const TokenDialog = ({ open, onClose }: TokenDialogProps) => {
  if (open === undefined) return null;
  if (open.name === "invite") return <InviteDialog onClose={onClose} />;
  if ("request" in open) {
    return <DecisionDialog decision={open.name} token={open.token} request={open.request} onClose={onClose} />;
  }
  if (open.name === "edit") return <EditDialog token={open.token} onClose={onClose} />;
  if (open.name === "rotate") return <RotateDialog token={open.token} onClose={onClose} />;
  return <RevokeDialog token={open.token} onClose={onClose} />;
};
