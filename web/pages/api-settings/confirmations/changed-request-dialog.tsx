import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { requestMinutes } from "../../../../lambdas/resources/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { Actor } from "../../../parts/actor.tsx";
import { Address } from "../../../parts/address.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { useNow } from "../../../parts/time.ts";
import { useToken } from "../../../tokens/token-queries.ts";
import { pendingRequest } from "../token/token-status.ts";
import { soonMs } from "./outstanding.ts";

interface ChangedRequestDialogProps {
  token: Token;
  /** The request that could not be decided. */
  request: ConfirmationRequest;
  onClose: () => void;
  /** Shows the request that has replaced it, which has to be compared afresh. */
  onCompare: (current: ConfirmationRequest) => void;
}

/** Says what has become of a request that could not be decided as it was shown. */
export const ChangedRequestDialog = ({ token, request, onClose, onCompare }: ChangedRequestDialogProps) => {
  const { token: current, error, refetch, isFetchedAfterMount } = useToken(token.token_id, () => soonMs);
  const now = useNow();
  const successor = current && pendingRequest(current, now);
  const isNew = successor !== undefined && successor.code !== request.code;
  return (
    <Dialog
      title="The request has changed"
      onClose={onClose}
      actions={
        <>
          <Button variant={isNew ? "link" : "primary"} onClick={onClose}>
            Close
          </Button>
          {isNew && (
            <Button variant="primary" onClick={() => onCompare(successor)}>
              Show the new request
            </Button>
          )}
        </>
      }
    >
      <SpaceBetween size="m">
        <div>
          Nothing was decided about <Address ip={request.ip} /> with the code {request.code}.
        </div>
        <LiveRegion>
          {error && <FailureAlert title="The token could not be loaded" failure={error} onRetry={refetch} />}
          {!error && !isFetchedAfterMount && <StatusIndicator type="loading">Loading the request</StatusIndicator>}
          {!error && isFetchedAfterMount && current && <Outcome seen={request} token={current} />}
        </LiveRegion>
      </SpaceBetween>
    </Dialog>
  );
};

interface OutcomeProps {
  seen: ConfirmationRequest;
  token: Token;
}

const Outcome = ({ seen, token: { request: current, successor_id } }: OutcomeProps) => {
  if (current === null) return "There is no request any more.";
  if (current.decision !== null && current.code === seen.code) {
    return (
      <>
        {current.decided_by !== null && <Actor name={current.decided_by} />} has {current.decision} it{" "}
        <Moment time={current.decided_at} />.
      </>
    );
  }
  if (successor_id !== null)
    return "The token has been rotated meanwhile, so it can no longer move. Its successor can.";
  if (current.code === seen.code) {
    return `It was older than ${requestMinutes} minutes. The client has to repeat its call, which makes a new request with another code.`;
  }
  return (
    <>
      The client has asked again <Moment time={current.requested_at} /> from <Address ip={current.ip} />, with another
      code. Compare both again before you confirm anything.
    </>
  );
};
