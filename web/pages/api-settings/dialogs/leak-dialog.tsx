import FormField from "@cloudscape-design/components/form-field";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { Address } from "../../../parts/values.tsx";
import { useTokenAction } from "../../../tokens/token-queries.ts";
import type { LeakDecision } from "../token/open-dialog.ts";

interface LeakDialogProps {
  decision: LeakDecision;
  token: Token;
  ip: string;
  onClose: () => void;
}

/** Asks before the service stops warning about an address, or warns about it again. */
export const LeakDialog = ({ decision, token, ip, onClose }: LeakDialogProps) => {
  const { action, notice, consequence, ...labels } = texts[decision];
  const change = useTokenAction({
    send: (api) => api(action, { token_id: token.token_id, ip }),
    notice: () => notice(ip),
    onClose,
  });
  return (
    <FormDialog {...labels} sending={change} onCancel={onClose} onSubmit={change.run}>
      <FormField label="Address" errorText={fieldError(change.failure, "ip")}>
        <Address ip={ip} />
      </FormField>
      <div>{consequence}</div>
    </FormDialog>
  );
};
const texts = {
  dismiss: {
    action: "dismiss_leak",
    title: "Dismiss the warning",
    submitText: "Dismiss warning",
    failureTitle: "The warning was not dismissed",
    unknownOutcomeText: "The warning may or may not have been dismissed. It is safe to dismiss it again.",
    notice: (ip: string) => `The warning about ${ip} was dismissed.`,
    consequence:
      "You recognise this address: the service will not warn about it again for this token or its successors. Its calls are still refused.",
  },
  restore: {
    action: "restore_leak",
    title: "Warn again",
    submitText: "Warn again",
    failureTitle: "The address is still dismissed",
    unknownOutcomeText: "The warning may or may not have been restored. It is safe to restore it again.",
    notice: (ip: string) => `The service warns about ${ip} again.`,
    consequence: "The service will warn about calls with the secret of this token from this address again.",
  },
} as const;
