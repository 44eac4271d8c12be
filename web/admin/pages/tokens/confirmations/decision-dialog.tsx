import { Alert, Button, LiveRegion, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { useState } from "react";
import { requestMinutes } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { authorAsText } from "../../../changes/change-text.ts";
import { Dialog, FormDialog, useDialogs, useDone } from "../../../parts/dialog.tsx";
import { FailureAlert } from "../../../parts/failures.tsx";
import { TextField } from "../../../parts/fields.tsx";
import { useForm } from "../../../parts/form.ts";
import { useNow } from "../../../parts/time.ts";
import { BoundAddress, TokenMention } from "../../../parts/token-name.tsx";
import { Address, authorOf, Moment, VisibleText } from "../../../parts/values.tsx";
import { useToken } from "../../../records/token-queries.ts";
import { pendingRequest } from "../token/token-status.ts";
import { soonMs } from "./outstanding.ts";

/** An admin's decision about a confirmation request. */
export type Decision = "confirm" | "reject";

interface DecisionDialogProps {
  decision: Decision;
  token: Token;
  /** The request as it was shown. If the request has changed since, nothing is decided. */
  request: ConfirmationRequest;
}

/** Confirms or rejects exactly this request. Confirming needs the code, which only the client's operator sees. */
export const DecisionDialog = ({ decision: first, token, request: shown }: DecisionDialogProps) => {
  const { close } = useDialogs();
  const done = useDone();
  const [decision, setDecision] = useState(first);
  const [request, setRequest] = useState(shown);
  const { title, notice, ...texts } = decisionTexts[decision];
  const isConfirmation = decision === "confirm";
  const form = useForm({
    initial: { code: "" },
    check: ({ code }) => ({ code: isConfirmation ? codeError(code, request.code) : "" }),
    send: (api) => api(decision, { token_id: token.token_id, ip: request.ip, code: request.code }),
    onDone: () => done(notice(request)),
  });
  const { code } = form.fields;

  if (form.failure?.code === "request_changed") {
    const compareAgain = (current: ConfirmationRequest) => {
      setRequest(current);
      form.restart({ code: "" });
      form.reset();
    };
    // Ignores the second half of a double click on the previous button here, which must not close the dialog.
    const closeLater = () => {
      if (!form.isLockedNow()) close();
    };
    return <ChangedRequestDialog token={token} request={request} onClose={closeLater} onCompare={compareAgain} />;
  }
  const reject = () => {
    if (!form.isLockedNow()) setDecision("reject");
  };
  return (
    <FormDialog
      key={`${request.code} ${decision}`}
      {...texts}
      title={title[request.for]}
      isDangerous={!isConfirmation}
      isDisposable
      form={form}
    >
      <div>
        <TokenMention token={token} />, asked <Moment time={request.requested_at} /> from <Address ip={request.ip} />
      </div>
      {isConfirmation && (
        <TextField
          {...code}
          label="Code"
          description="Call the client's operator, who sees the address and a code. Ask for both: is the address the same?"
          constraintText="Six letters or digits, not case-sensitive."
        />
      )}
      {code.error !== "" && bareCode(code.value) !== "" && (
        <Alert type="warning" action={<Button onClick={reject}>Reject instead</Button>}>
          Ask the operator for the code again. If it still does not match, somebody else has asked. Then reject the
          request.
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
          The request from <Address ip={request.ip} /> was not decided.
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

const Outcome = ({ seen, token: { request: current, successor_id } }: { seen: ConfirmationRequest; token: Token }) => {
  if (current === null) return "There is no longer a request.";
  if (current.decided_by !== null && current.code === seen.code) {
    return (
      <>
        <VisibleText text={authorAsText(authorOf(current.decided_by), (tokenId) => tokenId)} /> has {current.decision}{" "}
        it <Moment time={current.decided_at} />.
      </>
    );
  }
  if (successor_id !== null) return "The token has since been rotated, so it can no longer move. The new token can.";
  if (current.code === seen.code) {
    return `It was more than ${requestMinutes} minutes old. The client has to repeat its call, which makes a new request with another code.`;
  }
  return (
    <>
      The client has asked again <Moment time={current.requested_at} /> from <Address ip={current.ip} />, with another
      code. Ask the operator again before you confirm anything.
    </>
  );
};

/** The dialog's texts for each decision. */
const decisionTexts = {
  confirm: {
    title: { invitation: "Confirm the client's address", move: "Confirm the move" },
    submitText: "Confirm",
    failureTitle: "The address was not confirmed",
    notice: ({ ip }: ConfirmationRequest) => `${ip} was confirmed. The client gets its token when it repeats its call.`,
  },
  reject: {
    title: { invitation: "Reject the request", move: "Reject the move" },
    submitText: "Reject",
    failureTitle: "The request was not rejected",
    notice: ({ ip }: ConfirmationRequest) => `The request from ${ip} was rejected.`,
  },
};

/** Explains the consequences of a decision, and what to do if the request isn't the client's. */
const Consequences = ({ decision, token, request }: DecisionDialogProps) => {
  const isMove = request.for === "move";
  const there = <Address ip={request.ip} />;
  const here = <BoundAddress token={token} />;
  if (decision === "confirm") {
    return isMove ? (
      <div>
        The client has {requestMinutes} minutes to repeat its call from {there}. It then gets a new token for that
        address, and the token for {here} ends.
      </div>
    ) : (
      <div>
        The client gets its token when it repeats its call from {there}. The token will work from there and from no
        other address.
      </div>
    );
  }
  const culprit = isMove ? "asked, somebody else has the token" : "called, somebody else has read the invitation";
  return (
    <>
      {isMove ? (
        <div>
          The token does not move to {there}. It keeps working from {here}.
        </div>
      ) : (
        <div>
          Calls with this invitation from {there} are then rejected. It can still be used from another address, which
          you would have to confirm.
        </div>
      )}
      <Alert type="info">If it was not the client who {culprit}: revoke it and invite the client again.</Alert>
    </>
  );
};
