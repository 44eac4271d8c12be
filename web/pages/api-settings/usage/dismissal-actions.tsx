import Button from "@cloudscape-design/components/button";
import { useMutation } from "@tanstack/react-query";
import type { Token } from "../../../api/types.ts";
import { Actor } from "../../../parts/actor.tsx";
import { useApp } from "../../../parts/app-context.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { useTokenCache } from "../token/token-queries.ts";
import type { Dismissal, LeakSource } from "./leak-sources.ts";

interface DismissalActionsProps {
  token: Token;
  source: LeakSource;
  /** The token has not ended, so that something can be changed. */
  isLive: boolean;
  onDismiss: () => void;
}

/** Whether the warning about an address was dismissed and by whom, and the button that changes it. */
export const DismissalActions = ({ token, source: { ip, dismissal }, isLive, onDismiss }: DismissalActionsProps) => {
  if (dismissal) return <Dismissed {...{ token, dismissal, isLive }} />;
  return (
    isLive && (
      <Button variant="inline-link" ariaLabel={`Dismiss the warning about ${ip}`} onClick={onDismiss}>
        Dismiss
      </Button>
    )
  );
};

interface DismissedProps extends Pick<DismissalActionsProps, "token" | "isLive"> {
  dismissal: Dismissal;
}

const Dismissed = ({ token, dismissal: { ip, dismissed_at, dismissed_by }, isLive }: DismissedProps) => {
  const { api, notify } = useApp();
  const { update } = useTokenCache();
  const restore = useMutation({
    mutationFn: () => api("restore_leak", { token_id: token.token_id, ip }),
    onSuccess: (changed) => {
      update(changed);
      notify(`The service warns about ${ip} again.`);
    },
  });
  return (
    <>
      <div>
        Dismissed <Moment time={dismissed_at} /> by <Actor name={dismissed_by} />
      </div>
      {isLive && (
        <Button
          variant="inline-link"
          ariaLabel={`Warn again about ${ip}`}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          Warn again
        </Button>
      )}
      {restore.error && <FailureAlert title="The address is still dismissed" failure={restore.error} />}
    </>
  );
};
