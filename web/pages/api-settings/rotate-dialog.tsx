import Box from "@cloudscape-design/components/box";
import FormField from "@cloudscape-design/components/form-field";
import RadioGroup from "@cloudscape-design/components/radio-group";
import { useState } from "react";
import { toApiFailure } from "../../api/api-failure.ts";
import type { IssuedToken, Token } from "../../api/token.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { localTime, utcTime } from "../../parts/time.ts";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import { endAfterGrace, gracePresets, usualGrace } from "./grace.ts";
import { withoutText } from "./issue-dialog.tsx";
import { IssuedDialog } from "./issued-dialog.tsx";
import type { TokenDialogProps } from "./token-dialog.tsx";
import { TokenMention } from "./token-name.tsx";

/** Replaces a token by a new one, and lets the old one go on for a while. */
export const RotateDialog = ({ token, onClose, onChange, onDoubt }: TokenDialogProps & { token: Token }) => {
  const { api } = useApp();
  const [grace, setGrace] = useState(usualGrace);
  const [issued, setIssued] = useState<IssuedToken>();
  const { isBusy, failure, submit } = useSubmit();

  const rotate = async () => {
    try {
      const successor = await api.rotateToken(token.token_id, Number(grace));
      setIssued(successor);
      onChange(withoutText(successor));
    } catch (error) {
      const { isOutcomeUnknown, status } = toApiFailure(error);
      // A conflict tells that the token is no longer as it is shown.
      if (isOutcomeUnknown || status === 409) onDoubt();
      throw error;
    }
    // The successor is there whatever becomes of this.
    await api.getToken(token.token_id).then(onChange, onDoubt);
  };

  if (issued) return <IssuedDialog title="The successor was issued" issued={issued} onClose={onClose} />;
  const end = endAfterGrace(Number(grace), token.expires_at, Date.now());
  return (
    <FormDialog
      title="Rotate the token"
      submitText="Rotate token"
      failureTitle="The token was not rotated"
      doubt="It is not known whether it was rotated. If it was, nobody has the successor's text: rotate the successor in its turn."
      {...{ isBusy, failure }}
      onCancel={onClose}
      onSubmit={() => submit(rotate)}
    >
      <div>
        A new token is issued in place of <TokenMention token={token} />: for the same address, with the same comment,
        for as long again. Give it to the client before the old one ends.
      </div>
      <FormField label="The old token ends">
        <RadioGroup value={grace} items={gracePresets} onChange={({ detail }) => setGrace(detail.value)} />
      </FormField>
      <Box color="text-body-secondary">
        {grace === "0" ? (
          "The old token is refused from its next request on."
        ) : (
          <>
            The old token ends {localTime(end)} ({utcTime(end)}). Until then both hold.
          </>
        )}
      </Box>
    </FormDialog>
  );
};
