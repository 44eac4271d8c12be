import { Box, FormField, RadioGroup } from "@cloudscape-design/components";
import { useState } from "react";
import type { Token } from "../../../api/types.ts";
import { useApp, useSending } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { localTime } from "../../../parts/time.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { defaultGrace, endAfterGrace, gracePresets } from "../../../tokens/terms.ts";
import { TokenMention, tokenName } from "../../../tokens/token-name.tsx";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import { IssuedDialog, withoutText } from "./shown-once-dialog.tsx";

/** Replaces a token with a new one; the old one keeps working for a grace period. */
export const RotateDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { update, reloadAfter, reloadToken } = useTokenCache();
  const { notify } = useApp();
  const [grace, setGrace] = useState(defaultGrace);
  const rotate = useSending((api) => api("rotate", { token_id: token.token_id, grace_seconds: Number(grace) }), {
    onDone: (successor) => {
      update(withoutText(successor));
      reloadToken(token.token_id);
      notify(`The token ${tokenName(successor)} was rotated.`);
    },
    onFailure: reloadAfter,
  });

  // The response has the only copy of the text.
  useBlocker(rotate.isRunning);

  if (rotate.result) return <IssuedDialog title="The new token was issued" issued={rotate.result} onClose={onClose} />;
  const end = endAfterGrace(Number(grace), token.expires_at, Date.now());
  return (
    <FormDialog
      title="Rotate the token"
      submitText="Rotate token"
      failureTitle="The token was not rotated"
      unknownOutcomeText="The token may or may not have been rotated. If it was, nobody has the text of the new token: rotate that one as well."
      entered={grace}
      sending={rotate}
      onCancel={onClose}
      onSubmit={rotate.run}
    >
      <div>
        A new token is issued to replace <TokenMention token={token} />, with the same address, comment and lifetime.
        Give it to the client before the old one ends.
      </div>
      <FormField label="The old token ends">
        <RadioGroup value={grace} items={gracePresets} onChange={({ detail }) => setGrace(detail.value)} />
      </FormField>
      <Box color="text-body-secondary">
        {grace === "0" ? (
          "The old token is refused from its next request."
        ) : (
          <>The old token ends {localTime(end)}. Until then, both tokens work.</>
        )}
      </Box>
    </FormDialog>
  );
};
