import type { ReactNode } from "react";
import type { ListedKey } from "../../api/types.ts";

/** The dialog that is open, and the key that it is about. */
export type OpenDialog = { name: "add" } | { name: "replace" | "delete"; keyId: string };

/** What was done to a key. */
export type KeyChange = { name: "added" | "replaced"; key: ListedKey } | { name: "deleted"; keyId: string };

export interface KeyDialogProps {
  onClose: () => void;
  /** Called with a message when a key was changed. */
  onDone: (message: ReactNode, change: KeyChange) => void;
}
