import { Button, LiveRegion, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { useState } from "react";
import { requestMinutes } from "../../../../lambdas/resources/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { Dialog, FormDialog } from "../../../parts/dialog.tsx";
import { FailureAlert } from "../../../parts/failures.tsx";
import { useNow } from "../../../parts/time.ts";
import { Actor, Address, Moment } from "../../../parts/values.tsx";
import { TokenMention } from "../../../tokens/token-name.tsx";
import { useToken, useTokenAction } from "../../../tokens/token-queries.ts";
import type { Decision } from "../token/open-dialog.ts";
import { pendingRequest } from "../token/token-status.ts";
import { Consequences, decisionTexts } from "./decision-texts.tsx";
import { soonMs } from "./outstanding.ts";
import { RequestFacts } from "./request-card.tsx";

interface DecisionDialogProps {
  decision: Decision;
  token: Token;
  /** As it was shown. If it has changed since, nothing is decided. */
  request: ConfirmationRequest;
  onClose: () => void;
}

/** Repeats the address and the code of a request, and confirms or rejects exactly these. */
export const DecisionDialog = ({ decision, token, request: shown, onClose }: DecisionDialogProps) => {
  const [request, setRequest] = useState(shown);
  const texts = decisionTexts[decision];
  const decide = useTokenAction<ConfirmationRequest>({
    send: (api, { ip, code }) => api(decision, { token_id: token.token_id, ip, code }),
    notice: () => texts.notice(request),
    onClose,
  });

  if (decide.failure?.code === "request_changed") {
    const compareAgain = (current: ConfirmationRequest) => {
      setRequest(current);
      decide.reset();
    };
    // The second half of a double click on the button that was here must not close it.
    const close = () => {
      if (!decide.isLockedNow()) onClose();
    };
    return <ChangedRequestDialog token={token} request={request} onClose={close} onCompare={compareAgain} />;
  }
  return (
    <FormDialog
      key={request.code}
      title={texts.title[request.for]}
      submitText={texts.submit}
      failureTitle={texts.failure}
      unknownOutcomeText={texts.unknownOutcome}
      sending={decide}
      onCancel={onClose}
      onSubmit={() => decide.run(request)}
    >
      <div>
        <TokenMention token={token} />, asked <Moment time={request.requested_at} />
      </div>
      <RequestFacts request={request} />
      <Consequences decision={decision} token={token} request={request} />
    </FormDialog>
  );
};

interface ChangedRequestDialogProps {
  token: Token;
  /** The request that could not be decided. */
  request: ConfirmationRequest;
  onClose: () => void;
  /** Shows the request that has replaced it, which has to be compared afresh. */
  onCompare: (current: ConfirmationRequest) => void;
}

/** Says what has become of a request that could not be decided as it was shown. */
const ChangedRequestDialog = ({ token, request, onClose, onCompare }: ChangedRequestDialogProps) => {
  const { data: current, error, refetch, isFetchedAfterMount } = useToken(token.token_id, () => soonMs);
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
