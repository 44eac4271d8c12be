import Button from "@cloudscape-design/components/button";
import { Actor } from "../../../parts/actor.tsx";
import { Moment } from "../../../parts/moment.tsx";
import type { LeakDecision } from "../token/open-dialog.ts";
import type { LeakSource } from "./leak-sources.ts";

interface DismissalActionsProps {
  source: LeakSource;
  /** The token has not ended, so that something can be changed. */
  isLive: boolean;
  onDecide: (decision: LeakDecision, ip: string) => void;
}

/** Whether the warning about an address was dismissed and by whom, and the button that changes it. */
export const DismissalActions = ({ source: { ip, dismissal }, isLive, onDecide }: DismissalActionsProps) => {
  const [decision, text, label] = dismissal
    ? (["restore", "Warn again", "Warn again about"] as const)
    : (["dismiss", "Dismiss", "Dismiss the warning about"] as const);
  return (
    <>
      {dismissal && (
        <div>
          Dismissed <Moment time={dismissal.dismissed_at} /> by <Actor name={dismissal.dismissed_by} />
        </div>
      )}
      {isLive && (
        <Button variant="inline-link" ariaLabel={`${label} ${ip}`} onClick={() => onDecide(decision, ip)}>
          {text}
        </Button>
      )}
    </>
  );
};
