import { Alert, Button } from "@cloudscape-design/components";
import { useState } from "react";
import { requestMinutes } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { FormDialog, useDone } from "../../../parts/dialog.tsx";
import { TextField } from "../../../parts/fields.tsx";
import { useForm } from "../../../parts/form.ts";
import { BoundAddress, TokenMention } from "../../../parts/token-name.tsx";
import { Address, Moment } from "../../../parts/values.tsx";

/** An admin's decision about a confirmation request. */
export type Decision = "confirm" | "reject";

interface DecisionDialogProps {
  decision: Decision;
  token: Token;
  /** The request as it was shown. If the request has changed since, nothing is decided. */
  request: ConfirmationRequest;
}

/** Confirms or rejects exactly this request. Confirming needs the code, which only the client's operator sees. */
export const DecisionDialog = ({ decision: first, token, request }: DecisionDialogProps) => {
  const done = useDone();
  const [decision, setDecision] = useState(first);
  const { title, notice, ...texts } = decisionTexts[decision];
  const isConfirmation = decision === "confirm";
  const form = useForm({
    initial: { code: "" },
    check: ({ code }) => ({ code: isConfirmation ? codeError(code, request.code) : "" }),
    send: (api) => api(decision, { token_id: token.token_id, ip: request.ip, code: request.code }),
    onDone: () => done(notice(request)),
  });
  const { code } = form.fields;

  const reject = () => {
    if (!form.isLockedNow()) setDecision("reject");
  };
  return (
    <FormDialog
      key={decision}
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
