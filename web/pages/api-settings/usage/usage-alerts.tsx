import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import { LeakAlert } from "./leak-alert.tsx";
import { RotationAlert } from "./rotation-alert.tsx";
import { useUsage } from "./use-usage.ts";

/** What an admin should act on in the usage of a live token. */
export const UsageAlerts = ({ token }: { token: Token }) => {
  const { data: usage } = useUsage(token.token_id);
  const status = statusOf(token, useNow());
  if (!usage || !isLive(status)) return null;
  return (
    <>
      <LeakAlert usage={usage} />
      {status === "rotated" && usage.rotation && (
        <RotationAlert token={token} usage={usage} rotation={usage.rotation} />
      )}
    </>
  );
};
