import type { ReactNode } from "react";
import { visibleText } from "../../parts/visible-characters.ts";
import { AddKeyDialog } from "./add-key-dialog.tsx";
import { DeleteKeyDialog } from "./delete-key-dialog.tsx";
import type { KeyChange, OpenDialog } from "./key-changes.ts";
import { ReplaceKeyDialog } from "./replace-key-dialog.tsx";

interface KeyDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
  /** Called with a message when a key was changed. */
  onDone: (message: ReactNode, change: KeyChange) => void;
}

export const KeyDialog = ({ open, onClose, onDone }: KeyDialogProps) => {
  const props = { onClose, onDone: (change: KeyChange) => onDone(<Message change={change} />, change) };
  if (open === undefined) return null;
  if (open.name === "add") return <AddKeyDialog {...props} />;
  if (open.name === "replace") return <ReplaceKeyDialog shown={open.key} {...props} />;
  return <DeleteKeyDialog shown={open.key} {...props} />;
};

const Message = ({ change }: { change: KeyChange }) => (
  <>
    The {change.name === "replaced" ? "v_code of" : "key"}{" "}
    <bdi>{visibleText(change.name === "deleted" ? change.keyId : change.key.key_id)}</bdi> was {change.name}.
  </>
);
