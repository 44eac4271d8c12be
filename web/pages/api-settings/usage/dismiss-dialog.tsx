import FormField from "@cloudscape-design/components/form-field";
import { useMutation } from "@tanstack/react-query";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { useApp } from "../../../parts/app-context.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { useTokenCache } from "../token/token-queries.ts";

interface DismissDialogProps {
  token: Token;
  ip: string;
  onClose: () => void;
}

/** Asks before the service stops warning about an address. */
export const DismissDialog = ({ token, ip, onClose }: DismissDialogProps) => {
  const { api, notify } = useApp();
  const { update, reloadAfter } = useTokenCache();
  const dismiss = useMutation({
    mutationFn: () => api("dismiss_leak", { token_id: token.token_id, ip }),
    onSuccess: (changed) => {
      update(changed);
      notify(`The warning about ${ip} was dismissed.`);
      onClose();
    },
    onError: reloadAfter,
  });
  return (
    <FormDialog
      title="Dismiss the warning"
      submitText="Dismiss warning"
      failureTitle="The warning was not dismissed"
      unknownOutcomeText="The warning may or may not have been dismissed. It is safe to dismiss it again."
      isPending={dismiss.isPending}
      failure={dismiss.error}
      onCancel={onClose}
      onSubmit={dismiss.mutate}
    >
      <FormField label="Address" errorText={fieldError(dismiss.error, "ip")}>
        <Address ip={ip} />
      </FormField>
      <div>
        You recognise this address: the service will not warn about it again for this token or its successors. Its calls
        are still refused.
      </div>
    </FormDialog>
  );
};
