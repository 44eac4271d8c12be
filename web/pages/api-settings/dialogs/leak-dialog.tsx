import { FormField, SpaceBetween } from "@cloudscape-design/components";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/values.tsx";
import type { LeakDecision } from "../token/open-dialog.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface LeakDialogProps {
  decision: LeakDecision;
  token: Token;
  ip: string;
  onClose: () => void;
}

/** Asks before the service stops warning about an address, or warns about it again. */
export const LeakDialog = ({ decision, token, ip, onClose }: LeakDialogProps) => {
  const { action, notice, consequence, ...form } = leakTexts[decision];
  return (
    <ConfirmDialog
      {...form}
      send={(api) => api(action, { token_id: token.token_id, ip })}
      notice={() => notice(ip)}
      onClose={onClose}
    >
      {(failure) => (
        <SpaceBetween size="m">
          <FormField label="Address" errorText={fieldError(failure, "ip")}>
            <Address ip={ip} />
          </FormField>
          <div>{consequence}</div>
        </SpaceBetween>
      )}
    </ConfirmDialog>
  );
};

const leakTexts = {
  dismiss: {
    action: "dismiss_leak",
    title: "Stop warning",
    submitText: "Stop warning",
    failureTitle: "The warning has not stopped",
    unknownOutcomeText: "The warning may or may not have stopped. It is safe to stop it again.",
    notice: (ip: string) => `There will be no more warnings about ${ip}.`,
    consequence:
      "You know this address: there will be no more warnings about it, for this token and those that replace it. Its calls are still refused.",
  },
  restore: {
    action: "restore_leak",
    title: "Warn again",
    submitText: "Warn again",
    failureTitle: "There are still no warnings about the address",
    unknownOutcomeText: "The warning may or may not have been restored. It is safe to restore it again.",
    notice: (ip: string) => `There will be warnings about ${ip} again.`,
    consequence: "There will be a warning when somebody uses this token from this address.",
  },
} as const;
