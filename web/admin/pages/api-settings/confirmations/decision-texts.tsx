import { Alert } from "@cloudscape-design/components";
import { requestMinutes } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { Address } from "../../../parts/values.tsx";
import { BoundAddress } from "../../../tokens/token-name.tsx";
import type { Decision } from "../token/open-dialog.ts";

type Purpose = ConfirmationRequest["for"];

interface DecisionTexts {
  title: Record<Purpose, string>;
  submit: string;
  failure: string;
  unknownOutcome: string;
  notice: (request: ConfirmationRequest) => string;
}

/** The dialog's texts for each decision. */
export const decisionTexts: Record<Decision, DecisionTexts> = {
  confirm: {
    title: { invitation: "Confirm the client's address", move: "Confirm the move" },
    submit: "Confirm",
    failure: "The address was not confirmed",
    unknownOutcome: "The address may or may not have been confirmed. It is safe to confirm it again.",
    notice: ({ ip }) => `${ip} was confirmed. The client gets its token when it repeats its call.`,
  },
  reject: {
    title: { invitation: "Reject the request", move: "Reject the move" },
    submit: "Reject",
    failure: "The request was not rejected",
    unknownOutcome: "The request may or may not have been rejected. It is safe to reject it again.",
    notice: ({ ip }) => `The request from ${ip} was rejected.`,
  },
};

interface ConsequencesProps {
  decision: Decision;
  token: Token;
  request: ConfirmationRequest;
}

/** Explains the consequences of a decision, and what to do if the request isn't the client's. */
export const Consequences = ({ decision, token, request }: ConsequencesProps) => {
  const isMove = request.for === "move";
  const there = <Address ip={request.ip} />;
  const here = <BoundAddress token={token} />;
  if (decision === "confirm") {
    return (
      <div>
        {isMove
          ? `The client has ${requestMinutes} minutes to repeat its call from `
          : "The client gets its token when it repeats its call from "}
        {there}.{" "}
        {isMove ? (
          <>It then gets a new token for that address, and the token for {here} ends.</>
        ) : (
          "The token will work from there and from no other address."
        )}
      </div>
    );
  }
  return (
    <>
      <div>
        {isMove ? (
          <>
            The token does not move to {there}. It keeps working from {here}.
          </>
        ) : (
          <>
            Calls with this invitation from {there} are then refused. It can still be used from another address, which
            you would have to confirm.
          </>
        )}
      </div>
      <Alert type="info">
        If it was not the client who{" "}
        {isMove ? "asked, somebody else has the token" : "called, somebody else has read the invitation"}: revoke it and
        invite the client again.
      </Alert>
    </>
  );
};
