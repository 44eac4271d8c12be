import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import type { OpenDialog } from "../token/open-dialog.ts";
import { isRevocable, statusOf } from "../token/token-status.ts";
import { LeakAlert } from "./leak-alert.tsx";
import { leakWarning } from "./leak-sources.ts";
import { RotationAlert } from "./rotation-alert.tsx";
import { useUsage } from "./use-usage.ts";

interface UsageAlertsProps {
  token: Token;
  onOpen: (dialog: OpenDialog) => void;
}

/** What an admin should act on in the usage of a token, or of an invitation. */
export const UsageAlerts = ({ token, onOpen }: UsageAlertsProps) => {
  const { data: usage } = useUsage(token.token_id);
  const status = statusOf(token, useNow());
  if (!usage || !isRevocable(status)) return null;
  const warning = leakWarning(token, usage);
  return (
    <>
      {warning && <LeakAlert token={token} warning={warning} onOpen={onOpen} />}
      {status === "rotated" && usage.rotation && (
        <RotationAlert
          token={token}
          usage={usage}
          rotation={usage.rotation}
          onFinish={() => onOpen({ name: "finish", token })}
        />
      )}
    </>
  );
};
