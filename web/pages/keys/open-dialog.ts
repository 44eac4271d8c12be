/** The dialog that is open, and the key that it is about. */
export type OpenDialog = { name: "add" } | { name: "replace" | "delete"; keyId: string };

export interface KeyDialogProps {
  onClose: () => void;
  /** Called with a message when the key was changed. */
  onDone: (message: string) => void;
}
