import { AddKeyDialog } from "./add-key-dialog.tsx";
import { DeleteKeyDialog } from "./delete-key-dialog.tsx";
import { ReplaceKeyDialog } from "./replace-key-dialog.tsx";

/** What is being done, and with which key. */
export type OpenDialog = { name: "add" } | { name: "replace" | "delete"; keyId: string };

export interface KeyDialogProps {
  onClose: () => void;
  /** Called when it was done, to show and to say so. */
  onDone: (what: string) => void;
}

export const KeyDialog = ({ open, ...props }: KeyDialogProps & { open: OpenDialog | undefined }) => {
  if (open === undefined) return null;
  if (open.name === "add") return <AddKeyDialog {...props} />;
  if (open.name === "replace") return <ReplaceKeyDialog keyId={open.keyId} {...props} />;
  return <DeleteKeyDialog keyId={open.keyId} {...props} />;
};
