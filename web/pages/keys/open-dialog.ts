import type { ReactNode } from "react";
import type { ListedKey } from "../../api/types.ts";

/** The dialog that is open, and the key that it is about. */
export type OpenDialog = { name: "add" } | { name: "replace" | "delete"; keyId: string };

/** A key that was just added, or whose v_code was just replaced. */
export interface ChangedKey {
  key: ListedKey;
  isNew: boolean;
}

export interface KeyDialogProps {
  onClose: () => void;
  /** Called when a key was changed: with a message, and with the key unless it was deleted. */
  onDone: (message: ReactNode, changed?: ChangedKey) => void;
}

export interface KeyListProps {
  changed: ChangedKey | undefined;
  onOpen: (dialog: OpenDialog) => void;
}
