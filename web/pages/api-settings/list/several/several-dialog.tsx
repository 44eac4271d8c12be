import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import { useState } from "react";
import type { Token } from "../../../../api/types.ts";
import { Dialog } from "../../../../parts/dialog.tsx";
import { FormDialog } from "../../../../parts/form-dialog.tsx";
import { defaultExpiry, expiresAt, expiryError } from "../../dialogs/expiry.ts";
import { ExpiryField } from "../../dialogs/expiry-field.tsx";
import { actionTexts } from "./action-texts.ts";
import { PlanSummary, SkippedTokens } from "./plan-summary.tsx";
import { ResultDialog } from "./result-dialog.tsx";
import { type Plan, planFor, type SeveralAction } from "./several-plan.ts";
import { type Run, useRun } from "./use-run.ts";
import "./several.css";

interface SeveralDialogProps {
  action: SeveralAction;
  selected: Token[];
  /** Called with the tokens that need nothing more. */
  onClose: (finished: Token[]) => void;
}

/** Does the same to several tokens: shows first what it would do, then how it goes on, and then what became of each. */
export const SeveralDialog = ({ action, selected, onClose }: SeveralDialogProps) => {
  const [plan] = useState(() => planFor(action, selected, Date.now()));
  const run = useRun(plan.tokens);
  const cancel = () => onClose([]);

  if (plan.tokens.length === 0) return <NothingDialog action={action} plan={plan} onClose={cancel} />;
  if (run.outcomes.size > 0) return <ResultDialog action={action} plan={plan} run={run} onClose={onClose} />;
  return action === "revoke" ? (
    <RevokeForm
      plan={plan}
      sending={run}
      onCancel={cancel}
      onSubmit={() => run.run((api, { token_id }) => api("revoke", { token_id }))}
    />
  ) : (
    <ExpiryForm
      plan={plan}
      sending={run}
      onCancel={cancel}
      onSubmit={(expires_at) => run.run((api, { token_id }) => api("update", { token_id, expires_at }))}
    />
  );
};

interface FormProps<Values extends unknown[]> {
  plan: Plan;
  sending: Run;
  onCancel: () => void;
  onSubmit: (...values: Values) => void;
}

/** The result of each token is shown in another dialog. */
const noFailure = { failureTitle: "", unknownOutcomeText: "" };

const RevokeForm = ({ plan, sending, onCancel, onSubmit }: FormProps<[]>) => (
  <FormDialog
    {...noFailure}
    sending={sending}
    title={actionTexts.revoke.title(plan.tokens.length)}
    submitText={actionTexts.revoke.submit(plan.tokens.length)}
    onCancel={onCancel}
    onSubmit={onSubmit}
  >
    <PlanSummary plan={plan} />
    <Alert type="warning">
      They are refused from their next request, and invitations can no longer be redeemed. This cannot be undone. Their
      records stay in the table for 90 days.
    </Alert>
  </FormDialog>
);

const ExpiryForm = ({ plan, sending, onCancel, onSubmit }: FormProps<[string | null]>) => {
  const [expiry, setExpiry] = useState(defaultExpiry);
  const [isSubmitted, setSubmitted] = useState(false);

  const end = expiresAt(expiry, Date.now());
  const submit = () => {
    setSubmitted(true);
    if (end !== undefined) onSubmit(end);
  };
  return (
    <FormDialog
      {...noFailure}
      sending={sending}
      title={actionTexts.expiry.title(plan.tokens.length)}
      submitText={actionTexts.expiry.submit(plan.tokens.length)}
      onCancel={onCancel}
      onSubmit={submit}
    >
      <ExpiryField value={expiry} error={isSubmitted ? expiryError(end) : ""} onChange={setExpiry} />
      <PlanSummary plan={plan} />
    </FormDialog>
  );
};

interface NothingDialogProps {
  action: SeveralAction;
  plan: Plan;
  onClose: () => void;
}

/** All selected tokens are skipped. */
const NothingDialog = ({ action, plan, onClose }: NothingDialogProps) => (
  <Dialog title={actionTexts[action].nothing} onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
    <SkippedTokens skipped={plan.skipped} />
  </Dialog>
);
