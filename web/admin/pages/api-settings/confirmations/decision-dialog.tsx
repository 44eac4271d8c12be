import { Alert, Button, LiveRegion, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { useState } from "react";
import { requestMinutes } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { Dialog, FormDialog } from "../../../parts/dialog.tsx";
import { FailureAlert } from "../../../parts/failures.tsx";
import { useForm } from "../../../parts/form.ts";
import { TextField } from "../../../parts/text-field.tsx";
import { useNow } from "../../../parts/time.ts";
import { Actor, Address, Moment } from "../../../parts/values.tsx";
import { TokenMention } from "../../../tokens/token-name.tsx";
import { useToken, useTokenAction } from "../../../tokens/token-queries.ts";
import type { Decision } from "../token/open-dialog.ts";
import { pendingRequest } from "../token/token-status.ts";
import { Consequences, decisionTexts } from "./decision-texts.tsx";
import { soonMs } from "./outstanding.ts";

interface DecisionDialogProps {
  decision: Decision;
  token: Token;
  /** The request as it was shown. If it has changed since, nothing is decided. */
  request: ConfirmationRequest;
  onClose: () => void;
}

/** Confirms or rejects exactly this request. Confirming needs the code, which only the client's operator sees. */
export const DecisionDialog = ({ decision: first, token, request: shown, onClose }: DecisionDialogProps) => {
  const [decision, setDecision] = useState(first);
  const [request, setRequest] = useState(shown);
  const texts = decisionTexts[decision];
  const decide = useTokenAction<ConfirmationRequest>({
    send: (api, { ip, code }) => api(decision, { token_id: token.token_id, ip, code }),
    notice: () => texts.notice(request),
    onClose,
  });
  const isConfirmation = decision === "confirm";
  const form = useForm({
    initial: { code: "" },
    check: ({ code }) => ({ code: isConfirmation ? codeError(code, request.code) : "" }),
    onSubmit: () => decide.run(request),
    failure: null,
  });
  const { code } = form.fields;

  if (decide.failure?.code === "request_changed") {
    const compareAgain = (current: ConfirmationRequest) => {
      setRequest(current);
      form.restart({ code: "" });
      decide.reset();
    };
    // Ignores the second half of a double click on the previous button here, which must not close the dialog.
    const close = () => {
      if (!decide.isLockedNow()) onClose();
    };
    return <ChangedRequestDialog token={token} request={request} onClose={close} onCompare={compareAgain} />;
  }
  const reject = () => {
    if (!decide.isLockedNow()) setDecision("reject");
  };
  return (
    <FormDialog
      key={`${request.code} ${decision}`}
      title={texts.title[request.for]}
      submitText={texts.submit}
      isDangerous={!isConfirmation}
      failureTitle={texts.failure}
      unknownOutcomeText={texts.unknownOutcome}
      form={form}
      sending={decide}
      onCancel={onClose}
    >
      <div>
        <TokenMention token={token} />, asked <Moment time={request.requested_at} /> from <Address ip={request.ip} />
      </div>
      {isConfirmation && (
        <TextField
          {...code}
          label="Code"
          description="Call the client's operator, who sees the address and a code. Ask for both: is the address the same?"
          constraintText="Six letters and digits, in any case."
        />
      )}
      {code.error !== "" && bareCode(code.value) !== "" && (
        <Alert type="warning" action={<Button onClick={reject}>Reject instead</Button>}>
          Ask the operator for the code again. If it stays another one, somebody else has asked: reject the request.
        </Alert>
      )}
      <Consequences decision={decision} token={token} request={request} />
    </FormDialog>
  );
};

/** Strips the hyphen, which nobody says on the phone. */
const bareCode = (code: string): string => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");

const codeError = (typed: string, code: string): string => {
  if (bareCode(typed) === "") return "Enter the code that the operator reads out.";
  return bareCode(typed) === bareCode(code) ? "" : "This is not the code of this request.";
};

interface ChangedRequestDialogProps {
  token: Token;
  /** The request that could not be decided. */
  request: ConfirmationRequest;
  onClose: () => void;
  /** Shows the current request, which has replaced it and must be compared again. */
  onCompare: (current: ConfirmationRequest) => void;
}

/** Says what happened to a request that couldn't be decided as shown. */
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
          Nothing was decided about the request from <Address ip={request.ip} />.
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
  if (current === null) return "There is no longer a request.";
  if (current.decision !== null && current.code === seen.code) {
    return (
      <>
        {current.decided_by !== null && <Actor name={current.decided_by} />} has {current.decision} it{" "}
        <Moment time={current.decided_at} />.
      </>
    );
  }
  if (successor_id !== null) return "The token has since been rotated, so it can no longer move. The new token can.";
  if (current.code === seen.code) {
    return `It was older than ${requestMinutes} minutes. The client has to repeat its call, which makes a new request with another code.`;
  }
  return (
    <>
      The client has asked again <Moment time={current.requested_at} /> from <Address ip={current.ip} />, with another
      code. Ask the operator again before you confirm anything.
    </>
  );
};
