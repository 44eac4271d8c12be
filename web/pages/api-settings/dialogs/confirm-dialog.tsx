import type { ReactNode } from "react";
import type { ApiFailure } from "../../../api/api-failure.ts";
import { FormDialog, type FormTexts } from "../../../parts/dialog.tsx";
import { type TokenAction, useTokenAction } from "../../../tokens/token-queries.ts";

interface ConfirmDialogProps extends FormTexts, TokenAction<void> {
  /** Whether what is done cannot be undone. */
  isDangerous?: boolean;
  onClose: () => void;
  /** Instead of `onClose`, once it is done. */
  onDone?: TokenAction<void>["onClose"];
  children: ReactNode | ((failure: ApiFailure | null) => ReactNode);
}

/** Asks before a token is changed. There is nothing to enter. */
export const ConfirmDialog = ({ send, notice, onClose, onDone = onClose, children, ...form }: ConfirmDialogProps) => {
  const action = useTokenAction({ send, notice, onClose: onDone });
  return (
    <FormDialog {...form} sending={action} onCancel={onClose} onSubmit={action.run}>
      {typeof children === "function" ? children(action.failure) : children}
    </FormDialog>
  );
};
