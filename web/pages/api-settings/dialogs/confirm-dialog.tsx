import type { ReactNode } from "react";
import type { ApiFailure } from "../../../api/api-failure.ts";
import type { Token, Trust } from "../../../api/types.ts";
import { FormDialog, type FormTexts } from "../../../parts/dialog.tsx";
import { type TokenAction, useTokenAction } from "../../../tokens/token-queries.ts";

interface ConfirmDialogProps<Changed> extends FormTexts, TokenAction<void, Changed> {
  /** Whether what is done cannot be undone. */
  isDangerous?: boolean;
  onClose: () => void;
  /** Instead of `onClose`, once it is done. */
  onDone?: TokenAction<void, Changed>["onClose"];
  children: ReactNode | ((failure: ApiFailure | null) => ReactNode);
}

/** Asks before a token or a trusted workload is changed. There is nothing to enter. */
export const ConfirmDialog = <Changed extends Token | Trust = Token>(props: ConfirmDialogProps<Changed>) => {
  const { send, notice, onClose, onDone = onClose, children, ...form } = props;
  const action = useTokenAction({ send, notice, onClose: onDone });
  return (
    <FormDialog {...form} sending={action} onCancel={onClose} onSubmit={action.run}>
      {typeof children === "function" ? children(action.failure) : children}
    </FormDialog>
  );
};
