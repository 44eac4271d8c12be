import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import { useState } from "react";
import type { Token } from "../../../../api/types.ts";
import { Dialog, FormDialog } from "../../../../parts/dialog.tsx";
import { defaultExpiry, expiresAt, expiryError } from "../../../../tokens/terms.ts";
import { TokenMention } from "../../../../tokens/token-name.tsx";
import { ExpiryField } from "../../dialogs/term-fields.tsx";
import { ResultDialog } from "./result-dialog.tsx";
import { type Run, useRun } from "./run-each.ts";
import { actionTexts, type Plan, planFor, type SeveralAction, type Skipped, tokensInWords } from "./several-plan.ts";

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

/** Short lists are shown at once. */
const maxOpen = 5;

/** What is about to be done, and to which tokens. */
const PlanSummary = ({ plan: { tokens, skipped, inUseCount } }: { plan: Plan }) => (
  <>
    {tokens.length > 0 && (
      <ExpandableSection headerText={tokensInWords(tokens.length)} defaultExpanded={tokens.length <= maxOpen}>
        <TokenNames tokens={tokens} />
      </ExpandableSection>
    )}
    {tokens.length > 0 && (
      <div>
        {inUseCount === 0
          ? "None of them was used in the last seven days."
          : `${inUseCount.toLocaleString("en")} of them ${inUseCount === 1 ? "was" : "were"} used in the last seven days.`}
      </div>
    )}
    {skipped.length > 0 && <SkippedTokens skipped={skipped} />}
  </>
);

export const SkippedTokens = ({ skipped }: { skipped: Skipped[] }) => (
  <ExpandableSection
    headerText={`${tokensInWords(skipped.length)} skipped`}
    defaultExpanded={skipped.length <= maxOpen}
  >
    <ul className="stack">
      {skipped.map(({ token, reason }) => (
        <li key={token.token_id}>
          <TokenMention token={token} /> <span className="remark">{reason}</span>
        </li>
      ))}
    </ul>
  </ExpandableSection>
);

const TokenNames = ({ tokens }: { tokens: Token[] }) => (
  <ul className="stack">
    {tokens.map((token) => (
      <li key={token.token_id}>
        <TokenMention token={token} />
      </li>
    ))}
  </ul>
);
