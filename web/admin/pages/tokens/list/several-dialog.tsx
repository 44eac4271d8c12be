import {
  Alert,
  Button,
  type ButtonProps,
  ExpandableSection,
  LiveRegion,
  SpaceBetween,
  StatusIndicator,
} from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { Dialog, FormDialog, useDialogs } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { TokenMention } from "../../../parts/token-name.tsx";
import { showToken } from "../../../records/caches.ts";
import { expiresAt, expiryError, newTerms } from "../../../records/terms.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { ExpiryField } from "../dialogs/term-fields.tsx";
import { canRetry, type Outcome, planFor, runEach, type SeveralAction, tokensInWords } from "./several.ts";

interface SeveralDialogProps {
  action: SeveralAction;
  selected: Token[];
  /** Called with the tokens that need no further action. */
  onFinished: (finished: Token[]) => void;
}

/** Runs an action on several tokens. Shows first the plan, then the progress, and finally the result for each token. */
export const SeveralDialog = ({ action, selected, onFinished }: SeveralDialogProps) => {
  const { close } = useDialogs();
  const several = useSeveral(action, selected);
  const { tokens, skipped, outcomes, retriable } = several;
  if (tokens.length === 0) {
    return (
      <Dialog title={actionTexts[action].nothing} onClose={close} actions={<Button onClick={close}>Close</Button>}>
        <SkippedTokens skipped={skipped} />
      </Dialog>
    );
  }
  if (outcomes.size === 0) return <PlanDialog action={action} {...several} />;
  const finish = () => {
    close();
    onFinished(selected.filter((token) => !retriable.includes(token)));
  };
  return <ResultDialog action={action} {...several} onFinish={finish} />;
};

/** Plans and runs the action, and keeps the results. Failed tokens can be retried. */
const useSeveral = (action: SeveralAction, selected: readonly Token[]) => {
  const client = useQueryClient();
  const [plan] = useState(() => planFor(action, selected, Date.now()));
  const [outcomes, setOutcomes] = useState<ReadonlyMap<Token, Outcome>>(new Map());
  const stopper = useRef(new AbortController());
  const [isStopping, setStopping] = useState(false);
  const retriable = plan.tokens.filter((token) => canRetry(outcomes.get(token)));
  const form = useForm({
    initial: { expires_at: newTerms.expires_at },
    check: (typed) => ({ expires_at: expiryError(typed.expires_at) }),
    send: async (api, typed): Promise<undefined> => {
      const expires_at = expiresAt(typed.expires_at, Date.now());
      if (expires_at === undefined) return;
      stopper.current = new AbortController();
      setStopping(false);
      let isListOutdated = false;
      const run = async ({ token_id }: Token) => {
        const sent = action === "revoke" ? api("revoke", { token_id }) : api("update", { token_id, expires_at });
        await showToken(client, await sent);
      };
      const onOutcome = (token: Token, outcome: Outcome) => {
        isListOutdated ||= outcome instanceof ApiFailure && outcome.status !== 401;
        setOutcomes((known) => new Map(known).set(token, outcome));
      };
      await runEach(retriable, run, onOutcome, stopper.current.signal);
      if (isListOutdated) client.invalidateQueries();
    },
    isRepeatable: true,
  });
  const stop = () => {
    if (form.hasJustBegun()) return;
    stopper.current.abort();
    setStopping(true);
  };
  return { ...plan, outcomes, retriable, form, isStopping, stop };
};

type Several = ReturnType<typeof useSeveral> & { action: SeveralAction };

/** Shows the planned action and its tokens. */
const PlanDialog = ({ action, tokens, skipped, inUseCount, form }: Several) => (
  <FormDialog
    title={`${actionTexts[action].action} ${tokensInWords(tokens.length)}`}
    submitText={action === "revoke" ? `Revoke ${tokensInWords(tokens.length)}` : "Set expiry"}
    isDangerous={action === "revoke"}
    failureTitle=""
    form={form}
  >
    {action === "expiry" && <ExpiryField {...form.fields.expires_at} />}
    <TokensWithReasons title={tokensInWords(tokens.length)} tokens={tokens.map((token) => ({ token, reason: "" }))} />
    <div>
      {inUseCount === 0
        ? "None of them was used in the last seven days."
        : `${inUseCount.toLocaleString("en")} of them ${inUseCount === 1 ? "was" : "were"} used in the last seven days.`}
    </div>
    <SkippedTokens skipped={skipped} />
    {action === "revoke" && (
      <Alert type="warning">
        Requests with these tokens are rejected from now on, and their invitations can no longer be redeemed. This
        cannot be undone. The records stay in the table for 90 days.
      </Alert>
    )}
  </FormDialog>
);

/** Shows the action's progress, then the result for each token. Stays open until the action is done. */
const ResultDialog = ({ action, onFinish, ...several }: Several & { onFinish: () => void }) => {
  const { tokens, skipped, outcomes, retriable, form, isStopping, stop } = several;
  const { isLocked: isRunning } = form;
  // The browser asks before it leaves the page halfway through.
  useBlocker(isRunning);
  const texts = actionTexts[action];
  const doneCount = tokens.filter((token) => outcomes.get(token) === "done").length;
  // Failures come first, so that none is hidden in a long list.
  const failed = tokens.filter((token) => outcomes.get(token) instanceof ApiFailure);
  return (
    <Dialog
      title={isRunning ? texts.running : "Result"}
      onClose={() => isRunning || onFinish()}
      actions={
        <>
          {!isRunning && retriable.length > 0 && (
            <Button onClick={form.submit}>Try again for {tokensInWords(retriable.length)}</Button>
          )}
          {isRunning ? (
            <FocusedButton key="stop" onClick={stop} loading={isStopping} loadingText="Stopping">
              Stop
            </FocusedButton>
          ) : (
            <FocusedButton key="close" variant="primary" onClick={onFinish}>
              Close
            </FocusedButton>
          )}
        </>
      }
    >
      <SpaceBetween size="m">
        <LiveRegion>
          <StatusIndicator type={isRunning ? "loading" : doneCount === tokens.length ? "success" : "warning"}>
            {doneCount.toLocaleString("en")} of {tokensInWords(tokens.length)} {texts.done.toLowerCase()}
          </StatusIndicator>
        </LiveRegion>
        <ul className="stack">
          {[...failed, ...tokens.filter((token) => !failed.includes(token))].map((token) => (
            <li key={token.token_id}>
              <TokenMention token={token} />
              <div>{resultOf(outcomes.get(token), isRunning, texts)}</div>
            </li>
          ))}
        </ul>
        <SkippedTokens skipped={skipped} />
      </SpaceBetween>
    </Dialog>
  );
};

const SkippedTokens = ({ skipped }: Pick<Several, "skipped">) =>
  skipped.length > 0 && <TokensWithReasons title={`${tokensInWords(skipped.length)} skipped`} tokens={skipped} />;

/** Lists tokens. Long lists are collapsed at first. */
const TokensWithReasons = ({ title, tokens }: { title: string; tokens: { token: Token; reason: string }[] }) => (
  <ExpandableSection headerText={title} defaultExpanded={tokens.length <= 5}>
    <ul className="stack">
      {tokens.map(({ token, reason }) => (
        <li key={token.token_id}>
          <TokenMention token={token} /> <span className="remark">{reason}</span>
        </li>
      ))}
    </ul>
  </ExpandableSection>
);

/** Takes the focus, because the previously focused button may be gone. Content above it stays in view. */
const FocusedButton = (props: ButtonProps) => {
  const button = useRef<ButtonProps.Ref>(null);
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  return <Button {...props} ref={button} />;
};

/** Shows the result for one token, and what to do about it. Long texts are outside indicators, which break within words. */
const resultOf = (
  outcome: Outcome | undefined,
  isRunning: boolean,
  { done, again }: Record<"done" | "again", string>,
) => {
  if (outcome === "done") return <StatusIndicator type="success">{done}</StatusIndicator>;
  if (outcome === "running") return <StatusIndicator type="in-progress">In progress</StatusIndicator>;
  if (!outcome && isRunning) return <StatusIndicator type="pending">Waiting</StatusIndicator>;
  const isUnknown = outcome?.isOutcomeUnknown ?? false;
  const type = !outcome ? "stopped" : isUnknown ? "warning" : "error";
  return (
    <>
      <StatusIndicator type={type}>{isUnknown ? "Not known" : `Not ${done.toLowerCase()}`}</StatusIndicator>
      <div>
        {outcome ? [outcome.message, ...Object.values(outcome.fields).flat()].join(" ") : "Nothing was sent."}
        {isUnknown && ` ${again}`}
      </div>
    </>
  );
};

const actionTexts = {
  revoke: {
    action: "Revoke",
    running: "Revoking tokens",
    done: "Revoked",
    again: "It may or may not have been revoked; it is safe to revoke it again.",
    nothing: "None of the selected tokens can be revoked",
  },
  expiry: {
    action: "Set the expiry of",
    running: "Setting the expiry",
    done: "Changed",
    again: "Its expiry may or may not have been changed; it is safe to set it again.",
    nothing: "None of the selected tokens can be given a new expiry",
  },
} as const;
