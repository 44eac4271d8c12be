import { useState } from "react";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { useSending } from "../../../parts/use-sending.tsx";
import { TokenMention } from "../../../tokens/token-name.tsx";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import type { Decision } from "../token/open-dialog.ts";
import { ChangedRequestDialog } from "./changed-request-dialog.tsx";
import { consequences, decisionTexts } from "./decision-texts.tsx";
import { RequestFacts } from "./request-facts.tsx";

interface DecisionDialogProps {
  decision: Decision;
  token: Token;
  /** As it was shown. If it has changed since, nothing is decided. */
  request: ConfirmationRequest;
  onClose: () => void;
}

/** Repeats the address and the code of a request, and confirms or rejects exactly these. */
export const DecisionDialog = ({ decision, token, request: shown, onClose }: DecisionDialogProps) => {
  const { notify } = useApp();
  const { update, reloadAfter } = useTokenCache();
  const [request, setRequest] = useState(shown);
  const texts = decisionTexts[decision];
  const decide = useSending(
    (api, { ip, code }: ConfirmationRequest) => api(decision, { token_id: token.token_id, ip, code }),
    {
      onDone: (decided) => {
        update(decided);
        notify(texts.notice(request));
        onClose();
      },
      onFailure: (failure) => {
        // Only this token has to be reloaded then, and the next dialog does that.
        if (failure.code !== "request_changed") reloadAfter(failure);
      },
    },
  );

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
      {consequences[decision][request.for]({ token, request })}
    </FormDialog>
  );
};
