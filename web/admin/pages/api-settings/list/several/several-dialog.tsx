import { Alert, Button, ExpandableSection } from "@cloudscape-design/components";
import { useState } from "react";
import type { Token } from "../../../../api/types.ts";
import { Dialog, FormDialog } from "../../../../parts/dialog.tsx";
import { useForm } from "../../../../parts/form.ts";
import { expiresAt, expiryError, newTerms } from "../../../../tokens/terms.ts";
import { TokenMention } from "../../../../tokens/token-name.tsx";
import { ExpiryField } from "../../dialogs/term-fields.tsx";
import { maxOpen, ResultDialog, SkippedTokens } from "./result-dialog.tsx";
import { type Run, useRun } from "./run-each.ts";
import { actionTexts, type Plan, planFor, type SeveralAction, tokensInWords } from "./several-plan.ts";

interface SeveralDialogProps {
  action: SeveralAction;
  selected: Token[];
  /** Called with the tokens that need no further action. */
  onClose: (finished: Token[]) => void;
}

/** Runs an action on several tokens. Shows first the plan, then the progress, and finally the result for each token. */
export const SeveralDialog = ({ action, selected, onClose }: SeveralDialogProps) => {
  const [plan] = useState(() => planFor(action, selected, Date.now()));
  const run = useRun(plan.tokens);
  const cancel = () => onClose([]);

  if (plan.tokens.length === 0) {
    return (
      <Dialog title={actionTexts[action].nothing} onClose={cancel} actions={<Button onClick={cancel}>Close</Button>}>
        <SkippedTokens skipped={plan.skipped} />
      </Dialog>
    );
  }
  if (run.outcomes.size > 0) return <ResultDialog action={action} plan={plan} run={run} onClose={onClose} />;
  return <ActionForm action={action} plan={plan} run={run} onCancel={cancel} />;
};

interface ActionFormProps {
  action: SeveralAction;
  plan: Plan;
  run: Run;
  onCancel: () => void;
}

const ActionForm = ({ action, plan, run, onCancel }: ActionFormProps) => {
  const { title, submit: submitText } = actionTexts[action];
  const count = plan.tokens.length;
  const form = useForm({
    initial: { expires_at: newTerms.expires_at },
    check: (typed) => ({ expires_at: expiryError(typed.expires_at) }),
    onSubmit: (typed) => {
      const expires_at = expiresAt(typed.expires_at, Date.now());
      if (action === "revoke") run.run((api, { token_id }) => api("revoke", { token_id }));
      else if (expires_at !== undefined) run.run((api, { token_id }) => api("update", { token_id, expires_at }));
    },
    // A separate dialog shows the result for each token.
    failure: null,
  });
  return (
    <FormDialog
      title={title(count)}
      submitText={submitText(count)}
      isDangerous={action === "revoke"}
      failureTitle=""
      unknownOutcomeText=""
      form={form}
      sending={run}
      onCancel={onCancel}
    >
      {action === "expiry" && <ExpiryField {...form.fields.expires_at} />}
      <PlanSummary plan={plan} />
      {action === "revoke" && (
        <Alert type="warning">
          They are refused from their next request, and invitations can no longer be redeemed. This cannot be undone.
          Their records stay in the table for 90 days.
        </Alert>
      )}
    </FormDialog>
  );
};

/** Shows the planned action and its tokens. */
const PlanSummary = ({ plan: { tokens, skipped, inUseCount } }: { plan: Plan }) => (
  <>
    <ExpandableSection headerText={tokensInWords(tokens.length)} defaultExpanded={tokens.length <= maxOpen}>
      <ul className="stack">
        {tokens.map((token) => (
          <li key={token.token_id}>
            <TokenMention token={token} />
          </li>
        ))}
      </ul>
    </ExpandableSection>
    <div>
      {inUseCount === 0
        ? "None of them was used in the last seven days."
        : `${inUseCount.toLocaleString("en")} of them ${inUseCount === 1 ? "was" : "were"} used in the last seven days.`}
    </div>
    {skipped.length > 0 && <SkippedTokens skipped={skipped} />}
  </>
);
