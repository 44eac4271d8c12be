import { AddKeyDialog } from "./add-key-dialog.tsx";
import { DeleteKeyDialog } from "./delete-key-dialog.tsx";
import type { KeyDialogProps, OpenDialog } from "./key-changes.ts";
import { ReplaceKeyDialog } from "./replace-key-dialog.tsx";

export const KeyDialog = ({ open, ...props }: KeyDialogProps & { open: OpenDialog | undefined }) => {
  if (open === undefined) return null;
  if (open.name === "add") return <AddKeyDialog {...props} />;
  if (open.name === "replace") return <ReplaceKeyDialog keyId={open.keyId} {...props} />;
  return <DeleteKeyDialog keyId={open.keyId} {...props} />;
};
