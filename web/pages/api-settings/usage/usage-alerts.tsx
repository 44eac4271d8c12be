import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { isRevocable, statusOf } from "../token/token-status.ts";
import { LeakAlert } from "./leak-alert.tsx";
import { leakWarning } from "./leak-sources.ts";
import { RotationAlert } from "./rotation-alert.tsx";
import { useUsage } from "./use-usage.ts";

interface UsageAlertsProps {
  token: Token;
  onRevoke: () => void;
}

/** What an admin should act on in the usage of a token, or of an invitation. */
export const UsageAlerts = ({ token, onRevoke }: UsageAlertsProps) => {
  const { data: usage, refetch } = useUsage(token.token_id);
  const status = statusOf(token, useNow());
  if (!usage || !isRevocable(status)) return null;
  const warning = leakWarning(token, usage);
  return (
    <>
      {warning && <LeakAlert token={token} warning={warning} onRevoke={onRevoke} />}
      {status === "rotated" && usage.rotation && (
        <RotationAlert token={token} usage={usage} rotation={usage.rotation} onFinish={refetch} />
      )}
    </>
  );
};
